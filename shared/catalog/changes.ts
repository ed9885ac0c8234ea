import { z } from 'zod';
import { JSON_MEMBERS } from '../domain/json-limits.ts';

/**
 * A change of initial data: a merge patch (RFC 7396), so null removes a member. The owner merges it, and validates the whole result.
 * @param shape of the object, or of all its forms @param fixed members that a change must not name
 */
export function changeOf(shape: Readonly<Record<string, z.ZodType>>, fixed: readonly string[]) {
  const members = Object.entries(shape).filter(([name]) => !fixed.includes(name));
  return z.strictObject(Object.fromEntries(members.map(([name, schema]) => [name, anyValue(name, schema).optional()])));
}

/** The members of all forms of an object. */
export const membersOfForms = (forms: { readonly options: readonly z.ZodType[] }): Readonly<Record<string, z.ZodType>> =>
  Object.assign({}, ...forms.options.map((form) => (form as z.ZodObject).shape));

/** Any value, described by the schema. */
function anyValue(name: string, schema: z.ZodType): z.ZodType {
  const { type, innerType } = schema._zod.def as { readonly type: string; readonly innerType?: z.ZodType };
  if (type === 'optional' && innerType) return anyValue(name, innerType);
  return z
    .unknown()
    .refine((value) => typeof value !== 'string' || ShortText.safeParse(value).success, {
      error: `This must have at most ${LONGEST_TEXT} characters.`,
      params: { code: 'too_big' },
    })
    .meta({ ...KINDS[type], description: schema.description ?? `New value of ${name}.` });
}

/** A change names one object, whose members are checked by its owner. */
export const CHANGE_BYTES = 65_536;
const LONGEST_TEXT = 10_000;
const ShortText = z.string().max(LONGEST_TEXT);
const TEXT = { type: 'string', maxLength: LONGEST_TEXT } as const;
/** Generators of clients need schemas of members and items. */
const OBJECT = { type: 'object', additionalProperties: {} } as const;
const KINDS: Readonly<Record<string, z.core.GlobalMeta>> = {
  string: TEXT,
  enum: TEXT,
  literal: TEXT,
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  array: { type: 'array', maxItems: JSON_MEMBERS, items: {} },
  object: OBJECT,
  record: OBJECT,
  union: OBJECT,
};
