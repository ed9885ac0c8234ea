import { z } from 'zod';
import { type FieldError, MOST_ERRORS } from '../../shared/catalog/problems.ts';
import { IN_WORDS, mistakesIn } from '../../shared/contract/issue-words.ts';
import { NO_MEMBER } from '../../shared/contract/validation.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import { mistake, type Path } from './mistake.ts';

/** The most members of a section. A schema checks each member first, so its own limit comes too late for a hostile file. */
const limits = new WeakMap<object, number>();
/** Names of members in a section. */
const LONGEST_NAME = 400;
/** Values within one row: an order with the most lines has a tenth. Each of them may become a mistake of the schema. */
const MOST_VALUES = 50_000;
/** Characters of a text. A schema may search a text before it looks at its length. */
export const LONGEST_TEXT = 100_000;
/** Characters of a text in a member of any type, such as the JSON of an event or of an answer. */
const LONGEST_JSON = 4_194_304;

/** The limit belongs to the definition, which copies of a schema share, such as a described one. */
function limited<S extends z.ZodType>(schema: S, most: number): S {
  limits.set(schema._zod.def, most);
  return schema;
}

const limitOf = (schema: z.core.$ZodType): number | undefined => limits.get(schema._zod.def);

/** A section that is a list. */
export const listOf = <T extends z.ZodType>(row: T, most: number) => limited(z.array(row), most);

/** A section whose members have any name. */
export const recordOf = <T extends z.ZodType>(member: T, most: number) => limited(z.record(z.string(), member), most);

const unwrapped = (schema: z.core.$ZodType): z.core.$ZodType => (schema instanceof z.ZodOptional ? unwrapped(schema.unwrap()) : schema);

/** Whether a schema has sections. The rows of a list have none. */
function hasSections(schema: z.core.$ZodType): boolean {
  const inner = unwrapped(schema);
  if (limitOf(inner) !== undefined) return true;
  return inner instanceof z.ZodObject && Object.values<z.core.$ZodType>(inner.shape).some(hasSections);
}

/** Parses a value section by section and row by row, with pauses in between. @returns the output of the schema, unless it has mistakes */
export async function* parseInSections(
  schema: z.core.$ZodType,
  value: unknown,
  { path, breathe }: { readonly path: Path; readonly breathe: Breathe },
): AsyncGenerator<FieldError, unknown, void> {
  const waiting = breathe();
  if (waiting) await waiting;
  const inner = unwrapped(schema);
  if (value === undefined || !hasSections(inner)) return yield* rowOf(schema, value, path);
  const most = limitOf(inner) ?? Number.POSITIVE_INFINITY;
  if (inner instanceof z.ZodArray) {
    if (!Array.isArray(value)) return yield mistake(path, 'invalid_type', 'This must be a list.');
    if (value.length > most) return yield mistake(path, 'too_big', `This must have at most ${most} items.`);
    const found: unknown[] = [];
    for (const [place, item] of value.entries()) {
      const pause = breathe();
      if (pause) await pause;
      found.push(yield* rowOf(inner.element, item, [...path, place]));
    }
    return found;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return yield mistake(path, 'invalid_type', 'This must be an object.');
  const names = Object.keys(value);
  if (names.length > most) return yield mistake(path, 'too_big', `This must have at most ${most} members.`);
  const found: [string, unknown][] = [];
  const memberOf = (name: string): unknown => (value as Readonly<Record<string, unknown>>)[name];
  if (inner instanceof z.ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = inner.shape;
    for (const name of names) {
      if (!Object.hasOwn(shape, name)) yield mistake([...path, name], 'unknown_member', 'This member is unknown.');
    }
    for (const [name, member] of Object.entries(shape)) {
      const parsed = yield* parseInSections(member, Object.hasOwn(value, name) ? memberOf(name) : undefined, {
        path: [...path, name],
        breathe,
      });
      if (parsed !== undefined) found.push([name, parsed]);
    }
  } else if (inner instanceof z.ZodRecord) {
    for (const name of names) {
      const at = [...path, name];
      if (name === '__proto__') yield mistake(at, 'unknown_member', NO_MEMBER);
      else if (name.length > LONGEST_NAME) yield mistake(at, 'too_big', `A name has at most ${LONGEST_NAME} characters.`);
      else found.push([name, yield* parseInSections(inner.valueType, memberOf(name), { path: at, breathe })]);
    }
  }
  return Object.fromEntries(found);
}

function* rowOf(schema: z.core.$ZodType, value: unknown, path: Path): Generator<FieldError, unknown, void> {
  const row = unwrapped(schema);
  const refused = refusedIn(value, { most: isAny(row) ? Number.POSITIVE_INFINITY : MOST_VALUES, longest: (name) => longestIn(row, name) });
  if (refused) return yield mistake([...path, ...refused.path], refused.code, refused.detail);
  const { data, error } = z.safeParse(schema, value, IN_WORDS);
  for (const { path: inside, code, detail } of mistakesIn(error?.issues ?? [])) yield mistake([...path, ...inside], code, detail);
  return data;
}

const isAny = (schema: z.core.$ZodType | undefined): boolean => schema !== undefined && unwrapped(schema) instanceof z.ZodUnknown;

/** The most characters of a text in a member of a row. */
function longestIn(row: z.core.$ZodType, member: PropertyKey | undefined): number {
  const shape: Readonly<Record<PropertyKey, z.core.$ZodType>> = row instanceof z.ZodObject ? row.shape : {};
  return member !== undefined && Object.hasOwn(shape, member) && isAny(shape[member]) ? LONGEST_JSON : LONGEST_TEXT;
}

interface Bounds {
  /** Values in all. */
  readonly most: number;
  /** Characters of a text in a member of the whole value. */
  readonly longest: (member: PropertyKey | undefined) => number;
}

interface Refused {
  readonly path: Path;
  readonly code: string;
  readonly detail: string;
}

/** What a schema would drop silently, or would take too long for. The search ends with the first. */
function refusedIn(whole: unknown, { most, longest }: Bounds): Refused | undefined {
  const path: PropertyKey[] = [];
  let values = 0;
  const search = (value: unknown): Refused | undefined => {
    if (typeof value === 'string') {
      const characters = longest(path[0]);
      if (value.length <= characters) return undefined;
      return { path: [...path], code: 'too_big', detail: `A text has at most ${characters} characters here.` };
    }
    if (typeof value !== 'object' || value === null) return undefined;
    for (const name in value) {
      values += 1;
      if (values > most) return { path: [], code: 'too_big', detail: `This must have at most ${most} values.` };
      path.push(name);
      if (name === '__proto__') return { path, code: 'unknown_member', detail: NO_MEMBER };
      if (name.length > LONGEST_TEXT) return { path, code: 'too_big', detail: `A name has at most ${LONGEST_TEXT} characters.` };
      const found = search((value as Readonly<Record<string, unknown>>)[name]);
      if (found) return found;
      path.pop();
    }
    return undefined;
  };
  return search(whole);
}

/** Whether a value may have too many mistakes to validate it. */
export const isOversized = (value: unknown): boolean =>
  refusedIn(value, { most: MOST_VALUES, longest: () => LONGEST_TEXT })?.code === 'too_big';

/** The first mistakes. The check ends with the last of them. */
export async function firstOf(mistakes: AsyncIterable<FieldError>): Promise<FieldError[]> {
  const found: FieldError[] = [];
  for await (const one of mistakes) {
    found.push(one);
    if (found.length >= MOST_ERRORS) break;
  }
  return found;
}
