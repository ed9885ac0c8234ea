import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Agent, type Dispatcher, request } from 'undici';
import { estateOpenApi } from '../../shared/contract/openapi/document.ts';
import { type Answered, type Asked, describedBy, METHODS, type OpenApiDocument } from '../support/described.ts';
import { runsOf, someOf } from '../support/effort.ts';
import { ADMIN, estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** The document equals the one of the gateway: a test of the gateway compares them. */
const document = estateOpenApi('0.0.0') as unknown as OpenApiDocument;
const { operations, fittingRequests, misfittingRequests, complaint } = describedBy(document);
const agent = new Agent({ connections: 16 });
afterAll(() => agent.close());

/** Refusals for the state of the rehearsal, possible for requests that fit the schema. */
const ABOUT_STATE = new Set([400, 402, 404, 409, 412, 429]);
/** Refusals that no schema can express: a value contradicts the rehearsal, its clock or another value. */
const BEYOND_SCHEMAS = new Set([
  'beyond_the_end',
  'card_number',
  'credential',
  'differs_from_line',
  'exceeds_line',
  'idempotency_key_reused',
  'in_the_future',
  'in_the_past',
  'invalid_cursor',
  'invalid_duration',
  'no_address',
  'not_a_store',
  'not_converted',
  'not_its_api',
  'not_of_verb',
  'not_together',
  'nothing_short',
  'order_of_another',
  'other_amount',
  'other_basket',
  'other_order',
  'other_shipment',
  'other_sku',
  'other_subject',
  'other_transaction',
  'repeated',
  'repeated_line',
  'store_required',
  'too_far',
  'too_late',
  'unknown_api',
  'unknown_code',
  'unknown_line',
  'unknown_location',
  'unknown_object',
  'unknown_place',
  'unknown_sku',
  'unknown_state',
  'unknown_store',
]);
/** Targets of faults: random members seldom make one target together. */
const match = [
  { api: 'get-product-api' },
  { application: 'oms' },
  { application: 'payment-hub', api: 'capture-payment-api' },
  { event: 'payment-authorized' },
  { event: 'ext.order-changed', subject: 'order/nothing' },
  { webhook: 'carrier', status: 'delivered' },
  { webhook: 'carrier' },
];
/** Values that name no object, for requests that are refused before the lookup. */
const NOTHING: Record<string, readonly unknown[]> = {
  id: ['nothing'],
  name: ['nothing'],
  rehearsal: ['default'],
  sku: ['nothing'],
  code: ['NOTHING'],
  match,
};

type Operation = (typeof operations)[number];

async function ask(
  { method }: Pick<Operation, 'method'>,
  { path, headers, body }: Asked,
  credential: Record<string, string>,
): Promise<Answered & { headers: Record<string, unknown> }> {
  const response = await request(`${estate.gateway}${path}`, {
    method: method as 'GET',
    headers: { ...headers, ...credential, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    dispatcher: agent,
  });
  return {
    status: response.statusCode,
    contentType: response.headers['content-type'] as string | undefined,
    text: await textOf(response),
    headers: response.headers,
  };
}

/** A stream has no end: its first bytes show that it was answered. */
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
    match,
  };
}

/** Random requests per operation; each run of the tests makes others. */
const RUNS = runsOf({ usually: 2, thoroughly: 6 });
/** Operations whose fitting requests are tried: each needs a rehearsal with something of everything. */
const tried = new Set(someOf(operations, 0.4));

describe.each(operations.map((operation) => [operation.id, operation] as const))('The OpenAPI document of %s', (_id, operation) => {
  const testTried = tried.has(operation) ? test : undefined;
  testTried?.('describes every answer, and requests that fit it are not refused as malformed', async () => {
    await using rehearsal = await newRehearsal();
    const credential = credentialOf(operation, rehearsal);
    const known = await somethingOfEach(rehearsal);
    const made: string[] = [];
    const run = async (asked: Asked): Promise<void> => {
      const answer = await ask(operation, asked, credential);
      if (operation.id === 'create-rehearsal' && answer.status === 201) made.push(JSON.parse(answer.text).name);
      const told = `${operation.method} ${asked.path} ${JSON.stringify(asked.headers)} ${JSON.stringify(asked.body)}: ${answer.status} ${answer.text.slice(0, 500)}`;
      expect([told, complaint(operation, answer)]).toEqual([told, undefined]);
      const { code, errors = [] } = answer.status >= 400 ? JSON.parse(answer.text) : { code: undefined };
      const codes: string[] = [code, ...errors.map((error: { code: string }) => error.code)];
      const fits = answer.status < 300 || ABOUT_STATE.has(answer.status) || codes.some((one) => BEYOND_SCHEMAS.has(one));
      const unsigned = operation.schemes.includes('signature') && answer.status === 401;
      expect([told, fits || unsigned]).toEqual([told, true]);
      if (operation.id === 'put-fault') await rehearsal.noFaults();
    };
    try {
      await fc.assert(
        fc.asyncProperty(
          fittingRequests(operation, (name) => known[name]),
          run,
        ),
        { numRuns: RUNS, endOnFailure: true },
      );
    } finally {
      for (const name of made) await rehearsal.client.control('delete-rehearsal', { params: { name } });
    }
  });

  const wrong = misfittingRequests(operation, (name) => NOTHING[name]);
  if (wrong) {
    test('describes the body: a body that does not fit is refused with the expected pointer', async () => {
      await using rehearsal = await newRehearsal();
      const credential = credentialOf(operation, rehearsal);
      const run = async (asked: Asked): Promise<void> => {
        const { 'x-rehearsal': _elsewhere, 'if-match': _version, ...headers } = asked.headers;
        const answer = await ask(operation, { ...asked, headers }, credential);
        const told = `${operation.method} ${asked.path} ${JSON.stringify(asked.body)?.slice(0, 500)}: ${answer.status} ${answer.text.slice(0, 500)}`;
        expect([told, complaint(operation, answer)]).toEqual([told, undefined]);
        expect([told, answer.status >= 400 && answer.status < 500]).toEqual([told, true]);
      };
      await fc.assert(fc.asyncProperty(wrong, run), { numRuns: RUNS, endOnFailure: true });
    });
  }

  test('names every query parameter: an unknown one is refused', async () => {
    const [asked] = fc.sample(
      fittingRequests(operation, (name) => NOTHING[name]),
      { numRuns: 1 },
    );
    if (!asked) throw new Error('There is no request to be made.');
    const { 'x-rehearsal': _of, ...headers } = asked.headers;
    const credential: Record<string, string> = operation.schemes.includes('control')
      ? { authorization: `Bearer ${ADMIN}` }
      : operation.schemes.includes('apiKey')
        ? { 'x-api-key': 'demo-carrier-key' }
        : { authorization: 'Bearer demo-integration-token' };
    const path = `${asked.path}${asked.path.includes('?') ? '&' : '?'}nobody=knows`;
    const answer = await ask(operation, { ...asked, path, headers }, credential);
    expect([path, answer.status]).toEqual([path, operation.schemes.includes('signature') ? 401 : 422]);
    expect(complaint(operation, answer)).toBeUndefined();
  });

  test('names the required credential: without it, or with another one, the answer is 401', async () => {
    const [asked] = fc.sample(
      fittingRequests(operation, (name) => NOTHING[name]),
      { numRuns: 1 },
    );
    if (!asked) throw new Error('There is no request to be made.');
    const { 'x-rehearsal': _of, ...headers } = asked.headers;
    const bad = [
      {},
      { authorization: 'Bearer nobody-knows-this' },
      { authorization: 'Basic YTpi' },
      { 'x-api-key': 'nobody-knows-this' },
      { 'webhook-signature': 'v1,bm9ib2R5' },
    ];
    for (const credential of bad) {
      const answer = await ask(operation, { ...asked, headers }, credential as Record<string, string>);
      const told = `${operation.method} ${asked.path} ${JSON.stringify(credential)}: ${answer.status} ${answer.text.slice(0, 300)}`;
      if (operation.schemes.length === 0) expect([told, answer.status]).not.toEqual([told, 401]);
      else {
        expect([told, answer.status]).toEqual([told, 401]);
        expect(answer.headers['www-authenticate']).toEqual(expect.any(String));
        expect([told, complaint(operation, answer)]).toEqual([told, undefined]);
      }
    }
  });
});

describe.each(Object.keys(document.paths))('The OpenAPI document names every method of %s', (path) => {
  test('and other methods are answered 405 with the existing ones', async () => {
    const described = operations.filter((operation) => operation.path === path);
    const allowed = described.map(({ method }) => method);
    const filled = path.replaceAll(/\{\w+\}/g, 'x');
    for (const method of METHODS.filter((one) => !allowed.includes(one))) {
      const admin = path.startsWith('/_control') ? ADMIN : 'demo-integration-token';
      const answer = await ask({ method }, { path: filled, headers: {} }, { authorization: `Bearer ${admin}` });
      expect([method, answer.status, answer.contentType]).toEqual([method, 405, 'application/problem+json; charset=utf-8']);
      const named = String(answer.headers['allow'])
        .split(', ')
        .filter((one) => one !== 'HEAD');
      expect(named.toSorted()).toEqual(allowed.toSorted());
    }
  });
});

describe('The OpenAPI document limits headers:', () => {
  test.each(['3', 'W/3', '"3', '"3" "4"', '*, "3"', ''])('If-Match %s does not fit and is refused', async (version) => {
    await using rehearsal = await newRehearsal();
    const { status, body } = await rehearsal.call('cancel-order-api', {
      params: { id: 'ord_1' },
      body: {},
      headers: { 'if-match': version },
    });
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, 'If-Match']);
  });

  test.each(['""', `"${'k'.repeat(256)}"`, 'k'.repeat(256)])('Idempotency-Key %s does not fit and is refused', async (key) => {
    await using rehearsal = await newRehearsal();
    const { status, body } = await rehearsal.call('create-basket-api', { body: { channel: 'web' }, headers: { 'idempotency-key': key } });
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, 'Idempotency-Key']);
  });

  test.each(['a b', 'ü', 'c'.repeat(129), '<script>'])('X-Correlation-Id %s does not fit and is replaced', async (id) => {
    await using rehearsal = await newRehearsal();
    const { status, headers } = await rehearsal.call('get-customer-api', {
      params: { id: 'cus_ada' },
      headers: { 'x-correlation-id': Buffer.from(id).toString('latin1') },
    });
    expect([status, headers['x-correlation-id']]).toEqual([200, expect.stringMatching(/^req_/)]);
  });
});

describe('After its deletion', () => {
  test('a rehearsal is not found, nor are its credentials accepted, and it cannot be deleted twice', async () => {
    const rehearsal = await newRehearsal();
    const deleted = { params: { name: rehearsal.name } };
    await rehearsal.client.control('delete-rehearsal', deleted);
    expect((await rehearsal.call('get-customer-api', { params: { id: 'cus_ada' } })).status).toBe(401);
    expect((await rehearsal.call('track-shipment-api', { params: { id: 'shp_1' } })).status).toBe(401);
    await expect(rehearsal.client.control('delete-rehearsal', deleted)).rejects.toThrow('404');
  });

  test('a fault no longer strikes, is not listed, and cannot be deleted twice', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('away', { match: { application: 'crm' }, fault: { kind: 'outage' } });
    expect((await rehearsal.call('get-customer-api', { params: { id: 'cus_ada' } })).status).toBe(503);
    await rehearsal.client.control('delete-fault', { params: { name: 'away' } });
    expect((await rehearsal.call('get-customer-api', { params: { id: 'cus_ada' } })).status).toBe(200);
    expect(await rehearsal.faults()).toEqual([]);
    await expect(rehearsal.client.control('delete-fault', { params: { name: 'away' } })).rejects.toThrow('404');
  });

  test('a reservation holds no stock and cannot be confirmed; a second release changes nothing', async () => {
    await using rehearsal = await newRehearsal();
    const atp = async () => (await rehearsal.api('check-availability-api', { params: { sku: 'mug-blue' } })).atp;
    const before = await atp();
    const { id } = await rehearsal.api('reserve-inventory-api', { body: { items: [{ sku: 'mug-blue', qty: 1 }] } });
    await rehearsal.api('release-reservation-api', { params: { id } });
    const orderId = 'ord_01KAHTXB5W0G4J8Q2Z6R9M3N7P';
    expect((await rehearsal.call('confirm-reservation-api', { params: { id }, body: { orderId } })).status).toBe(409);
    await rehearsal.api('release-reservation-api', { params: { id } });
    expect(await atp()).toEqual(before);
  });
});
