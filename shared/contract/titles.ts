import type { Part } from './json-schemas.ts';

const isPart = (value: unknown): value is Part => typeof value === 'object' && value !== null && !Array.isArray(value);
const partsOf = (value: unknown): readonly Part[] => (Array.isArray(value) ? value.filter(isPart) : []);

export const inPascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');

/** Named schemas with titles. */
export const schemasWithTitles = (schemas: Part): Part => membersWithTitles(schemas, '');

/** An operation with titles in its body, its answers and its parameters. They begin with its name: `create-basket-api` is `CreateBasket`. */
export function operationWithTitles(operation: Part): Part {
  const name = inPascalCase(String(operation['operationId']).replace(/-api$/, ''));
  const { requestBody, responses, parameters } = operation;
  return {
    ...operation,
    ...(Array.isArray(parameters) && {
      parameters: partsOf(parameters).map((parameter) => schemaWithTitle(parameter, `${name}${inPascalCase(String(parameter['name']))}`)),
    }),
    ...(isPart(requestBody) && { requestBody: contentWithTitles(requestBody, `${name}Body`) }),
    responses: Object.fromEntries(
      Object.entries(responses as Part).map(([status, answer]) => [
        status,
        contentWithTitles(answer as Part, status < '300' ? `${name}Answer` : `${name}Refusal${status}`),
      ]),
    ),
  };
}

function contentWithTitles(part: Part, title: string): Part {
  const { content } = part;
  if (!isPart(content)) return part;
  return {
    ...part,
    content: Object.fromEntries(Object.entries(content).map(([type, one]) => [type, schemaWithTitle(one as Part, title)])),
  };
}

const schemaWithTitle = (part: Part, title: string): Part =>
  isPart(part['schema']) ? { ...part, schema: withTitles(part['schema'], title) } : part;

/**
 * The schema with a title for each object, enumeration and union within, because generators number classes without one. A title is the
 * title of the schema around it and the name of the member.
 * @param title of the schema itself, unless it has one
 */
export function withTitles(schema: Part, title: string): Part {
  if (schema['$ref'] !== undefined) return schema;
  const own = typeof schema['title'] === 'string' ? schema['title'] : title;
  const { properties, items, additionalProperties, allOf } = schema;
  return {
    ...(needsTitle(schema) && { title: own }),
    ...(isNamedPart(schema) && { title: nameOfReference(schema) }),
    ...schema,
    ...(isPart(properties) && { properties: membersWithTitles(properties, own) }),
    ...(isPart(items) && { items: withTitles(items, `${own.replace(/Items$/, '')}Item`) }),
    ...(isPart(additionalProperties) && { additionalProperties: withTitles(additionalProperties, `${own}Value`) }),
    ...(Array.isArray(allOf) && { allOf: allOf.map((part) => ({ ...part, ...(isPart(part.properties) && membersOf(part, own)) })) }),
    ...unionWithTitles('oneOf', schema, own),
    ...unionWithTitles('anyOf', schema, own),
  };
}

const membersOf = (part: Part, title: string): Part => ({ properties: membersWithTitles(part['properties'] as Part, title) });

const membersWithTitles = (properties: Part, title: string): Part =>
  Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [
      name,
      isPart(member) ? withTitles(member, `${title}${inPascalCase(name)}`) : member,
    ]),
  );

/** A named schema with a description in this place. */
const isNamedPart = ({ allOf, properties }: Part): boolean =>
  properties === undefined && partsOf(allOf).some(({ $ref }) => $ref !== undefined);

const nameOfReference = ({ allOf }: Part): string =>
  partsOf(allOf).flatMap(
    ({ $ref }) =>
      String($ref ?? '')
        .split('/')
        .at(-1) ?? [],
  )[0] ?? '';

function needsTitle(schema: Part): boolean {
  const isUnion = ['oneOf', 'anyOf'].some((keyword) => alternatives(schema[keyword]).length > 1);
  return schema['type'] === 'object' || isPart(schema['properties']) || schema['enum'] !== undefined || isUnion;
}

/** The schemas of a union without null. */
const alternatives = (union: unknown): readonly Part[] => partsOf(union).filter(({ type }) => type !== 'null');

function unionWithTitles(keyword: 'oneOf' | 'anyOf', schema: Part, title: string): Part {
  const union = partsOf(schema[keyword]);
  if (union.length === 0) return {};
  const isOnly = alternatives(union).length === 1;
  return { [keyword]: union.map((part) => withTitles(part, isOnly ? title : `${title}${nameOfAlternative(part)}`)) };
}

/** The value of the member that distinguishes an alternative, or else the member that it requires. */
function nameOfAlternative({ properties, required, type }: Part): string {
  const members = isPart(properties) ? Object.entries(properties) : [];
  const constant = members.flatMap(([, member]) => (isPart(member) && typeof member['const'] === 'string' ? [member['const']] : []))[0];
  const [first = ''] = Array.isArray(required) ? required : [];
  return inPascalCase(constant ?? (first || String(type ?? '')));
}
