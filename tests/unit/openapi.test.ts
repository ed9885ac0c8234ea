import { expect, test } from '@jest/globals';
import { apis } from '../../shared/catalog/apis.ts';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { OPEN_LISTS } from '../../shared/catalog/control/drift.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import { type ApiDefinition, changesSomething, isMutating, namesRehearsal } from '../../shared/catalog/define.ts';
import { dependencyProblems, problems } from '../../shared/catalog/problems.ts';
import { applicationContract } from '../../shared/contract/openapi/application-contract.ts';
import { estateOpenApi } from '../../shared/contract/openapi/document.ts';
import { problemMeanings } from '../../shared/contract/tables/problem-meanings.ts';
import { type Schema, schemasOf } from '../support/json-schema.ts';

interface Operation {
  readonly operationId: string;
  readonly security: readonly Record<string, unknown>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Record<string, { schema: Record<string, unknown>; example?: unknown }>;
  };
  readonly responses: Readonly<Record<string, Coded & { readonly $ref?: string }>>;
  readonly 'x-dry-run'?: Coded;
}
interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}
interface Coded {
  readonly content?: Record<string, { readonly schema: Record<string, unknown>; readonly example?: unknown }>;
  readonly description?: string;
  readonly 'x-problem-codes'?: readonly string[];
}

const document = estateOpenApi('1.2.3') as {
  openapi: string;
  info: { version: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Record<string, unknown>>;
    responses: Record<string, Coded>;
    parameters?: Record<string, Parameter>;
    headers?: Record<string, Parameter>;
  };
};
const publicApis = Object.values(apis) as readonly ApiDefinition[];

function operationOf({ method, path }: { readonly method: string; readonly path: string }): Operation {
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${method} ${path} is not described.`);
  return operation;
}

function codesOf(operation: Operation): string[] {
  return Object.values(operation.responses).flatMap((response) => {
    const named = response.$ref?.split('/').at(-1);
    return [...((named === undefined ? response : document.components.responses[named])?.['x-problem-codes'] ?? [])];
  });
}

test('The OpenAPI document is OpenAPI 3.1, and describes the public APIs and the control plane, and no call between services', () => {
  expect([document.openapi, document.info.version]).toEqual(['3.1.0', '1.2.3']);
  const described = Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  expect(described.toSorted()).toEqual([...publicApis.map(({ id }) => id), ...Object.keys(controlOperations)].toSorted());
  expect(Object.keys(document.paths).filter((path) => path.startsWith('/internal'))).toEqual([]);
});

test.each(publicApis.map((api) => [api.id, api] as const))(
  'The OpenAPI document requires the credential and the parameters of %s',
  (_id, api) => {
    const { security, parameters } = operationOf(api);
    const schemes = {
      none: [],
      // With OAuth as an alternative, clients of openapi-generator send the token without `Bearer`.
      bearer: [{ bearer: [] }],
      'api-key': [{ apiKey: [] }],
      signature: [{ signature: [] }],
    };
    expect(security).toEqual(schemes[api.auth]);
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
    expect(inPath).toEqual(api.path.match(/\{\w+\}/g) ?? []);
    expect(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)).toEqual([
      ...Object.keys(api.query.shape),
      ...(changesSomething(api) ? ['dryRun'] : []),
    ]);
    const refs = parameters.flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? []);
    expect(refs.includes('IdempotencyKey')).toBe(isMutating(api) && api.auth !== 'signature');
    expect(refs.includes('Rehearsal')).toBe(!namesRehearsal(api));
    expect(refs).toContain('CorrelationId');
  },
);

test('The OpenAPI document describes the answer to a dry run beside the responses, whose type generated clients give to the call', () => {
  const content = { 'application/vnd.estate.dry-run+json': { schema: { $ref: '#/components/schemas/DryRun' } } };
  for (const api of publicApis) {
    const { 'x-dry-run': dryRun, responses } = operationOf(api);
    expect([api.id, dryRun?.content]).toEqual([api.id, changesSomething(api) ? content : undefined]);
    expect([api.id, JSON.stringify(responses).includes('DryRun')]).toEqual([api.id, false]);
  }
});

test('The OpenAPI document promises a success for a natural repeat only of the operations that answer one', () => {
  const promising = publicApis.filter((api) => {
    const { responses } = operationOf(api);
    const texts = Object.values(responses).map(({ description = '' }) => description);
    return texts.some((text) => text.includes('earlier') || text.includes('Already done'));
  });
  expect(promising.map(({ id }) => id).toSorted()).toEqual([
    ...[
      'allocate-inventory-api',
      'authorize-payment-api',
      'cancel-order-api',
      'carrier-webhook',
      'checkout-basket-api',
      'confirm-order-api',
    ],
    ...['confirm-reservation-api', 'create-basket-api', 'create-customer-api', 'create-order-api', 'create-picking-order-api'],
    ...['create-return-api', 'dispatch-fulfillment-order-api'],
    ...[
      'earn-points-api',
      'generate-label-api',
      'hand-over-collection-api',
      'issue-loyalty-points-api',
      'note-refund-result-api',
      'redeem-loyalty-points-api',
    ],
    ...['redeem-points-api', 'refund-payment-api', 'release-reservation-api', 'reserve-inventory-api', 'route-order-api'],
    ...['update-picking-status-api', 'void-payment-api', 'void-transaction-api'],
  ]);
  for (const api of publicApis.filter((one) => !promising.includes(one))) {
    const successes = Object.keys(operationOf(api).responses).filter((status) => status < '300');
    expect([api.id, successes]).toEqual([api.id, [String(api.status)]]);
  }
});

test.each(publicApis.map((api) => [api.id, api] as const))(
  'The OpenAPI document names every refusal of %s, its own and those by the gateway, each under its status',
  (_id, api) => {
    const operation = operationOf(api);
    const ofAll = ['malformed_request', 'validation_failed', ...dependencyProblems] as const;
    const codes = [...api.problems, ...ofAll, ...(isMutating(api) ? (['contention', 'store_full', 'rehearsal_full'] as const) : [])];
    expect(codesOf(operation)).toEqual(expect.arrayContaining(codes));
    const statuses = Object.keys(operation.responses).map(Number);
    for (const code of codes) expect(statuses).toContain(problems[code].status);
  },
);

test('The OpenAPI document names the refusal of a credential for another rehearsal, also for APIs that need no credential', () => {
  const refusing = publicApis.filter((api) => codesOf(operationOf(api)).includes('forbidden'));
  const others = publicApis.filter((api) => !refusing.includes(api));
  expect(refusing.filter(({ auth }) => auth === 'none').length).toBeGreaterThan(1);
  expect(others.map(({ id }) => id).toSorted()).toEqual(['carrier-webhook', 'collection-code', 'label-document']);
});

test('The OpenAPI document names for every control operation that its store may be unavailable', () => {
  for (const control of Object.values(controlOperations)) expect(codesOf(operationOf(control))).toContain('dependency_unavailable');
});

test('The OpenAPI document has the refusal of a stale version for APIs whose path has a GET', () => {
  const conditional = publicApis.filter((api) => codesOf(operationOf(api)).includes('version_mismatch'));
  const paths = conditional.filter(({ method }) => method === 'GET').map(({ path }) => path);
  expect(paths.toSorted()).toEqual([
    ...['/baskets/{id}', '/customers/{id}', '/fulfillment/orders/{id}', '/members/{id}/balance', '/orders/{id}', '/products/{id}'],
    '/shipments/{id}/tracking',
  ]);
  for (const api of conditional) expect(JSON.stringify(operationOf(api).parameters)).toContain('#/components/parameters/IfMatch');
});

test('The OpenAPI document defines a refusal of both gateway and applications once', () => {
  const inPlace = Object.values(document.paths).flatMap((item) =>
    Object.values(item).flatMap(({ responses }) =>
      Object.entries(responses).filter(([status, { $ref }]) => Number(status) >= 500 && !$ref),
    ),
  );
  expect(inPlace).toEqual([]);
});

test('The OpenAPI document describes each open list, and no other enumeration, as one that may gain values', () => {
  const described = Object.entries(document.components.schemas).filter(([, { description }]) =>
    /May gain values\.$/.test(`${description}`),
  );
  expect(described.map(([name]) => name)).toEqual(OPEN_LISTS.toSorted());
  expect(document.components.schemas['Channel']).toMatchObject({ description: 'Sales channel. May gain values.' });
});

test('The OpenAPI document closes requests, marks optional ones, leaves responses open, and omits members that only applications send', () => {
  const request = operationOf(apis['create-basket-api']).requestBody?.content['application/json']?.schema;
  expect(request?.['additionalProperties']).toBe(false);
  expect(document.components.schemas['Basket']).not.toHaveProperty('additionalProperties');
  const bodies = (['capture-payment-api', 'create-order-api', 'confirm-order-api'] as const).map((id) => operationOf(apis[id]).requestBody);
  expect(bodies.map((body) => body?.required)).toEqual([false, true, undefined]);
  expect(JSON.stringify(bodies)).not.toContain('#/components/schemas/Basket');
});

test('The OpenAPI document shows an example of every body and of every JSON answer', () => {
  const shown = Object.values(document.paths).flatMap((item) => Object.values(item));
  const without = shown.flatMap(({ operationId, requestBody, responses }) => {
    const contents = [
      requestBody?.content,
      ...Object.entries(responses).flatMap(([status, { content }]) => (status < '300' ? [content] : [])),
    ];
    return contents.some((content) => content?.['application/json'] && content['application/json'].example === undefined)
      ? [operationId]
      : [];
  });
  expect(without).toEqual([]);
});

test('The schema of a refusal describes the members in the table of problems and in the examples', () => {
  const { properties } = document.components.schemas['Problem'] as { readonly properties: Record<string, unknown> };
  const causes = Object.values(problemMeanings).flat().join(' ');
  const named = new Set([...causes.matchAll(/`([a-z]+[A-Za-z]*)(?:\[\])?`/g)].map(([, name = '']) => name));
  const values = ['amount', 'failed', 'swap'];
  expect([...named].filter((name) => !Object.hasOwn(properties, name)).sort()).toEqual(values);
  const ofOneRefusal = ['allowedScans', 'application', 'available', 'fulfillmentOrderId', 'loyaltyAccountId', 'rehearsal', 'requested'];
  const refusals = Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .flatMap(({ responses }) => Object.values(responses).map(({ content }) => content?.['application/problem+json']?.example ?? {}));
  const shown = new Set(refusals.flatMap((example) => Object.keys(example)));
  expect([...shown].filter((name) => !Object.hasOwn(properties, name)).sort()).toEqual(ofOneRefusal);
});

/** Importers invent a value for a header or a path parameter without an example, which then names nothing. */
test('The OpenAPI documents show an example of every header and of every path parameter, which its schema accepts', () => {
  for (const each of [document, ...applicationNames.map((name) => applicationContract(name, '1.2.3'))] as (typeof document)[]) {
    const { parameters: shared = {}, headers = {} } = each.components;
    const inPaths = Object.values(each.paths).flatMap((item) => Object.values(item).flatMap(({ parameters }) => parameters));
    const described = [...Object.values(shared), ...Object.values(headers), ...inPaths.filter((one) => one.in === 'path')];
    expect(described.length).toBeGreaterThan(5);
    const { misfit } = schemasOf(each);
    const misfits = described.map(({ name, schema = {}, example }) => [name, misfit(schema, example)]);
    expect(misfits.filter(([, why]) => why !== undefined)).toEqual([]);
  }
});
