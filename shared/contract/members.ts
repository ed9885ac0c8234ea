import { z } from 'zod';
import type { SchemaPart } from './json-schemas.ts';

/** A single value of a query or body that a user can give. */
export interface Member {
  /** For example `['match', 'application']`; a `*` stands for each entry of a list. */
  readonly path: readonly string[];
  readonly schema: SchemaPart;
  readonly required: boolean;
  /** Whether the part of the body that contains it is required. */
  readonly inRequiredPart: boolean;
}

/** The values of a schema, including the members of nested objects, and with `inLists` the members of objects in lists. */
export function membersOf(schema: z.ZodType, { inLists = false } = {}): readonly Member[] {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as SchemaPart;
  return inside(root, { definitions: $defs, inLists }, { path: [], required: true, inRequiredPart: true });
}

interface Reading {
  readonly definitions: NonNullable<SchemaPart['$defs']>;
  readonly inLists: boolean;
}

type Place = Omit<Member, 'schema'>;

function inside(part: SchemaPart, reading: Reading, place: Place): readonly Member[] {
  const { path, required } = place;
  const schema = resolved(part, reading);
  const entry = reading.inLists && schema.items ? resolved(schema.items, reading) : undefined;
  // The members of an entry are required where there is one.
  if (entry?.properties || entry?.anyOf || entry?.oneOf) return inside(entry, reading, { ...place, path: [...path, '*'], required: true });
  const items = entry ?? schema.items;
  const variants = (schema.oneOf ?? schema.anyOf ?? []).map((variant) => resolved(variant, reading)).filter(({ properties }) => properties);
  if (schema.properties === undefined && variants.length > 0) return merged(variants, reading, place);
  // An object with members of any name is given as JSON.
  const isOpen = path.length > 0 && typeof schema.additionalProperties === 'object';
  if (schema.properties === undefined || isOpen)
    return path.length === 0 ? [] : [{ ...place, schema: items ? { ...schema, items } : schema }];
  return Object.entries(schema.properties).flatMap(([name, member]) => {
    const isRequired = required && (schema.required ?? []).includes(name);
    const inRequiredPart = path.length === 0 ? isRequired : place.inRequiredPart;
    return inside(member, reading, { path: [...path, name], required: isRequired, inRequiredPart });
  });
}

/** The members of all variants of an object. The discriminator becomes a choice between its values, and so do other members with a choice. */
function merged(variants: readonly SchemaPart[], reading: Reading, place: Place): readonly Member[] {
  const members = variants.flatMap((variant) => inside(variant, reading, place));
  const found = Map.groupBy(members, (member) => member.path.join('.'));
  return [...found.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const words = new Set([first, ...others].flatMap(({ schema }) => schema.const ?? (others.length > 0 ? schema.enum : undefined) ?? []));
    const choice = { type: 'string', enum: [...words], description: first.schema.description };
    const isEverywhere = others.length + 1 === variants.length && [first, ...others].every((member) => member.required);
    return [{ ...first, required: isEverywhere, schema: words.size > 0 ? choice : first.schema }];
  });
}

function resolved(part: SchemaPart, { definitions }: Reading): SchemaPart {
  const { $ref, ...own } = part;
  return $ref === undefined ? part : { ...definitions[$ref.replace('#/$defs/', '')], ...own };
}
