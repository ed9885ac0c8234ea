import { z } from 'zod';
import { gtin14, isGtin } from '../domain/barcode.ts';
import { COUNTRY_CODES, WITHOUT_POSTAL_CODES } from '../domain/countries.ts';
import { parseInstant } from '../domain/instant.ts';
import { inOneLine } from '../domain/printable.ts';
import { Country } from './country.ts';
import { Currency } from './currency.ts';
import { shippingInWords } from './retailer.ts';

/** Shapes of several domains. Their `id` names them in the OpenAPI document. */

export const Money = z
  .strictObject({
    amount: z.int().meta({ description: 'Integer minor units: 1299 is 12.99 EUR, 1299 JPY or 1.299 BHD.' }),
    currency: Currency,
  })
  .meta({ id: 'Money', description: 'An amount of money in integer minor units.' });

/** Money in a request. */
export const PositiveMoney = z
  .strictObject({ amount: z.int().min(1).max(999_999_999_999).describe('Minor units, such as cents.'), currency: Currency })
  .meta({ id: 'PositiveMoney', description: 'A positive amount of money in integer minor units.' });

export const Instant = z.iso
  .datetime({ precision: 3 })
  .meta({ id: 'Instant', description: 'RFC 3339, UTC, milliseconds.', example: '2026-03-01T10:00:00.000Z' });

/** An instant in a request, in any form of RFC 3339. It is normalised to UTC with milliseconds. */
export const AnyInstant = z
  .string()
  .max(64)
  .meta({
    id: 'AnyInstant',
    format: 'date-time',
    description: 'An RFC 3339 instant in the years 1 to 9999 of UTC. It is stored in UTC with milliseconds.',
    example: '2026-03-01T11:00:00+01:00',
  })
  .transform((text, context): string => {
    const at = parseInstant(text);
    if (at !== undefined) return new Date(at).toISOString();
    context.issues.push({
      code: 'custom',
      input: text,
      params: { code: 'invalid_format' },
      message: 'This is not an instant of RFC 3339 in the years 1 to 9999, such as 2026-03-01T10:00:00Z or 2026-03-01T11:00:00.5+01:00.',
    });
    return z.NEVER;
  });

/** An id or a name is a path segment. A segment of dots only would change the path. */
export const NAME = /^\.*[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
export const NAME_RULE = 'This must have only letters, digits, dots, hyphens and underscores, and not only dots.';

/** An export is JSON with a member for each id, code and token, and a parser of JSON may drop a member of this name. */
export const isUsableName = (text: string): boolean => text !== '__proto__';
export const UNUSABLE_NAME = 'No id, code or token can be __proto__. Choose another one.';

/** The characters of ids and names. @param most characters */
export const nameOf = (most: number) => z.string().max(most).regex(NAME, NAME_RULE).refine(isUsableName, UNUSABLE_NAME);

/** Text that people type or paste. It is trimmed, so blanks alone are too short. @param most characters after trimming */
export const typedText = (most: number) => z.string().trim().min(1).max(most).meta({ pattern: '\\S' });

/** As `typedText`, on one line: line ends and runs of blanks become one blank, control characters are left out. */
export const typedLine = (most: number) =>
  z
    .string()
    .trim()
    .max(most, { abort: true })
    .overwrite((text) => inOneLine(text, most))
    .min(1)
    .meta({ pattern: '\\S' });

export const Sku = nameOf(64).meta({ id: 'Sku', example: 'mug-blue' });

export const Id = nameOf(64).meta({ id: 'Id', description: 'Opaque id.' });

/** An account id, or the number of a card as people type it. */
export const AccountOrCard = z.string().trim().max(64).regex(NAME, NAME_RULE).refine(isUsableName, UNUSABLE_NAME);

export const Quantity = z.int().min(1).max(9999).meta({ id: 'Quantity', example: 1 });

/** A whole number in a query: decimal digits only. */
export function queryInteger(least: number, most: number) {
  const remedy = `Give one whole number from ${least} to ${most}, in decimal digits.`;
  return z.preprocess(
    (text) => (typeof text === 'string' && /^[0-9]+$/.test(text) ? Number(text) : text),
    z.int(remedy).min(least, remedy).max(most, remedy),
  );
}

export const Points = z.int().min(1).max(999_999_999).meta({ id: 'Points' });

/** A GTIN-8, -12, -13 or -14 with its check digit. In code it has 14 digits. */
export const Gtin = z
  .string()
  .regex(/^(?:\d{8}|\d{12,14})$/, { error: 'This must be a GTIN of 8, 12, 13 or 14 digits.', abort: true })
  .refine(isGtin, { error: 'The last digit is not the check digit of the others.', params: { code: 'check_digit' } })
  .overwrite(gtin14)
  .meta({ id: 'Gtin', description: 'Barcode of a product: GTIN-8, UPC-A, EAN-13 or GTIN-14.', example: '9521001000079' });

export const SkuQuantity = z.strictObject({ sku: Sku, qty: Quantity }).meta({ id: 'SkuQuantity' });

/** Units of a product that a client adds to a basket. */
export const RequestedLine = exactlyOne(z.strictObject({ sku: Sku.optional(), gtin: Gtin.optional(), qty: Quantity }), [
  'sku',
  'gtin',
]).meta({
  id: 'RequestedLine',
});

/** Members of every stored business object. `version` counts committed changes from 1. */
export const commonFields = { id: Id, version: z.int().min(0), createdAt: Instant, updatedAt: Instant };

/** Printable ASCII without blanks: what shops, marketplaces and ERP systems use in ids, such as gid://shopify/Order/1001. */
const VISIBLE = /^[!-~]*$/;
const nameElsewhere = z.string().min(1).max(100).regex(VISIBLE, 'This must have only visible ASCII characters, without blanks.');

/** The name of an object in the system of a client. */
export const Reference = z
  .strictObject({
    source: nameElsewhere.describe('The system that gave the id: a shop, a marketplace, an ERP system.'),
    id: nameElsewhere.describe('The id of the object in that system.'),
  })
  .meta({
    id: 'Reference',
    description: 'The name of an object in the system of the client. Case matters.',
    example: { source: 'web-shop', id: '#1001' },
  });

/** Members of `metadata`. */
export const MOST_METADATA = 20;

/** Values that the estate stores for a client, and never reads. */
export const Metadata = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine((values) => Object.keys(values).length <= MOST_METADATA, `This may have at most ${MOST_METADATA} members.`)
  .meta({
    id: 'Metadata',
    maxProperties: MOST_METADATA,
    description: `Texts of the client, at most ${MOST_METADATA}: names have up to 40 characters, values up to 500.`,
    example: { campaign: 'spring' },
  });

/** Members of objects that other systems name, and of the calls that create these objects. */
export const clientMembers = {
  reference: Reference.optional().describe('Our addition: the name of the object in the system of the client. Absent without one.'),
  metadata: Metadata.optional().describe('Our addition: texts of the client. Absent without any.'),
};

/** The column of a reference in the list of objects. */
export const referenceColumn = { reference: '{reference.source} {reference.id}' };

/** `clientMembers` of a call that creates an object. */
export const createMembers = {
  reference: Reference.optional().describe(
    'Our addition: the name of the object in the system of the client. It names one object of this type. A repeat with the same content returns this object with 200, at any time; a repeat with other content is refused.',
  ),
  metadata: Metadata.optional().describe('Our addition: texts that are stored with the object.'),
};

export const ShippingMethod = z.enum(['STANDARD', 'EXPRESS']).meta({ id: 'ShippingMethod', description: shippingInWords });

/** A page of a list. The last page has no `nextCursor`. */
export const pageOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), nextCursor: z.string().optional() });

const emailOf = (text: z.ZodString) => text.trim().toLowerCase().max(254).check(z.email());

export const Email = emailOf(z.string()).meta({
  id: 'Email',
  description: 'Stored and compared in lower case.',
  example: 'ada@people.example',
});

/** In a query, a leading or trailing blank is an unescaped +. Trimmed, the value could belong to another person. */
const textOfQuery = (error: string) => z.string().refine((text) => text === text.trim(), { error, abort: true });

export const EmailInQuery = emailOf(textOfQuery('This must not begin or end with a blank.')).meta({
  format: 'email',
  description: 'The whole address, in any case.',
  example: 'ada@people.example',
});

/** National numbers of these countries never begin with 0; inside the country, 0 is written before them. */
const TRUNK_ZERO = /^(\+(?:31|32|33|353|41|43|44|49))0+/;

/** A number as people write it, in E.164: `+353 (0)91 555 0101` is +353915550101. */
const e164Of = (text: string): string =>
  text
    .trim()
    .replace('(0)', '')
    .replaceAll(/(?<=\d|\))[ ./-]+(?=\d|\()|[()]/g, '')
    .replace(TRUNK_ZERO, '$1');

const PHONE_RULE = 'This must be a phone number in E.164, such as +353915550101.';

const phoneOf = (text: z.ZodString) =>
  text
    .max(40)
    .overwrite(e164Of)
    .regex(/^\+[1-9][0-9]{6,14}$/, PHONE_RULE);

const phoneMeta = {
  description: 'E.164. In a request it may have blanks, hyphens, dots, slashes and parentheses, and a trunk zero: +353 (0)91 555 0101.',
  example: '+353915550101',
};

export const Phone = phoneOf(z.string()).meta({ id: 'Phone', ...phoneMeta });

export const PhoneInQuery = phoneOf(textOfQuery(PHONE_RULE)).meta(phoneMeta);

const NO_POSTAL_CODE = new Set(WITHOUT_POSTAL_CODES);

/** Whether a value may leave out the postal code: its country has none, or is itself a mistake. */
function needsNoPostalCode(value: unknown): boolean {
  const { postalCode, country } = value as { readonly postalCode?: unknown; readonly country?: unknown };
  return postalCode !== undefined || NO_POSTAL_CODE.has(String(country)) || !COUNTRY_CODES.has(String(country));
}

export const Address = z
  .strictObject({
    name: typedText(120),
    line1: typedText(120).meta({ description: 'Street and number, or a post box.' }),
    line2: typedText(120).optional().meta({ description: 'Flat, floor, building or company.' }),
    city: typedText(80),
    region: typedText(80).optional().meta({ description: 'State, province or county, as the country writes it: CA, or County Galway.' }),
    postalCode: typedText(16)
      .optional()
      .meta({ description: `Required, unless the country has none: ${WITHOUT_POSTAL_CODES.join(', ')}.` }),
    country: Country,
    phone: Phone.optional(),
  })
  .refine(needsNoPostalCode, {
    path: ['postalCode'],
    error: 'This member is required: the country has postal codes.',
    params: { code: 'required' },
    // Reported together with the mistakes of other members.
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .meta({
    id: 'Address',
    if: { not: { properties: { country: { enum: WITHOUT_POSTAL_CODES } } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['postalCode'] },
  });

/** A voucher code as a customer types it. */
export const VoucherCode = typedText(64).meta({ id: 'VoucherCode', description: 'Case does not matter.', example: 'WELCOME10' });

/** A token of a payment card, a gift card or a redemption, as a client sends it. */
export const TenderToken = typedText(128).refine(isUsableName, UNUSABLE_NAME);

/** Requires exactly one of several members, also in the OpenAPI document. */
export function exactlyOne<T extends z.ZodObject>(schema: T, names: readonly (keyof z.output<T> & string)[]): T {
  const rule = `Give exactly one of ${names.join(', ')}.`;
  return schema
    .refine((value) => names.filter((name) => value[name] !== undefined).length === 1, { error: rule })
    .meta({ description: schema.description ?? rule, ...oneRequired(names) });
}

/** Adds what to do to the refusal of members that this request does not have, and a similar one has. */
export function withRemedies<T extends z.ZodObject>(schema: T, remedies: Readonly<Record<string, string>>): T {
  return schema.check(({ issues, value }) => {
    for (const issue of issues.filter(({ code, path = [] }) => code === 'unrecognized_keys' && path.length === 0)) {
      const { keys = [] } = issue as { keys?: string[] };
      for (const key of keys.filter((name) => Object.hasOwn(remedies, name)))
        issues.push({ code: 'custom', path: [key], message: remedies[key] ?? '', params: { code: 'unknown_member' }, input: value });
      Object.assign(issue, { keys: keys.filter((name) => !Object.hasOwn(remedies, name)) });
    }
  });
}

/** Requires at least one of several members, also in the OpenAPI document. */
export function atLeastOne<T extends z.ZodObject>(schema: T, names: readonly (keyof z.output<T> & string)[]): T {
  const rule = `Give at least one of ${names.join(', ')}.`;
  return schema
    .refine((value) => names.some((name) => value[name] !== undefined), { error: rule })
    .meta({ description: schema.description ?? rule, ...anyRequired(names) });
}

/** Conditions as JSON Schema. Generators ignore `if` and `then`, and turn `oneOf` beside `properties` into classes without them. */
type Condition = Readonly<Record<string, unknown>>;

export function anyRequired([name, ...others]: readonly string[]): Condition {
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return others.length === 0 ? { required: [name] } : { if: { not: { required: [name] } }, then: anyRequired(others) };
}

export function oneRequired([name, ...others]: readonly string[]): Condition {
  if (others.length === 0) return { required: [name] };
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { if: { required: [name] }, then: { not: anyRequired(others) }, else: oneRequired(others) };
}

/** Requires or refuses a member when another member has one of these values. */
export interface MemberRule {
  readonly when: { readonly member: string; readonly is: readonly string[] };
  readonly needs?: string;
  readonly refuses?: string;
  readonly error: string;
}

/** Adds rules between members, also to the OpenAPI document. */
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
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: needs === undefined ? { not: { required: [refuses] } } : { required: [needs] },
});
