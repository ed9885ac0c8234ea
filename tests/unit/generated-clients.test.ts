import { describe, expect, test } from '@jest/globals';
import { loadTouchpointFixtures } from '../../services/touchpoint-mock/contract/fixtures.ts';
import { touchpointOpenApi } from '../../services/touchpoint-mock/documents/documents.ts';
import { estateOpenApi } from '../../shared/contract/openapi/document.ts';

/** The forms that generators of clients refuse, warn of, or turn into code that does not compile. `npm run test:package` runs the generators. */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const documents = {
  estate: estateOpenApi('1.2.3'),
  touchpoint: touchpointOpenApi(await loadTouchpointFixtures(), { from: 'portal', other: 'http://127.0.0.1:15115' }),
} as unknown as Readonly<Record<string, Document>>;

/** Members whose values are data. */
const DATA = new Set(['example', 'examples', 'default', 'value', 'x-problem-codes']);
/** Members whose values are schemas by name. */
const BY_NAME = new Set(['properties', 'schemas']);

/** Every object of a document except data, by its place. */
function parts(part: unknown, place: string, isNamed = false): readonly (readonly [string, Schema])[] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.entries(part).flatMap(([name, value]) =>
    DATA.has(name) && !isNamed ? [] : parts(value, `${place}/${name}`, BY_NAME.has(name) && !isNamed),
  );
  return isNamed || Array.isArray(part) ? inner : [[place, part as Schema], ...inner];
}

const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);

describe.each(Object.entries(documents))('OpenAPI document of the %s', (name, document) => {
  const all = parts(document, '#');
  const places = (has: (schema: Schema) => boolean): readonly string[] => all.filter(([, part]) => has(part)).map(([place]) => place);

  test(`The OpenAPI document of the ${name} has schemas at the places that these tests look at`, () => {
    expect(places(({ $ref }) => $ref !== undefined).length).toBeGreaterThan(20);
    expect(places((schema) => schema.enum !== undefined).length).toBeGreaterThan(5);
  });

  test(`The OpenAPI document of the ${name} has no $ref together with other members`, () =>
    expect(places((part) => part.$ref !== undefined && Object.keys(part).length > 1)).toEqual([]));

  test(`The OpenAPI document of the ${name} has no constant or enumeration of booleans`, () =>
    expect(places(({ const: only, enum: values = [] }) => [only, ...values].some((value) => typeof value === 'boolean'))).toEqual([]));

  test(`The OpenAPI document of the ${name} has no list of types, except with null`, () =>
    expect(places(({ type }) => Array.isArray(type) && !(type.length === 2 && type.includes('null')))).toEqual([]));

  test(`The OpenAPI document of the ${name} has enumerations of strings, which may include null, or of numbers, and without bounds`, () => {
    const kinds = (values: readonly unknown[]) => new Set(values.map((value) => (value === null ? 'null' : typeof value)));
    const isKnown = (values: readonly unknown[]) => ['string', 'string,null', 'number'].includes([...kinds(values)].join(','));
    expect(places(({ enum: values }) => values !== undefined && !isKnown(values))).toEqual([]);
    expect(places((part) => part.enum !== undefined && ['minLength', 'maxLength', 'pattern'].some((bound) => bound in part))).toEqual([]);
  });

  test(`The OpenAPI document of the ${name} has no schema whose name begins with the name of an operation, as in CalculateResponse`, () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    const collisions = Object.keys(document.components.schemas).filter((schema) =>
      operations.some((id) => wordsOf(id).every((word, index) => wordsOf(schema)[index] === word)),
    );
    expect(collisions).toEqual([]);
  });

  test(`The OpenAPI document of the ${name} has no header with a default, which generated clients would send`, () =>
    expect(places((part) => 'in' in part && part.in === 'header' && JSON.stringify(part).includes('"default":'))).toEqual([]));

  test(`The OpenAPI document of the ${name} has no two names of schemas and operations that differ only in case and hyphens`, () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    const names = [...operations, ...Object.keys(document.components.schemas)].map((name) => wordsOf(name).join(''));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
