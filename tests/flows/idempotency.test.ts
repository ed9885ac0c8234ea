import { describe, expect, test } from '@jest/globals';
import { apis } from '../../shared/catalog/apis.ts';
import { type ApiDefinition, isMutating } from '../../shared/catalog/define.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';

/**
 * Every API that changes state, with an Idempotency-Key: sent twice or fifty times at once it has one effect and one answer, and with
 * another body it is refused. Other calls prepare the state, and the effects are counted on the bus.
 */
interface Request {
  readonly path: string;
  readonly body: Record<string, unknown>;
  /** Differs from the body, and fits the schema as well. */
  readonly other: Record<string, unknown>;
}
type Prepare = (rehearsal: TestRehearsal) => Promise<Request>;

const MUG = { sku: 'mug-blue', qty: 2 };
const CARD = { type: 'card', token: 'tok_visa' } as const;
const eur = (amount: number) => ({ amount, currency: 'EUR' });

const basket = async (rehearsal: TestRehearsal) => rehearsal.basket({ lines: [MUG] });
const locked = async (rehearsal: TestRehearsal) => {
  const { id } = await basket(rehearsal);
  return rehearsal.checkedOut(id);
};
const draft = async (rehearsal: TestRehearsal) => rehearsal.draft((await locked(rehearsal)).id);
/** A sale of the till without a member. @returns the id of its completed order */
const sold = async (rehearsal: TestRehearsal): Promise<string> => {
  const lines = [{ sku: 'mug-blue', qty: 1 }];
  const { id } = await rehearsal.sale({ lines });
  await rehearsal.api('add-payment-api', { params: { id }, body: { tender: { type: 'cash' }, amount: eur(1299) } });
  return id;
};
const authorised = async (rehearsal: TestRehearsal) => {
  const { id: orderId } = await draft(rehearsal);
  return rehearsal.authorisation(orderId);
};
const captured = async (rehearsal: TestRehearsal) => {
  const { id } = await authorised(rehearsal);
  return rehearsal.api('capture-payment-api', { params: { id } });
};
const confirmed = async (rehearsal: TestRehearsal) => {
  const { orderId } = await authorised(rehearsal);
  await rehearsal.confirmed(orderId);
  return rehearsal.order(orderId);
};
const picking = async (rehearsal: TestRehearsal) => {
  const order = await confirmed(rehearsal);
  return rehearsal.picked(order.fulfillmentOrders[0].id);
};
const packed = async (rehearsal: TestRehearsal): Promise<string> => {
  const { id, fulfillmentOrderId } = await picking(rehearsal);
  for (const status of ['started', 'picked', 'packed'] as const)
    await rehearsal.api('update-picking-status-api', { params: { id }, body: { status } });
  return fulfillmentOrderId;
};
const completed = async (rehearsal: TestRehearsal) => {
  const id = await packed(rehearsal);
  const { orderId } = await rehearsal.api('dispatch-fulfillment-order-api', { params: { id } });
  await rehearsal.advance('P2D');
  return rehearsal.order(orderId);
};
const hold = async (rehearsal: TestRehearsal) => rehearsal.api('reserve-inventory-api', { body: { items: [MUG] } });
const transaction = async (rehearsal: TestRehearsal) => rehearsal.sale({ lines: [MUG] });

const cases: Readonly<Record<string, Prepare>> = {
  'create-transaction-api': async () => ({
    path: '/transactions',
    body: { storeId: 'store-01', laneId: 'lane-1', lines: [MUG] },
    other: { storeId: 'store-01', laneId: 'lane-2', lines: [MUG] },
  }),
  'void-transaction-api': async (rehearsal) => ({
    path: `/transactions/${(await transaction(rehearsal)).id}/void`,
    body: { reason: 'forgot the purse' },
    other: {},
  }),
  'add-payment-api': async (rehearsal) => ({
    path: `/transactions/${(await transaction(rehearsal)).id}/payment`,
    body: { tender: { type: 'cash' }, amount: eur(500) },
    other: { tender: { type: 'cash' }, amount: eur(501) },
  }),
  'create-basket-api': async () => ({ path: '/baskets', body: { channel: 'web' }, other: { channel: 'app' } }),
  'add-line-to-basket-api': async (rehearsal) => ({
    path: `/baskets/${(await basket(rehearsal)).id}/lines`,
    body: { sku: 'mug-blue', qty: 1 },
    other: { sku: 'mug-blue', qty: 2 },
  }),
  'checkout-basket-api': async (rehearsal) => ({
    path: `/baskets/${(await basket(rehearsal)).id}/checkout`,
    body: { shippingAddress: ADDRESS },
    other: { shippingAddress: ADDRESS, shippingMethod: 'EXPRESS' },
  }),
  'create-customer-api': async () => ({
    path: '/customers',
    body: { email: 'uma@people.example', firstName: 'Uma', lastName: 'Reed' },
    other: { email: 'uma@people.example', firstName: 'Una', lastName: 'Reed' },
  }),
  'log-interaction-api': async () => ({
    path: '/interactions',
    body: { customerId: 'cus_ada', type: 'visit' },
    other: { customerId: 'cus_ada', type: 'callback' },
  }),
  'dispatch-fulfillment-order-api': async (rehearsal) => ({
    path: `/fulfillment/orders/${await packed(rehearsal)}/dispatch`,
    body: {},
    other: { service: 'EXPRESS' },
  }),
  'create-return-api': async (rehearsal) => {
    const order = await completed(rehearsal);
    const lines = [{ orderLineId: order.lines[0].lineId, qty: 1, reason: 'too blue' }];
    const body = { orderId: order.id, lines, locationId: 'store-01' };
    return { path: '/returns', body, other: { ...body, dropOff: 'carrier' } };
  },
  'create-picking-order-api': async (rehearsal) => {
    const order = await confirmed(rehearsal);
    return {
      path: '/picking-orders',
      body: { fulfillmentOrderId: order.fulfillmentOrders[0].id },
      other: { fulfillmentOrderId: 'ful_another' },
    };
  },
  'update-picking-status-api': async (rehearsal) => ({
    path: `/picking-orders/${(await picking(rehearsal)).id}/status`,
    body: { status: 'started' },
    other: { status: 'picked' },
  }),
  'generate-label-api': async (rehearsal) => {
    await rehearsal.client.control('set-progression', { body: { label: 'manual' } });
    const { shipments } = await rehearsal.api('dispatch-fulfillment-order-api', { params: { id: await packed(rehearsal) } });
    await rehearsal.settle();
    return { path: `/shipments/${shipments[0].id}/label`, body: {}, other: { format: 'PDF' } };
  },
  'reserve-inventory-api': async () => ({
    path: '/inventory/reservations',
    body: { items: [MUG] },
    other: { items: [{ sku: 'mug-blue', qty: 3 }] },
  }),
  'confirm-reservation-api': async (rehearsal) => ({
    path: `/inventory/reservations/${(await hold(rehearsal)).id}/confirm`,
    body: {},
    other: { orderId: 'ord_other' },
  }),
  'allocate-inventory-api': async (rehearsal) => {
    const { id, lines } = await draft(rehearsal);
    const [{ lineId, reservationId }] = lines;
    await rehearsal.api('release-reservation-api', { params: { id: reservationId } });
    const line = { orderId: id, orderLineId: lineId, sku: 'mug-blue' };
    return { path: '/inventory/allocate', body: { ...line, qty: 1 }, other: { ...line, qty: 2 } };
  },
  'enroll-loyalty-member-api': async () => ({
    path: '/loyalty/members',
    body: { customerId: 'cus_ben' },
    other: { customerId: 'cus_ben', cardNumber: 'CARD-77' },
  }),
  'issue-loyalty-points-api': async () => ({
    path: '/loyalty/accounts/loy_ada/points',
    body: { points: 10, reason: 'goodwill' },
    other: { points: 11, reason: 'goodwill' },
  }),
  'redeem-loyalty-points-api': async () => ({
    path: '/loyalty/accounts/loy_ada/redemptions',
    body: { points: 10 },
    other: { points: 11 },
  }),
  'earn-points-api': async (rehearsal) => ({
    path: '/members/loy_ada/earn',
    body: { orderId: await sold(rehearsal), amount: eur(1299) },
    other: { orderId: 'ord_two', amount: eur(1299) },
  }),
  'redeem-points-api': async () => ({
    path: '/members/loy_ada/redeem',
    body: { points: 10, orderId: 'ord_one' },
    other: { points: 10, orderId: 'ord_two' },
  }),
  'create-order-api': async (rehearsal) => ({
    path: '/orders',
    body: { basketId: (await locked(rehearsal)).id },
    other: { basketId: 'bsk_another' },
  }),
  'cancel-order-api': async (rehearsal) => ({
    path: `/orders/${(await draft(rehearsal)).id}/cancel`,
    body: { reason: 'changed my mind' },
    other: {},
  }),
  'confirm-order-api': async (rehearsal) => ({ path: `/orders/${(await authorised(rehearsal)).orderId}/confirm`, body: {}, other: {} }),
  'route-order-api': async (rehearsal) => {
    await rehearsal.client.control('set-progression', { body: { route: 'manual' } });
    const { orderId } = await authorised(rehearsal);
    await rehearsal.confirmed(orderId);
    return { path: `/orders/${orderId}/route`, body: {}, other: { strategy: 'most-stock' } };
  },
  'authorize-payment-api': async (rehearsal) => ({
    path: '/payments/authorizations',
    body: { orderId: (await draft(rehearsal)).id, tender: CARD, amount: eur(100) },
    other: { orderId: 'ord_other', tender: CARD },
  }),
  'capture-payment-api': async (rehearsal) => ({
    path: `/payments/authorizations/${(await authorised(rehearsal)).id}/capture`,
    body: {},
    other: { amount: eur(1) },
  }),
  'void-payment-api': async (rehearsal) => ({
    path: `/payments/authorizations/${(await authorised(rehearsal)).id}/void`,
    body: {},
    other: {},
  }),
  'refund-payment-api': async (rehearsal) => ({
    path: `/payments/${(await captured(rehearsal)).id}/refunds`,
    body: { amount: eur(100) },
    other: { amount: eur(101) },
  }),
  'evaluate-promotions-api': async () => ({
    path: '/promotions/evaluate',
    body: { lines: [{ sku: 'mug-blue', qty: 1, unitPrice: eur(1299) }] },
    other: { lines: [{ sku: 'mug-blue', qty: 2, unitPrice: eur(1299) }] },
  }),
  'release-reservation-api': async (rehearsal) => ({
    path: `/inventory/reservations/${(await hold(rehearsal)).id}`,
    body: {},
    other: {},
  }),
};

const mutating = (Object.values(apis) as unknown as ApiDefinition[]).filter((api) => isMutating(api) && api.auth !== 'signature');

test('every API that changes state is in this list', () => {
  expect(Object.keys(cases).toSorted()).toEqual(mutating.map(({ id }) => id).toSorted());
});

describe.each(mutating.map((api) => [api.name, api] as const))('%s', (_name, api) => {
  const prepare = cases[api.id] as Prepare;
  const as = api.auth === 'api-key' ? 'api-key' : 'bearer';
  const send = (rehearsal: TestRehearsal, { path, body }: Pick<Request, 'path' | 'body'>) =>
    rehearsal.call(api.method, path, body, { as, headers: { 'idempotency-key': 'the-same' } });
  const told = async (rehearsal: TestRehearsal) =>
    (await rehearsal.events({ ext: true })).map(({ type, subject, aggregateversion }) => `${type} ${subject} ${aggregateversion}`);

  test('sent twice with one key has one effect and one answer; with another body it is refused', async () => {
    await using rehearsal = await newRehearsal();
    const request = await prepare(rehearsal);
    const first = await send(rehearsal, request);
    expect(first.status).toBe(api.status);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    const after = await told(rehearsal);
    const second = await send(rehearsal, request);
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([first.status, 'true']);
    expect(second.body).toEqual(first.body);
    expect(second.headers['etag']).toBe(first.headers['etag']);
    if (JSON.stringify(request.other) !== JSON.stringify(request.body)) {
      const other = await send(rehearsal, { path: request.path, body: request.other });
      expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    }
    expect(await told(rehearsal)).toEqual(after);
  });

  if (api.path.includes('{id}')) {
    test('with an If-Match of another version is refused and changes nothing', async () => {
      await using rehearsal = await newRehearsal();
      const { path, body } = await prepare(rehearsal);
      const before = await told(rehearsal);
      const reply = await rehearsal.call(api.method, path, body, { as, headers: { 'if-match': '"999"' } });
      expect(reply).toMatchObject({ status: 412, body: { code: 'version_mismatch', currentVersion: expect.any(Number) } });
      expect(await told(rehearsal)).toEqual(before);
      const { currentVersion } = reply.body;
      const headers = { 'if-match': `"${currentVersion}"` };
      expect(await rehearsal.call(api.method, path, body, { as, headers })).toMatchObject({ status: api.status });
    });
  }

  test('sent fifty times at once with one key has one effect', async () => {
    await using once = await newRehearsal();
    await send(once, await prepare(once));
    const expected = (await told(once)).map(kindOf).toSorted();

    await using rehearsal = await newRehearsal();
    const request = await prepare(rehearsal);
    const replies = await Promise.all(Array.from({ length: 50 }, () => send(rehearsal, request)));
    const answered = replies.filter(({ status }) => status === api.status);
    expect(answered.length).toBeGreaterThan(0);
    expect(new Set(answered.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(replies.filter((reply) => !answered.includes(reply)).every(({ body }) => body.code === 'idempotency_in_progress')).toBe(true);
    expect((await told(rehearsal)).map(kindOf).toSorted()).toEqual(expected);
    await rehearsal.verify();
  });
});

/** Ids differ between rehearsals. */
const kindOf = (event: string): string => event.replace(/\/\S+/, '');

describe('An Idempotency-Key', () => {
  const KEY = { headers: { 'idempotency-key': 'one-key' } };
  const points = { points: 5, reason: 'late delivery' };

  test('is for one path: the same body at another path is another request', async () => {
    await using rehearsal = await newRehearsal();
    const grant = (id: string) => rehearsal.call('issue-loyalty-points-api', { params: { id }, body: points, ...KEY });
    for (const id of ['loy_ada', 'loy_clara']) {
      expect(await grant(id)).toMatchObject({ status: 201, body: { id } });
      expect((await grant(id)).headers['idempotent-replayed']).toBe('true');
    }
  });

  test('is for one caller: the same request of another credential is another request', async () => {
    await using rehearsal = await newRehearsal();
    const create = (bearer: string) =>
      rehearsal.call('create-basket-api', {
        body: { channel: 'web' },
        headers: { ...KEY.headers, authorization: `Bearer ${bearer}`, 'x-rehearsal': rehearsal.name },
      });
    const own = await create(rehearsal.credentials.bearer);
    const other = await create('demo-integration-token');
    expect([own.status, other.status]).toEqual([201, 201]);
    expect(other.body.id).not.toBe(own.body.id);
    expect((await create('demo-integration-token')).body.id).toBe(other.body.id);
  });

  test('of a request that failed at another application is free at once', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('away', { match: { application: 'loyalty-platform' }, fault: { kind: 'outage' } });
    const grant = () => rehearsal.call('POST', '/loyalty/accounts/loy_ada/points', points, KEY);
    expect(await grant()).toMatchObject({ status: 503, body: { code: 'dependency_unavailable' } });
    await rehearsal.noFaults();
    expect(await grant()).toMatchObject({ status: 201, body: { id: 'loy_ada' } });
  });

  test('that a request has claimed for more than a second is answered with the rest of its lease in Retry-After', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('slow', { match: { api: 'put-ledger-entry' }, fault: { kind: 'latency', ms: 4_000 } });
    const grant = () => rehearsal.call('issue-loyalty-points-api', { params: { id: 'loy_ada' }, body: points, ...KEY });
    const running = grant();
    const retryAfter = async () => {
      const { body, headers } = await grant();
      return body.code === 'idempotency_in_progress' ? Number(headers['retry-after']) : undefined;
    };
    await eventually('a Retry-After of a second', async () => (await retryAfter()) === 1);
    await eventually('a Retry-After of the lease', async () => Number(await retryAfter()) > 10);
    await running;
  });
});
