import { z } from 'zod';
import type { Alias } from '../contract/cases.ts';
import type { CaseFixture } from '../contract/fixtures.ts';
import { MESSAGES, type MessageName, RESPONSES_OF } from '../contract/messages.ts';

const STATUS_TEXT: Readonly<Record<string, string>> = {
  '200': 'The fixed response of the case.',
  '409': 'The basket can no longer be finished.',
  '503': 'The dedicated operator is unavailable.',
};

export function responses({ alias, cases, selector }: { alias: Alias; cases: readonly CaseFixture[]; selector: boolean }): Part {
  const statuses = [...new Set(cases.map(({ status }) => status))].filter((status) => status !== 403);
  const byStatus = Object.fromEntries(statuses.map((status) => [status, caseResponse({ alias, cases, status })]));
  return {
    ...byStatus,
    ...(selector ? { '400': badSelector() } : {}),
    '403': forbidden(cases),
    default: jsonResponse({
      description:
        'Ours: whatever is outside the contract. 400 for two Authorization or two Host headers, a body that nests too deeply, or bytes that are not an HTTP request, 405 for another method, 408 for a request that arrives too slowly, 413 for a body over 1 MiB, 431 for headers over 16 KiB, 502 from the portal when it cannot reach the mock.',
      schema: schemaRef('OtherError'),
    }),
  };
}

function caseResponse({ alias, cases, status }: { alias: Alias; cases: readonly CaseFixture[]; status: number }): Part {
  const message = RESPONSES_OF[alias][status];
  if (message === undefined) throw new Error(`${alias} has no message for status ${status}`);
  const those = cases.filter((fixture) => fixture.status === status);
  const headers = Object.fromEntries(
    those.flatMap((fixture) =>
      Object.entries(fixture.headers).map(([name, value]) => [
        name,
        { description: 'Ours (not in the source document): fixed.', schema: { type: 'string' }, example: value },
      ]),
    ),
  );
  return {
    ...jsonResponse({
      description: STATUS_TEXT[status] ?? 'The fixed response of the case.',
      schema: schemaRef(message),
      examples: responseExamples(those),
    }),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
  };
}

/** Two bodies share this status: the denied authorization, and the application's refusal where a case has one. */
function forbidden(cases: readonly CaseFixture[]): Part {
  const refused = cases.filter(({ status }) => status === 403);
  if (refused.length === 0)
    return fixedError('AuthorizationDenied', 'Wrong or absent key, wrong scheme, or a lane that is not authorised.');
  return jsonResponse({
    description: 'Authorization denied. A body with `code` is a refusal by the application.',
    schema: { oneOf: [schemaRef('AuthorizationDenied'), schemaRef('TouchpointRefusal')] },
    examples: { ...responseExamples(refused), denied: { summary: 'Authorization denied', value: fixedErrorBody('AuthorizationDenied') } },
  });
}

function responseExamples(cases: readonly CaseFixture[]): Part {
  return Object.fromEntries(cases.map((fixture) => [`case-${fixture.case}`, { $ref: `#/components/examples/response-${fixture.case}` }]));
}

/** Two bodies share this status too: the contract's, and ours for doubled headers and a body that nests too deeply. */
function badSelector(): Part {
  return jsonResponse({
    description:
      'Good credential and lane; absent, unknown or incompatible X-Mock-Case. Ours: two Authorization or two Host headers, or a body that nests too deeply.',
    schema: { anyOf: [schemaRef('SelectorRefused'), schemaRef('OtherError')] },
    examples: { fixed: { value: fixedErrorBody('SelectorRefused') } },
  });
}

function fixedError(message: 'AuthorizationDenied', description: string): Part {
  return jsonResponse({ description, schema: schemaRef(message), examples: { fixed: { value: fixedErrorBody(message) } } });
}

function fixedErrorBody(message: 'AuthorizationDenied' | 'SelectorRefused'): Part {
  return { error: MESSAGES[message].shape.error.value };
}

function jsonResponse({ description, schema, examples }: { description: string; schema: Part; examples?: Part }): Part {
  return { description, content: { 'application/json': { schema, ...(examples ? { examples } : {}) } } };
}

export /** A part of the document. The linter checks its shape, not the compiler. */
type Part = Readonly<Record<string, unknown>>;

export function schemaRef(message: MessageName): Part {
  return { $ref: `#/components/schemas/${message}` };
}

export function schemas(): Part {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(MESSAGES)) registry.add(schema, { id });
  const { schemas: derived } = z.toJSONSchema(registry, {
    target: 'openapi-3.0',
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // Integers of the contract have no bounds. These two are the bounds of JavaScript.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      // Generators name constants after the values of an enumeration, which is impossible for a boolean and null.
      if (jsonSchema.type === 'boolean') delete jsonSchema.enum;
      if (jsonSchema.nullable === true) nullableEnumeration(jsonSchema);
    },
  });
  return Object.fromEntries(
    Object.entries(derived).map(([name, schema]) => {
      const { $id: _identifiedByItsName, ...rest } = schema;
      return [name, rest];
    }),
  );
}

/**
 * In OpenAPI 3.0 the enumeration of a nullable field has to list null itself. A single number is a range instead, without null in a list of
 * numbers.
 */
function nullableEnumeration(schema: z.core.JSONSchema.BaseSchema): void {
  const [value, ...others] = (schema.enum ?? []).filter((one) => one !== null);
  if (typeof value === 'number' && others.length === 0) {
    delete schema.enum;
    Object.assign(schema, { minimum: value, maximum: value });
  } else if (schema.enum !== undefined) schema.enum = [value, ...others, null] as NonNullable<typeof schema.enum>;
}
