import { z } from 'zod';
import { parseInstant } from '../domain/instant.ts';

/** Shapes that several domains use. Each is named in the OpenAPI document by its `id`. */

export const Currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .meta({ id: 'Currency', description: 'ISO 4217 currency code.', example: 'EUR' });

export const Money = z
  .strictObject({ amount: z.int().meta({ description: 'Integer minor units: 1299 is 12.99.' }), currency: Currency })
  .meta({ id: 'Money', description: 'An amount of money in integer minor units.' });

/** Money that a caller sends: positive. */
export const PositiveMoney = z
  .strictObject({ amount: z.int().min(1).max(999_999_999_999), currency: Currency })
  .meta({ id: 'PositiveMoney', description: 'A positive amount of money in integer minor units.' });

export const Instant = z.iso
  .datetime({ precision: 3 })
  .meta({ id: 'Instant', description: 'RFC 3339, UTC, milliseconds.', example: '2026-03-01T10:00:00.000Z' });

/** An instant that a caller sends: as RFC 3339 writes it in any way; it is kept in UTC with milliseconds. */
export const AnyInstant = z
  .string()
  .max(64)
  .meta({
    id: 'AnyInstant',
    format: 'date-time',
    description: 'Any RFC 3339 instant of the years 1 to 9999 of UTC; kept in UTC with milliseconds.',
    example: '2026-03-01T11:00:00+01:00',
  })
  .transform((text, context): string => {
    const at = parseInstant(text);
    if (at !== undefined) return new Date(at).toISOString();
    context.issues.push({
      code: 'custom',
      input: text,
      message: 'This is not an instant of RFC 3339 in the years 1 to 9999, such as 2026-03-01T10:00:00Z or 2026-03-01T11:00:00.5+01:00.',
    });
    return z.NEVER;
  });

/** What may be a part of a path; dots alone are a step to somewhere else there. */
const NAME = /^\.*[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

export const Sku = z.string().max(64).regex(NAME).meta({ id: 'Sku', example: 'mug-blue' });

export const Id = z.string().max(64).regex(NAME).meta({ id: 'Id', description: 'Opaque id.' });

export const Quantity = z.int().min(1).max(9999).meta({ id: 'Quantity', example: 1 });

/** A whole number in a query: decimal digits, and nothing else that a number may be written with. */
export const queryInteger = (least: number, most: number) =>
  z.preprocess(
    (text) => (typeof text === 'string' && /^[0-9]+$/.test(text) ? Number(text) : text),
    z.int('This is not a whole number in decimal digits.').min(least).max(most),
  );

export const Points = z.int().min(1).max(999_999_999).meta({ id: 'Points' });

export const Address = z
  .strictObject({
    name: z.string().min(1).max(120),
    line1: z.string().min(1).max(120),
    city: z.string().min(1).max(80),
    postalCode: z.string().min(1).max(16),
    country: z
      .string()
      .regex(/^[A-Z]{2}$/)
      .meta({ description: 'ISO 3166-1 alpha-2.' }),
  })
  .meta({ id: 'Address' });

export const SkuQuantity = z.strictObject({ sku: Sku, qty: Quantity }).meta({ id: 'SkuQuantity' });

/** What every stored business object carries. `version` counts committed changes from 1. */
export const commonFields = { id: Id, version: z.int().min(0), createdAt: Instant, updatedAt: Instant };

export const ShippingMethod = z.enum(['STANDARD', 'EXPRESS']).meta({ id: 'ShippingMethod' });

/** A page of a list: `nextCursor` is absent on the last one. */
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), nextCursor: z.string().optional() });

export const Email = z
  .email()
  .max(254)
  .toLowerCase()
  .meta({ id: 'Email', description: 'Compared and kept in lower case.', example: 'ada@people.example' });

export const Phone = z
  .string()
  .regex(/^\+[1-9][0-9]{6,14}$/)
  .meta({ id: 'Phone', description: 'E.164.', example: '+353915550101' });

/** A voucher code as somebody types it; whether it exists is another question. */
export const VoucherCode = z
  .string()
  .min(1)
  .max(64)
  .meta({ id: 'VoucherCode', description: 'Case does not matter.', example: 'WELCOME10' });

/** A caller names one of several members; the OpenAPI document says so too. */
export function exactlyOne<T extends z.ZodObject>(schema: T, names: readonly (keyof z.output<T> & string)[]): T {
  return schema
    .refine((value) => names.filter((name) => value[name] !== undefined).length === 1, {
      error: `Give exactly one of ${names.join(', ')}.`,
    })
    .meta({ oneOf: names.map((name) => ({ required: [name] })) });
}

/** A caller names at least one of several members. */
export function atLeastOne<T extends z.ZodObject>(schema: T, names: readonly (keyof z.output<T> & string)[]): T {
  return schema
    .refine((value) => names.some((name) => value[name] !== undefined), { error: `Give at least one of ${names.join(', ')}.` })
    .meta({ anyOf: names.map((name) => ({ required: [name] })) });
}

/** With one of these values of a member, another one must be there, or must not. */
export interface MemberRule {
  readonly when: { readonly member: string; readonly is: readonly string[] };
  readonly needs?: string;
  readonly refuses?: string;
  readonly error: string;
}

/** Which members go together; the OpenAPI document says so too. */
export function withRules<T extends z.ZodObject>(schema: T, rules: readonly MemberRule[]): T {
  const ruled = rules.reduce(
    (checked, { when, needs, refuses, error }) =>
      checked.refine(
        (value) =>
          !when.is.includes(String(value[when.member])) ||
          ((needs === undefined || value[needs] !== undefined) && (refuses === undefined || value[refuses] === undefined)),
        { path: [needs ?? refuses ?? when.member], error },
      ),
    schema,
  );
  return ruled.meta({ allOf: rules.map(asCondition) });
}

const asCondition = ({ when, needs, refuses }: MemberRule) => ({
  if: { properties: { [when.member]: { enum: when.is } }, required: [when.member] },
  // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so
  then: needs === undefined ? { not: { required: [refuses] } } : { required: [needs] },
});
