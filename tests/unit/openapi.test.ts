import { expect, test } from '@jest/globals';
import { apis } from '../../shared/catalog/apis.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import { type ApiDefinition, isMutating, namesRehearsal } from '../../shared/catalog/define.ts';
import { dependencyProblems, problems } from '../../shared/catalog/problems.ts';
import { estateOpenApi } from '../../shared/contract/openapi/document.ts';

interface Operation {
  readonly operationId: string;
  readonly security: readonly Record<string, unknown>[];
  readonly parameters: readonly { readonly $ref?: string; readonly name?: string; readonly in?: string }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Record<string, { schema: Record<string, unknown> }> };
  readonly responses: Readonly<Record<string, Coded & { readonly $ref?: string }>>;
}
interface Coded {
  readonly content?: Record<string, { readonly schema: Record<string, unknown> }>;
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
  };
};
const publicApis = Object.values(apis) as readonly ApiDefinition[];

function operationOf({ method, path }: { readonly method: string; readonly path: string }): Operation {
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${method} ${path} is not described.`);
  return operation;
}

/** The problem codes of an operation, inline or referenced. */
function codesOf(operation: Operation): string[] {
  return Object.values(operation.responses).flatMap((response) => {
    const named = response.$ref?.split('/').at(-1);
    return [...((named === undefined ? response : document.components.responses[named])?.['x-problem-codes'] ?? [])];
  });
}

test('The OpenAPI document is OpenAPI 3.1 and carries the version of the package', () => {
  expect(document.openapi).toBe('3.1.0');
  expect(document.info.version).toBe('1.2.3');
});

test('The OpenAPI document describes the public APIs and the control plane, and no call between services', () => {
  const described = Object.values(document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  expect(described.toSorted()).toEqual([...publicApis.map(({ id }) => id), ...Object.keys(controlOperations)].toSorted());
  expect(Object.keys(document.paths).filter((path) => path.startsWith('/internal'))).toEqual([]);
});

test.each(publicApis.map((api) => [api.id, api] as const))(
  'The OpenAPI document requires the credential and the parameters of %s',
  (_id, api) => {
    const { security, parameters } = operationOf(api);
    const schemes = { none: [], bearer: [{ bearer: [] }], 'api-key': [{ apiKey: [] }], signature: [{ signature: [] }] };
    expect(security).toEqual(schemes[api.auth]);
    const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
    expect(inPath).toEqual(api.path.match(/\{\w+\}/g) ?? []);
    expect(parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)).toEqual(Object.keys(api.query.shape));
    const refs = parameters.flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? []);
    expect(refs.includes('IdempotencyKey')).toBe(isMutating(api) && api.auth !== 'signature');
    expect(refs.includes('Rehearsal')).toBe(!namesRehearsal(api));
    expect(refs).toContain('CorrelationId');
  },
);

test('The OpenAPI document promises a success for a natural repeat only of the operations that answer one', () => {
  const promising = publicApis.filter((api) => {
    const { responses } = operationOf(api);
    const texts = Object.values(responses).map(({ description = '' }) => description);
    return texts.some((text) => text.includes('earlier') || text.includes('Already done'));
  });
  expect(promising.map(({ id }) => id).toSorted()).toEqual([
    ...['allocate-inventory-api', 'cancel-order-api', 'carrier-webhook', 'checkout-basket-api', 'confirm-order-api'],
    ...['confirm-reservation-api', 'create-order-api', 'create-picking-order-api', 'dispatch-fulfillment-order-api'],
    ...['earn-points-api', 'generate-label-api', 'issue-loyalty-points-api', 'redeem-loyalty-points-api'],
    ...['redeem-points-api', 'release-reservation-api', 'reserve-inventory-api', 'route-order-api'],
    ...['update-picking-status-api', 'void-payment-api', 'void-transaction-api'],
  ]);
  for (const api of publicApis.filter((one) => !promising.includes(one))) {
    const successes = Object.keys(operationOf(api).responses).filter((status) => status < '300');
    expect([api.id, successes]).toEqual([api.id, [String(api.status)]]);
  }
});

test.each(publicApis.map((api) => [api.id, api] as const))(
  'The OpenAPI document names every refusal that %s declares, each under its status',
  (_id, api) => {
    const operation = operationOf(api);
    expect(codesOf(operation)).toEqual(expect.arrayContaining([...api.problems, 'malformed_request', 'validation_failed']));
    const statuses = Object.keys(operation.responses).map(Number);
    for (const code of api.problems) expect(statuses).toContain(problems[code].status);
  },
);

test.each(publicApis.map((api) => [api.id, api] as const))(
  'The OpenAPI document names what the gateway answers when %s cannot be reached',
  (_id, api) => {
    const operation = operationOf(api);
    expect(codesOf(operation)).toEqual(
      expect.arrayContaining([...dependencyProblems, ...(isMutating(api) ? ['contention', 'store_full', 'rehearsal_full'] : [])]),
    );
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['502', '503', '504']));
  },
);

test.each(Object.values(controlOperations).map((control) => [control.id, control] as const))(
  'The OpenAPI document names the store that does not answer %s',
  (_id, control) => {
    expect(codesOf(operationOf(control))).toContain('dependency_unavailable');
  },
);

test('The OpenAPI document has the refusal of a stale version for APIs whose path has a GET', () => {
  const conditional = publicApis.filter((api) => codesOf(operationOf(api)).includes('version_mismatch'));
  const paths = conditional.filter(({ method }) => method === 'GET').map(({ path }) => path);
  expect(paths.toSorted()).toEqual([
    ...['/customers/{id}', '/fulfillment/orders/{id}', '/members/{id}/balance', '/orders/{id}', '/products/{id}'],
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

test('The OpenAPI document closes requests and leaves responses open', () => {
  const request = operationOf(apis['create-basket-api']).requestBody?.content['application/json']?.schema;
  expect(request?.['additionalProperties']).toBe(false);
  expect(document.components.schemas['Basket']).not.toHaveProperty('additionalProperties');
});

test('The OpenAPI document omits members that only applications send', () =>
  expect(JSON.stringify(operationOf(apis['create-order-api']).requestBody)).not.toContain('#/components/schemas/Basket'));

test.each([
  ['the shipping prices and the limit for free shipping', '4.90 EUR, EXPRESS 9.90 EUR; both are free from 50.00 EUR'],
  ['promotions that are not stackable', 'A promotion that is not stackable applies only to lines without a promotion'],
  ['the order of tenders in refunds', 'in this sequence: card, bnpl, gift-card, cash, loyalty, exchange-credit'],
  ['the rounding of the value of returned units', 'lineTotal × n ÷ qty, rounded down'],
  ['the sharing of discounts', 'by largest remainder'],
  ['the days of receipts', 'day in UTC'],
  ['a ttlSeconds that changes nothing', 'whose reservation expires with the checkout'],
  ['a contact that changes nothing', 'names a registered customer, contact has no effect'],
  ['the limit of renewed authorisations', 'up to 30 days after the order was created'],
])('The OpenAPI document states %s', (_what, sentence) => expect(JSON.stringify(document)).toContain(sentence));

test('The OpenAPI document marks optional bodies', () => {
  expect(operationOf(apis['capture-payment-api']).requestBody?.required).toBe(false);
  expect(operationOf(apis['create-order-api']).requestBody?.required).toBe(true);
  expect(operationOf(apis['confirm-order-api']).requestBody).toBeUndefined();
});

test('The OpenAPI document contains every referenced component', () => {
  const refs = new Set([...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, ref = '']) => ref));
  const at = (ref: string): unknown =>
    ref.split('/').reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], document);
  expect(refs.size).toBeGreaterThan(20);
  expect([...refs].filter((ref) => at(ref) === undefined)).toEqual([]);
});

test('The OpenAPI document shows an example of every body and of every JSON answer', () => {
  const shown = Object.values(document.paths).flatMap((item) => Object.values(item));
  const without = shown.flatMap(({ operationId, requestBody, responses }) => {
    const contents = [
      requestBody?.content,
      ...Object.entries(responses).flatMap(([status, { content }]) => (status < '300' ? [content] : [])),
    ];
    return contents.some((content) => content?.['application/json'] && !('example' in content['application/json'])) ? [operationId] : [];
  });
  expect(without).toEqual([]);
});
