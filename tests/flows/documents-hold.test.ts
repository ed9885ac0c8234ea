import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Agent, type Dispatcher, request } from 'undici';
import { estateOpenApi } from '../../shared/contract/openapi/document.ts';
import { type Asked, describedBy, METHODS, type OpenApiDocument } from '../support/described.ts';
import { runsOf, someOf } from '../support/effort.ts';
import { ADMIN, estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** Generated here instead of fetched: a test of the gateway compares both. */
const document = estateOpenApi('0.0.0') as unknown as OpenApiDocument;
const { operations, fittingRequests, misfittingRequests, complaint } = describedBy(document);
const agent = new Agent({ connections: 16 });
afterAll(() => agent.close());

/** Refusals for the state of the rehearsal, possible for requests that fit the schema. */
const ABOUT_STATE = new Set([400, 402, 404, 409, 412, 429]);
/** What a schema can express. Any other mistake contradicts the rehearsal, its clock or another value. */
const OF_SCHEMAS = new Set([
  ...['validation_failed', 'malformed_request', 'required', 'unknown_member', 'invalid_type', 'invalid_value', 'invalid_format'],
  ...['invalid_union', 'invalid_key', 'invalid_element', 'not_multiple_of', 'too_small', 'too_big', 'not_text', 'does_not_fit'],
]);
/** A merge patch is validated after the merge, when the whole object is known, and the names of a check when its application is known. */
const isValidatedLater = (id: string): boolean => /^change-.*-by-hand$/.test(id) || id === 'check-system';
/** Valid targets of faults, because random members are rarely a valid combination. */
const match = [
  { api: 'get-product-api' },
  { application: 'oms' },
  { application: 'payment-hub', api: 'capture-payment-api' },
  { event: 'payment-authorized' },
  { event: 'ext.order-changed', subject: 'order/nothing' },
  { webhook: 'carrier', status: 'delivered' },
  { webhook: 'carrier' },
];
const ABSENT = ['nothing'];
/** Values that name no object, for requests that are refused before the lookup. */
const NOTHING: Record<string, readonly unknown[]> = {
  id: ABSENT,
  name: ABSENT,
  sku: ABSENT,
  code: ['NOTHING'],
  rehearsal: ['default'],
  match,
};

type Operation = (typeof operations)[number];

async function ask({ method }: Pick<Operation, 'method'>, { path, headers, body }: Asked, credential: Record<string, string>) {
  const response = await request(`${estate.gateway}${path}`, {
    method: method as 'GET',
    headers: { ...headers, ...credential, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
    dispatcher: agent,
  });
  const text = await textOf(response);
  const contentType = response.headers['content-type'] as string | undefined;
  const answer = { status: response.statusCode, contentType, text, headers: response.headers };
  const exchange = `${method} ${path} ${JSON.stringify(credential)} ${JSON.stringify(body)?.slice(0, 500)}: ${answer.status} ${text.slice(0, 500)}`;
  return { ...answer, exchange };
}

/** Reads only the first bytes, because a stream does not end. */
async function textOf({ headers, body }: Dispatcher.ResponseData): Promise<string> {
  if (!String(headers['content-type']).startsWith('text/event-stream')) return body.text();
  for await (const chunk of body) return String(chunk);
  return '';
}

function credentialOf({ schemes: [scheme] }: Operation, rehearsal: TestRehearsal): Record<string, string> {
  if (scheme === 'apiKey') return { 'x-api-key': rehearsal.credentials.apiKey };
  if (scheme === 'control') return { authorization: `Bearer ${ADMIN}`, 'x-rehearsal': rehearsal.name };
  return scheme === 'bearer' ? { authorization: `Bearer ${rehearsal.credentials.bearer}` } : {};
}

/** Objects of a rehearsal, by the names under which requests refer to them. */
async function somethingOfEach(rehearsal: TestRehearsal): Promise<Record<string, readonly unknown[]>> {
  const basket = await rehearsal.basket({ qty: 1 });
  const { orderId } = await rehearsal.checkedOut(basket.id, { placeOrder: true });
  const open = await rehearsal.basket({ qty: 1 });
  const payment = await rehearsal.authorisation(orderId);
  const reservation = await rehearsal.api('reserve-inventory-api', { body: { items: [{ sku: 'mug-blue', qty: 1 }] } });
  return {
    id: [basket.id, open.id, orderId, payment.id, reservation.id, 'cus_ada', 'loy_ada', 'mug-blue', 'nothing'],
    basketId: [basket.id, open.id],
    orderId: [orderId],
    customerId: ['cus_ada'],
    loyaltyId: ['loy_ada'],
    sku: ['mug-blue'],
    currency: ['EUR'],
    timeoutMs: [0, 20],
    'X-Rehearsal': [rehearsal.name],
    code: ['WELCOME10', 'NOTHING'],
    ms: [1],
    parties: [2],
    url: ['http://127.0.0.1:9/events'],
    match,
  };
}

/** Random requests per operation; they differ in each run. */
const RUNS = runsOf({ usually: 2, thoroughly: 6 });
/** Operations that get valid requests. Each needs a rehearsal with objects of every type. */
const tried = new Set(someOf(operations, 0.4));

/** A request of an operation that fits its schema, for no rehearsal by name. */
function sample(operation: Operation): Asked {
  const [asked] = fc.sample(
    fittingRequests(operation, (name) => NOTHING[name]),
    { numRuns: 1 },
  );
  if (!asked) throw new Error('There is no request to be made.');
  const { 'x-rehearsal': _of, ...headers } = asked.headers;
  return { ...asked, headers };
}

const DEMO: Readonly<Record<string, Record<string, string>>> = {
  control: { authorization: `Bearer ${ADMIN}` },
  apiKey: { 'x-api-key': 'demo-carrier-key' },
  bearer: { authorization: 'Bearer demo-integration-token' },
};

describe.each(operations.map((operation) => [operation.id, operation] as const))('OpenAPI document of %s', (id, operation) => {
  const { schemes } = operation;
  const testTried = tried.has(operation) ? test : undefined;
  testTried?.(`The OpenAPI document describes every answer of ${id}, and fitting requests are not refused as malformed`, async () => {
    await using rehearsal = await newRehearsal();
    const credential = credentialOf(operation, rehearsal);
    const known = await somethingOfEach(rehearsal);
    const made: string[] = [];
    const run = async (asked: Asked): Promise<void> => {
      const answer = await ask(operation, asked, credential);
      const { status, text, exchange } = answer;
      if (id === 'create-rehearsal' && status === 201) made.push(JSON.parse(text).name);
      expect([exchange, complaint(operation, answer)]).toEqual([exchange, undefined]);
      const { code, errors = [] } = status >= 400 ? JSON.parse(text) : { code: undefined };
      const codes: string[] = [code, ...errors.map((error: { code: string }) => error.code)];
      const isBeyondSchemas = code === 'outbound_refused' || (status === 422 && codes.some((one) => !OF_SCHEMAS.has(one)));
      // 304 answers `If-None-Match: *`.
      const fits = status < 400 || ABOUT_STATE.has(status) || isBeyondSchemas || isValidatedLater(id);
      const unsigned = schemes.includes('signature') && status === 401;
      expect([exchange, fits || unsigned]).toEqual([exchange, true]);
      if (id === 'put-fault') await rehearsal.noFaults();
    };
    try {
      const requests = fittingRequests(operation, (name) => known[name]);
      await fc.assert(fc.asyncProperty(requests, run), { numRuns: RUNS, endOnFailure: true });
    } finally {
      for (const name of made) await rehearsal.control('delete-rehearsal', { params: { name } });
    }
  });

  const wrong = misfittingRequests(operation, (name) => NOTHING[name]);
  if (wrong) {
    test(`A body of ${id} that does not fit the OpenAPI document is refused`, async () => {
      await using rehearsal = await newRehearsal();
      const credential = credentialOf(operation, rehearsal);
      const run = async (asked: Asked): Promise<void> => {
        const { 'x-rehearsal': _elsewhere, 'if-match': _version, ...headers } = asked.headers;
        const answer = await ask(operation, { ...asked, headers }, credential);
        const { exchange, status } = answer;
        expect([exchange, complaint(operation, answer)]).toEqual([exchange, undefined]);
        expect([exchange, status >= 400 && status < 500]).toEqual([exchange, true]);
      };
      await fc.assert(fc.asyncProperty(wrong, run), { numRuns: RUNS, endOnFailure: true });
    });
  }

  test(`A query parameter of ${id} that the OpenAPI document does not name is refused`, async () => {
    const asked = sample(operation);
    const path = `${asked.path}${asked.path.includes('?') ? '&' : '?'}unknown=1`;
    const credential = DEMO[schemes.find((scheme) => scheme in DEMO) ?? 'bearer'] ?? {};
    const answer = await ask(operation, { ...asked, path }, credential);
    expect([answer.exchange, answer.status]).toEqual([answer.exchange, schemes.includes('signature') ? 401 : 422]);
    expect(complaint(operation, answer)).toBeUndefined();
  });

  test(`A request of ${id} without the credential that the OpenAPI document names is answered 401`, async () => {
    const asked = sample(operation);
    const wrongOnes: readonly Record<string, string>[] = [
      {},
      { authorization: 'Bearer unknown-token' },
      { authorization: 'Basic YTpi' },
      { 'x-api-key': 'unknown-key' },
      { 'webhook-signature': 'v1,bm9ib2R5' },
    ];
    for (const credential of wrongOnes) {
      const answer = await ask(operation, asked, credential);
      const { exchange, status } = answer;
      expect([exchange, status === 401]).toEqual([exchange, schemes.length > 0]);
      if (schemes.length === 0) continue;
      expect(answer.headers['www-authenticate']).toEqual(expect.any(String));
      expect([exchange, complaint(operation, answer)]).toEqual([exchange, undefined]);
    }
  });
});

test.each(Object.keys(document.paths))('Methods of %s that the OpenAPI document does not name are answered 405', async (path) => {
  const allowed = operations.filter((operation) => operation.path === path).map(({ method }) => method);
  const filled = path.replaceAll(/\{\w+\}/g, 'x');
  const credential = DEMO[path.startsWith('/_control') ? 'control' : 'bearer'] ?? {};
  for (const method of METHODS.filter((one) => !allowed.includes(one))) {
    const { status, contentType, headers } = await ask({ method }, { path: filled, headers: {} }, credential);
    expect([method, status, contentType]).toEqual([method, 405, 'application/problem+json; charset=utf-8']);
    const named = String(headers['allow']).split(', ');
    expect(named.filter((one) => one !== 'HEAD').toSorted()).toEqual(allowed.toSorted());
  }
});

test.each([
  ...['3', 'W/3', '"3', '"3" "4"', '*, "3"', ''].map((value) => ['If-Match', value]),
  ...['""', `"${'k'.repeat(256)}"`, 'k'.repeat(256)].map((value) => ['Idempotency-Key', value]),
])('The value of %s that does not fit the OpenAPI document is refused: %s', async (header = '', value = '') => {
  await using rehearsal = await newRehearsal();
  const reply = await rehearsal.call('cancel-order-api', { params: { id: 'ord_1' }, headers: { [header]: value } });
  expect(reply).toMatchObject({ status: 400, body: { errors: [{ pointer: header }] } });
});
