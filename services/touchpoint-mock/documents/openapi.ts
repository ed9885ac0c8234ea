import { z } from 'zod';
import { ALIAS_NAMES, ALIASES, type Alias, INVALID_SELECTOR, scenarioPath } from '../contract/cases.ts';
import type { CaseFixture, TouchpointFixtures } from '../contract/fixtures.ts';
import { MESSAGES, type MessageName, REQUEST_OF, RESPONSES_OF } from '../contract/messages.ts';

/** A part of the document. Its shape is the specification's; the linter of the tests checks it, not the compiler. */
type Part = Readonly<Record<string, unknown>>;

const DESCRIPTION = `A simulation of the touchpoint basket interface: fixed responses, chosen by a selector. It calculates no
prices, asks no loyalty service, parks no baskets and keeps no state.

Checks run in this order: the credential, the lane in \`touchpointId\`, the selector. Only \`touchpointId\` and \`basketId\` are
echoed; everything else of a response is the same every time. Through the portal the paths have the prefix \`/mock\`; the mock itself and
real installations have the same paths without it.

Fields whose description starts with "Ours" are not shown in the source document; a real installation may name them differently.`;

const ALIAS_TEXT: Readonly<Record<Alias, { readonly summary: string; readonly description: string }>> = {
  calculate: {
    summary: 'Calculate a basket',
    description: 'Sends the current lines and optionally one line to add. Rejected lines must be looked at even on HTTP 200.',
  },
  finish: {
    summary: 'Finish a basket',
    description: 'Confirms the basket as last calculated. A stale digest is reported on HTTP 200 and asks for confirmation again.',
  },
};

const STATUS_TEXT: Readonly<Record<string, string>> = {
  '200': 'The fixed response of the case.',
  '409': 'The basket can no longer be finished.',
  '503': 'The dedicated operator is unavailable.',
};

/** Where the paths are for a reader who has the document from there. */
export const SERVERS = {
  mock: { url: '/', description: 'The mock that serves this document.' },
  portal: { url: '/mock', description: 'The mock, through the portal that serves this document.' },
} as const;

/** The contract as OpenAPI 3.0.3, with the fixtures as its examples. */
export function touchpointOpenApi({ cases }: TouchpointFixtures, from: keyof typeof SERVERS = 'mock'): Part {
  const aliases = ALIAS_NAMES.map((alias) => [ALIASES[alias].path, { post: aliasOperation(alias, cases) }] as const);
  const scenarios = cases.map((fixture) => [scenarioPath(fixture.case), { post: scenarioOperation(fixture) }] as const);
  return {
    openapi: '3.0.3',
    info: {
      title: 'Touchpoint basket interface (mock)',
      version: '0.2.0',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [SERVERS[from]],
    security: [{ storeKey: [] }],
    tags: [
      { name: 'aliases', description: 'The two paths of a real installation. Here X-Mock-Case selects the response.' },
      { name: 'scenarios', description: 'One path per case; the path implies the selector.' },
    ],
    paths: Object.fromEntries([...aliases, ...scenarios]),
    components: {
      securitySchemes: {
        storeKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'Store API key, a plain bearer credential. There is no token to request or renew.',
        },
      },
      schemas: schemas(),
      examples: Object.fromEntries(
        cases.flatMap((fixture) => [
          [`request-${fixture.case}`, { summary: `${fixture.case}: ${fixture.title}`, value: fixture.request }],
          [`response-${fixture.case}`, { summary: `${fixture.case}: ${fixture.title}`, value: fixture.response }],
        ]),
      ),
    },
  };
}

function aliasOperation(alias: Alias, cases: readonly CaseFixture[]): Part {
  const own = cases.filter((fixture) => fixture.alias === alias);
  return {
    operationId: alias,
    tags: ['aliases'],
    ...ALIAS_TEXT[alias],
    parameters: [selectorParameter(alias)],
    requestBody: requestBody(alias, own),
    responses: responses({ alias, cases: own, selector: true }),
  };
}

function scenarioOperation(fixture: CaseFixture): Part {
  return {
    operationId: `case-${fixture.case}`,
    tags: ['scenarios'],
    summary: `${fixture.case}: ${fixture.title}`,
    description: `The same answer as ${ALIASES[fixture.alias].path} with \`X-Mock-Case: ${fixture.case}\`. That header is not looked at here.`,
    requestBody: requestBody(fixture.alias, [fixture]),
    responses: responses({ alias: fixture.alias, cases: [fixture], selector: false }),
  };
}

function selectorParameter(alias: Alias): Part {
  const { cases, prefilled } = ALIASES[alias];
  return {
    name: 'X-Mock-Case',
    in: 'header',
    required: true,
    description: `Mock only: which case to answer with. Remove it when talking to a real installation. ${INVALID_SELECTOR} always gives 400.`,
    schema: { type: 'string', enum: alias === 'calculate' ? [...cases, INVALID_SELECTOR] : [...cases] },
    example: prefilled,
  };
}

function requestBody(alias: Alias, cases: readonly CaseFixture[]): Part {
  const examples = Object.fromEntries(
    cases.map((fixture) => [`case-${fixture.case}`, { $ref: `#/components/examples/request-${fixture.case}` }]),
  );
  return { required: true, content: { 'application/json': { schema: schemaRef(REQUEST_OF[alias]), examples } } };
}

function responses({ alias, cases, selector }: { alias: Alias; cases: readonly CaseFixture[]; selector: boolean }): Part {
  const statuses = [...new Set(cases.map(({ status }) => status))].filter((status) => status !== 403);
  const byStatus = Object.fromEntries(statuses.map((status) => [status, caseResponse({ alias, cases, status })]));
  return {
    ...byStatus,
    ...(selector ? { '400': badSelector() } : {}),
    '403': forbidden(cases),
    default: jsonResponse({
      description:
        'Ours: what lies outside the contract. 400 for a body that nests too deeply, 405 for another method, 413 for a body over 1 MiB, 502 from the portal when it cannot reach the mock.',
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
    description: 'Authorization denied, or, told apart by its code, the refusal of the application.',
    schema: { oneOf: [schemaRef('AuthorizationDenied'), schemaRef('TouchpointRefusal')] },
    examples: { ...responseExamples(refused), denied: { summary: 'Authorization denied', value: fixedErrorBody('AuthorizationDenied') } },
  });
}

function responseExamples(cases: readonly CaseFixture[]): Part {
  return Object.fromEntries(cases.map((fixture) => [`case-${fixture.case}`, { $ref: `#/components/examples/response-${fixture.case}` }]));
}

/** Two bodies share this status too: the contract's, and ours for a body that nobody reads. */
function badSelector(): Part {
  return jsonResponse({
    description: 'Good credential and lane; absent, unknown or incompatible X-Mock-Case. Ours: a body that nests too deeply.',
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

function schemaRef(message: MessageName): Part {
  return { $ref: `#/components/schemas/${message}` };
}

function schemas(): Part {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(MESSAGES)) registry.add(schema, { id });
  const { schemas: derived } = z.toJSONSchema(registry, {
    target: 'openapi-3.0',
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // In OpenAPI 3.0 an enumeration of a nullable field has to list null itself.
      if (jsonSchema.nullable === true && jsonSchema.enum?.includes(null) === false) jsonSchema.enum.push(null);
      // Integers of the contract have no bounds; these two are JavaScript's.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return Object.fromEntries(
    Object.entries(derived).map(([name, schema]) => {
      const { $id: _identifiedByItsName, ...rest } = schema;
      return [name, rest];
    }),
  );
}
