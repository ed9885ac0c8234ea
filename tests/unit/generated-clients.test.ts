import { expect, test } from '@jest/globals';
import { loadTouchpointFixtures } from '../../services/touchpoint-mock/contract/fixtures.ts';
import { touchpointOpenApi } from '../../services/touchpoint-mock/documents/documents.ts';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { estateAsyncApi } from '../../shared/contract/asyncapi/document.ts';
import { applicationContract } from '../../shared/contract/openapi/application-contract.ts';
import { estateOpenApi } from '../../shared/contract/openapi/document.ts';
import { OPTIONS } from '../package/generators.ts';
import { textOf } from '../support/tracked-files.ts';

/** The forms that generators of clients refuse, warn of, or turn into code that does not compile. `npm run test:package` runs the generators. */

interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly properties?: object;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
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

const everyDocument: Readonly<Record<string, object>> = {
  ...documents,
  events: estateAsyncApi('1.2.3', 'memory'),
  ...Object.fromEntries(applicationNames.map((name) => [name, applicationContract(name, '1.2.3')])),
};

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

const kindsOf = (values: readonly unknown[]) => [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))].join(',');

test.each<[string, (part: Schema) => boolean]>([
  ['a $ref together with other members', (part) => part.$ref !== undefined && Object.keys(part).length > 1],
  ['a constant or enumeration of booleans', ({ const: only, enum: values = [] }) => kindsOf([only, ...values]).includes('boolean')],
  ['a list of types, except with null', ({ type }) => Array.isArray(type) && !(type.length === 2 && type.includes('null'))],
  [
    'an enumeration of values other than strings, which may include null, or numbers',
    ({ enum: values }) => values !== undefined && !['string', 'string,null', 'number'].includes(kindsOf(values)),
  ],
  ['an enumeration with bounds', (part) => part.enum !== undefined && ['minLength', 'maxLength', 'pattern'].some((bound) => bound in part)],
  [
    'a header with a default, which generated clients would send',
    (part) => 'in' in part && part.in === 'header' && JSON.stringify(part).includes('"default":'),
  ],
])('The OpenAPI documents have no schema with %s', (_what, isRefused) => {
  for (const document of Object.values(documents)) {
    const all = parts(document, '#');
    expect(all.length).toBeGreaterThan(100);
    expect(all.filter(([, part]) => isRefused(part)).map(([place]) => place)).toEqual([]);
  }
});

test.each(Object.entries(documents))(
  'The OpenAPI document of the %s has schemas and operations whose names stay distinct in generated code',
  (_name, document) => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    const schemas = Object.keys(document.components.schemas);
    const startsWith = (schema: string, id: string) => wordsOf(id).every((word, index) => wordsOf(schema)[index] === word);
    // As in CalculateResponse.
    expect(schemas.filter((schema) => operations.some((id) => startsWith(schema, id)))).toEqual([]);
    const names = [...operations, ...schemas].map((name) => wordsOf(name).join(''));
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  },
);

test.each(Object.entries(everyDocument))(
  'The document of the %s titles each object, enumeration and union, so that generators number no class',
  (_name, document) => {
    const titled = parts(JSON.parse(JSON.stringify(document)), '#').filter(
      ([place, part]) => !/\/(?:if|then|else|not|securitySchemes)(?:\/|$)|\/allOf\/\d+$/.test(place) && needsClass(part),
    );
    expect(titled.length).toBeGreaterThan(2);
    expect(titled.filter(([, { title }]) => !/^[A-Z][A-Za-z0-9]*$/.test(title ?? '')).map(([place]) => place)).toEqual([]);
    const byTitle = Map.groupBy(titled, ([, { title }]) => title);
    const ambiguous = [...byTitle].filter(([, same]) => new Set(same.map(([, part]) => JSON.stringify(part))).size > 1);
    expect(ambiguous.map(([title, same]) => [title, ...same.map(([place]) => place)])).toEqual([]);
  },
);

test.each(Object.entries(documents))(
  'The OpenAPI document of the %s has each inline object in one place, because a generator refuses two classes with one name',
  (_name, document) => {
    const objects = parts(document, '#').filter(([, part]) => part.properties !== undefined && part.title !== undefined);
    const twice = [...Map.groupBy(objects, ([, { title }]) => title)].filter(([, same]) => same.length > 1);
    expect(twice.map(([title, same]) => [title, ...same.map(([place]) => place)])).toEqual([]);
  },
);

/** Whether generators make a class or a type of a schema. A schema within `allOf` belongs to the schema around it. */
function needsClass({ type, properties, enum: values, anyOf, oneOf }: Schema): boolean {
  const alternatives = [...(anyOf ?? []), ...(oneOf ?? [])].filter((one) => one.type !== 'null');
  return type === 'object' || properties !== undefined || values !== undefined || alternatives.length > 1;
}

test.each(Object.entries(everyDocument))(
  'The document of the %s has no pattern with a bare or escaped slash, which ends a literal or is escaped twice in generated code',
  (_name, document) => {
    const withSlash = parts(document, '#').filter(([, { pattern = '' }]) =>
      pattern.replaceAll(/\[(?:\\[^/]|[^\]\\])*\]/g, '').includes('/'),
    );
    expect(withSlash.map(([place, { pattern }]) => [place, pattern])).toEqual([]);
  },
);

test('The guide to generated clients prints every option that the tests give to a generator', () => {
  const guide = textOf('docs/how-to/install-the-package.md');
  const options = Object.values(OPTIONS).flatMap((each) => Object.entries(each).map(([name, value]) => `\`${name}: ${value}\``));
  expect(options.filter((option) => !guide.includes(option))).toEqual([]);
});
