import { z } from 'zod';

/** A member with another value in the answer of the real system. */
export interface Difference {
  /** JSON pointer into the answer, with `*` for each index; empty for the answer as a whole. */
  readonly pointer: string;
  /** Both values as text. */
  readonly ours: string;
  readonly theirs: string;
}

/** The ids of the real system by ours, as the comparison finds them. */
export interface KnownIds {
  /** The id of the real system for one of ours, if an earlier answer had both. */
  readonly theirsOf: (ours: string) => string | undefined;
  /** Notes a pair of ids that stand in the same place for the first time. */
  readonly note: (ours: string, theirs: string) => void;
  /** Whether the request contained the id: then the answer must contain it too. */
  readonly wasSent: (ours: string) => boolean;
}

/** Numbers that each system counts. */
const COUNTED = new Set(['version', 'sequence', 'decidedSequence']);

interface Comparison {
  readonly ids: KnownIds;
  /** Names of members whose times and texts are compared, too. */
  readonly named: ReadonlySet<string>;
}

/**
 * Compares two answers by the schema of the API: numbers, booleans, enumerations, SKUs, GTINs, currencies, countries, the presence of
 * members and the length of lists. The first two ids in the same place become a pair; later answers must keep to it. Times and texts
 * count only if they are named. Each system counts its own changes, refunds and results, so these numbers never count.
 */
export function differencesOf(schema: z.core.$ZodType, ours: unknown, theirs: unknown, comparison: Comparison): readonly Difference[] {
  const found: Difference[] = [];
  compare({ schema, ours, theirs, pointer: '', name: '' });
  return found;

  function compare(at: Place): void {
    const { ours: our, theirs: their, pointer, name } = at;
    const plain = unwrapped(at.schema);
    if (our === undefined || their === undefined || our === null || their === null) {
      if ((our ?? null) !== (their ?? null)) found.push({ pointer, ours: shown(our), theirs: shown(their) });
    } else if (plain instanceof z.ZodObject) {
      for (const [member, inner] of Object.entries<z.core.$ZodType>(plain.shape)) {
        if (COUNTED.has(member)) continue;
        const [one, other] = [memberOf(our, member), memberOf(their, member)];
        compare({ schema: inner, ours: one, theirs: other, pointer: `${pointer}/${member}`, name: member });
      }
    } else if (plain instanceof z.ZodArray && Array.isArray(our) && Array.isArray(their)) {
      if (our.length !== their.length) found.push({ pointer, ours: `${our.length} items`, theirs: `${their.length} items` });
      for (const [index, one] of our.slice(0, their.length).entries()) {
        compare({ schema: plain.element, ours: one, theirs: their[index], pointer: `${pointer}/*`, name });
      }
    } else if (plain instanceof z.ZodUnion) {
      const option = plain.options.find((one) => z.safeParse(one, our).success);
      if (option) compare({ ...at, schema: option });
    } else if (isDifferent(plain, at)) found.push({ pointer, ours: shown(our), theirs: shown(their) });
  }

  function isDifferent(plain: z.core.$ZodType, { ours: our, theirs: their, name }: Place): boolean {
    if (typeof our !== 'string' || typeof their !== 'string') return typeof our !== 'object' && our !== their;
    if (our === their) return false;
    if (plain instanceof z.ZodEnum || plain instanceof z.ZodLiteral || STRICT.has(name) || comparison.named.has(name)) return true;
    return IS_ID.test(name) && !isSameId(our, their);
  }

  function isSameId(our: string, their: string): boolean {
    const { ids } = comparison;
    const known = ids.theirsOf(our);
    if (known !== undefined || ids.wasSent(our)) return known === their;
    ids.note(our, their);
    return true;
  }
}

interface Place {
  readonly schema: z.core.$ZodType;
  readonly ours: unknown;
  readonly theirs: unknown;
  readonly pointer: string;
  /** The member, or the one that has the list. */
  readonly name: string;
}

/** Texts that have a meaning for every system. */
const STRICT: ReadonlySet<string> = new Set(['sku', 'gtin', 'currency', 'country']);
const IS_ID = /^(?:id|.*Ids?)$/;
const SHOWN_CHARACTERS = 120;

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  )
    return unwrapped(schema.unwrap());
  if (schema instanceof z.ZodPipe) return unwrapped(schema.out);
  return schema;
}

const memberOf = (value: unknown, name: string): unknown => (value as Readonly<Record<string, unknown>>)[name];

const shown = (value: unknown): string => (value === undefined ? 'absent' : JSON.stringify(value).slice(0, SHOWN_CHARACTERS));
