import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import fc from 'fast-check';

/** The members of a JSON Schema that tests read. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** Values that a test supplies for members, by name; undefined for members with random values. */
export type Known = (name: string) => readonly unknown[] | undefined;

/** Number of consecutive invalid values after which the generator reports an unsupported condition. */
const MISSES = 10_000;

/** The schemas of one document: validates values, and generates valid and invalid ones. */
export function schemasOf(document: object) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  ajvFormats.default(ajv);
  ajv.addSchema(JSON.parse(inNewestDialect(JSON.stringify(document))), 'document');

  const compiled = new Map<string, ValidateFunction>();

  function validatorOf(schema: Schema): ValidateFunction {
    const within = inNewestDialect(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
    const validate = compiled.get(within) ?? ajv.compile(JSON.parse(within));
    compiled.set(within, validate);
    return validate;
  }

  const resolved = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema;
    const target = schema.$ref
      .slice(2)
      .split('/')
      .reduce((part, step) => (part as Record<string, unknown>)[step], document as unknown);
    return resolved(target as Schema);
  };

  /** @returns the first mismatch, or undefined */
  function misfit(schema: Schema, value: unknown): string | undefined {
    const validate = validatorOf(schema);
    return validate(value) ? undefined : ajv.errorsText(validate.errors, { separator: '\n' });
  }

  /** Valid values. Values that violate a condition between members are discarded. */
  function fitting(schema: Schema, known: Known, name = ''): fc.Arbitrary<unknown> {
    const validate = validatorOf(schema);
    let missed = 0;
    return shaped(schema, known, name).filter((value) => {
      missed = validate(value) ? 0 : missed + 1;
      if (missed > MISSES) throw new Error(`Nothing is found that fits ${JSON.stringify(schema).slice(0, 500)}: ${misfit(schema, value)}`);
      return missed === 0;
    });
  }

  function shaped(given: Schema, known: Known, name: string): fc.Arbitrary<unknown> {
    const schema = resolved(given);
    const named = known(name)?.filter((value) => validatorOf(schema)(value));
    if (named && named.length > 0) return fc.constantFrom(...named);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const { anyOf, oneOf, allOf, ...others } = schema;
    const references = anyOf || oneOf ? undefined : allOf?.filter(({ $ref }) => $ref !== undefined);
    const alternatives = anyOf ?? oneOf ?? references;
    const rest = references ? others : { ...others, allOf };
    if (alternatives && schema.properties === undefined)
      return fc.oneof(...alternatives.map((one) => shaped({ ...rest, ...resolved(one) }, known, name)));
    switch (schema.type) {
      case 'object':
        return objects(schema, known);
      case 'array':
        return fc.array(shaped(schema.items ?? {}, known, name), {
          minLength: schema.minItems ?? 0,
          maxLength: Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + 2),
        });
      case 'integer':
      case 'number':
        return numbers(schema);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case 'string':
        return strings(schema);
      default:
        return fc.oneof(fc.string(), fc.integer(), fc.constant(null));
    }
  }

  function objects(
    { properties = {}, required = [], additionalProperties, maxProperties = 3 }: Schema,
    known: Known,
  ): fc.Arbitrary<unknown> {
    if (Object.keys(properties).length === 0 && typeof additionalProperties === 'object' && additionalProperties.type)
      return fc.dictionary(fc.stringMatching(/^[a-z]{1,9}$/), shaped(additionalProperties, known, ''), {
        maxKeys: Math.min(3, maxProperties),
      });
    const members = Object.entries(properties).map(([name, member]) => [name, shaped(member, known, name)] as const);
    return fc.record(Object.fromEntries(members), { requiredKeys: required.filter((name) => Object.hasOwn(properties, name)) });
  }

  /** Invalid values: valid values with one mistake each. */
  function misfitting(schema: Schema, known: Known): fc.Arbitrary<unknown> {
    const validate = validatorOf(schema);
    const valid = fitting(schema, known);
    const { properties = {}, required = [] } = resolved(schema);
    const junk = fc.constantFrom<unknown>(null, -1, 1.5, true, '', 'x'.repeat(5_000), [], {}, [[]], 10 ** 15);
    const names = Object.keys(properties);
    const mistakes = [
      fc.constantFrom<unknown>(null, [], 'text', 7),
      ...(required.length > 0 ? [fc.tuple(valid, fc.constantFrom(...required)).map(([value, name]) => without(value, name))] : []),
      ...(names.length > 0
        ? [fc.tuple(valid, fc.constantFrom(...names), junk).map(([value, name, wrong]) => ({ ...(value as object), [name]: wrong }))]
        : []),
      fc.tuple(valid, fc.string({ minLength: 1, maxLength: 8 })).map(([value, name]) => ({ ...(value as object), [`x${name}`]: 1 })),
    ];
    return fc.oneof(...mistakes).filter((value) => !validate(value));
  }

  return { misfit, fitting, misfitting, resolved };
}

/** In OpenAPI 3.0 a bound is exclusive by a flag; its only such bound is 0. */
const inNewestDialect = (json: string): string => json.replaceAll('"minimum":0,"exclusiveMinimum":true', '"exclusiveMinimum":0');

const without = (value: unknown, name: string): object =>
  Object.fromEntries(Object.entries(value as object).filter(([member]) => member !== name));

function numbers({ type, minimum, maximum, exclusiveMinimum }: Schema): fc.Arbitrary<number> {
  const min = minimum ?? exclusiveMinimum ?? -1_000;
  const max = maximum ?? Math.max(min, 1_000);
  if (type === 'integer') return fc.integer({ min: Math.ceil(min), max: Math.min(max, min + 1_000) });
  return fc.double({ min, max, noNaN: true, minExcluded: minimum === undefined && exclusiveMinimum !== undefined });
}

function strings({ format, pattern, minLength = 0, maxLength = minLength + 12 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time')
    return fc.date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true }).map((date) => date.toISOString());
  if (format === 'duration') return fc.constantFrom('PT1M', 'P2D', 'PT36H', 'P1W', 'PT1.5S');
  if (format === 'email') return fc.integer({ min: 0 }).map((number) => `somebody-${number}@people.example`);
  if (format === 'uri') return fc.constant('https://example.org/a');
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc
    .string({ minLength, maxLength: Math.min(maxLength, minLength + 40), unit: 'grapheme' })
    .filter((text) => text.length <= maxLength);
}
