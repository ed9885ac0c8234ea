import { describe, expect, test as plainTest } from '@jest/globals';
import { apis } from '../../shared/catalog/apis.ts';
import { type ApiDefinition, isMutating } from '../../shared/catalog/define.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

/** A request to an API that changes state, sent after other calls have prepared the state. */
interface Request {
  /** The id in the path. */
  readonly id?: string;
  readonly lineId?: string;
  readonly body: Record<string, unknown>;
  /** Differs from the body, and fits the schema as well. */
  readonly other: Record<string, unknown>;
}
type Prepare = (rehearsal: TestRehearsal) => Promise<Request>;

const MUG = { sku: 'mug-blue', qty: 2 };

const payment = async (rehearsal: TestRehearsal) => rehearsal.authorisation((await rehearsal.draft()).id);
const reservation = (rehearsal: TestRehearsal) => rehearsal.api('reserve-inventory-api', { body: { items: [MUG] } });
const fulfillmentOrder = async (rehearsal: TestRehearsal) => rehearsal.onlyFulfilment((await rehearsal.confirmed()).id);
const lineOfBasket = async (rehearsal: TestRehearsal) => {
  const { id, lines } = await rehearsal.basket();
  return { id, lineId: lines[0]?.lineId };
};
const packed = async (rehearsal: TestRehearsal) => {
  const id = await fulfillmentOrder(rehearsal);
  await rehearsal.packed(id);
  return id;
};

const cases: Readonly<Record<string, Prepare>> = {
  'create-transaction-api': async () => {
    const body = { storeId: 'store-01', laneId: 'lane-1', lines: [MUG] };
    return { body, other: { ...body, laneId: 'lane-2' } };
  },
  'void-transaction-api': async (rehearsal) => ({ id: (await rehearsal.sale()).id, body: { reason: 'forgot the purse' }, other: {} }),
  'add-payment-api': async (rehearsal) => {
    const { id } = await rehearsal.sale();
    return { id, body: { tender: CASH, amount: eur(500) }, other: { tender: CASH, amount: eur(501) } };
  },
  'create-basket-api': async () => ({ body: { channel: 'web' }, other: { channel: 'app' } }),
  'add-line-to-basket-api': async (rehearsal) => ({ id: (await rehearsal.basket()).id, body: MUG, other: { ...MUG, qty: 1 } }),
  'change-basket-line-api': async (rehearsal) => ({ ...(await lineOfBasket(rehearsal)), body: { qty: 5 }, other: { qty: 6 } }),
  'remove-basket-line-api': async (rehearsal) => ({ ...(await lineOfBasket(rehearsal)), body: {}, other: {} }),
  'checkout-basket-api': async (rehearsal) => {
    const { id } = await rehearsal.basket();
    return { id, body: { shippingAddress: ADDRESS }, other: { shippingAddress: ADDRESS, shippingMethod: 'EXPRESS' } };
  },
  'create-customer-api': async () => {
    const body = { email: 'uma@people.example', firstName: 'Uma', lastName: 'Reed' };
    return { body, other: { ...body, firstName: 'Una' } };
  },
  'log-interaction-api': async () => {
    const body = { customerId: 'cus_ada', type: 'visit' };
    return { body, other: { ...body, type: 'callback' } };
  },
  'dispatch-fulfillment-order-api': async (rehearsal) => ({ id: await packed(rehearsal), body: {}, other: { service: 'EXPRESS' } }),
  'create-return-api': async (rehearsal) => {
    const { id: orderId, lines } = await rehearsal.completed();
    const body = { orderId, lines: [{ orderLineId: lines[0].lineId, qty: 1, reason: 'too blue' }], locationId: 'store-01' };
    return { body, other: { ...body, dropOff: 'carrier' } };
  },
  'create-picking-order-api': async (rehearsal) => ({
    body: { fulfillmentOrderId: await fulfillmentOrder(rehearsal) },
    other: { fulfillmentOrderId: 'ful_another' },
  }),
  'update-picking-status-api': async (rehearsal) => {
    const { id } = await rehearsal.picked(await fulfillmentOrder(rehearsal));
    return { id, body: { status: 'started' }, other: { status: 'picked' } };
  },
  'generate-label-api': async (rehearsal) => {
    await rehearsal.progress({ label: 'manual' });
    const { shipmentId } = await rehearsal.dispatchedOrder();
    await rehearsal.settle();
    return { id: shipmentId, body: {}, other: { format: 'PDF' } };
  },
  'reserve-inventory-api': async () => ({ body: { items: [MUG] }, other: { items: [{ ...MUG, qty: 3 }] } }),
  'confirm-reservation-api': async (rehearsal) => ({ id: (await reservation(rehearsal)).id, body: {}, other: { orderId: 'ord_other' } }),
  'release-reservation-api': async (rehearsal) => ({ id: (await reservation(rehearsal)).id, body: {}, other: {} }),
  'allocate-inventory-api': async (rehearsal) => {
    const { id: orderId, lines } = await rehearsal.draft();
    const [{ lineId: orderLineId, reservationId }] = lines;
    await rehearsal.api('release-reservation-api', { params: { id: reservationId } });
    const body = { orderId, orderLineId, sku: 'mug-blue', qty: 1 };
    return { body, other: { ...body, qty: 2 } };
  },
  'enroll-loyalty-member-api': async () => {
    const body = { customerId: 'cus_ben' };
    return { body, other: { ...body, cardNumber: 'CARD-77' } };
  },
  'issue-loyalty-points-api': async () => {
    const body = { points: 10, reason: 'goodwill' };
    return { id: 'loy_ada', body, other: { ...body, points: 11 } };
  },
  'redeem-loyalty-points-api': async () => ({ id: 'loy_ada', body: { points: 10 }, other: { points: 11 } }),
  'earn-points-api': async (rehearsal) => {
    const { id: orderId, totals } = await rehearsal.sale();
    await rehearsal.pay(orderId, CASH, totals.total.amount);
    const body = { orderId, amount: totals.total };
    return { id: 'loy_ada', body, other: { ...body, orderId: 'ord_two' } };
  },
  'redeem-points-api': async () => {
    const body = { points: 10, orderId: 'ord_one' };
    return { id: 'loy_ada', body, other: { ...body, orderId: 'ord_two' } };
  },
  'create-order-api': async (rehearsal) => ({ body: { basketId: (await rehearsal.checkedOut()).id }, other: { basketId: 'bsk_another' } }),
  'cancel-order-api': async (rehearsal) => ({ id: (await rehearsal.draft()).id, body: { reason: 'changed my mind' }, other: {} }),
  'confirm-order-api': async (rehearsal) => ({ id: (await rehearsal.authorised()).id, body: {}, other: {} }),
  'route-order-api': async (rehearsal) => {
    await rehearsal.progress({ route: 'manual' });
    return { id: (await rehearsal.confirmed()).id, body: {}, other: { strategy: 'most-stock' } };
  },
  'authorize-payment-api': async (rehearsal) => {
    const body = { orderId: (await rehearsal.draft()).id, tender: card(), amount: eur(100) };
    return { body, other: { ...body, orderId: 'ord_other' } };
  },
  'capture-payment-api': async (rehearsal) => ({ id: (await payment(rehearsal)).id, body: {}, other: { amount: eur(1) } }),
  'void-payment-api': async (rehearsal) => ({ id: (await payment(rehearsal)).id, body: {}, other: {} }),
  'refund-payment-api': async (rehearsal) => {
    const { id } = await payment(rehearsal);
    await rehearsal.api('capture-payment-api', { params: { id } });
    return { id, body: { amount: eur(100) }, other: { amount: eur(101) } };
  },
  'evaluate-promotions-api': async () => {
    const line = { sku: 'mug-blue', qty: 1, unitPrice: eur(1299) };
    return { body: { lines: [line] }, other: { lines: [{ ...line, qty: 2 }] } };
  },
};

const mutating = (Object.values(apis) as unknown as ApiDefinition[]).filter((api) => isMutating(api) && api.auth !== 'signature');

plainTest('The table of requests has every API that changes state', () => {
  expect(Object.keys(cases).toSorted()).toEqual(mutating.map(({ id }) => id).toSorted());
});

describe.each(mutating.map((api) => [api.name, api] as const))('%s', (name, api) => {
  const prepare = cases[api.id] as Prepare;
  const send = (
    rehearsal: TestRehearsal,
    { id = '', lineId = '', body }: Omit<Request, 'other'>,
    headers: Record<string, string> = { 'idempotency-key': 'one' },
  ) => rehearsal.call(api.id as keyof typeof apis, { params: { id, lineId }, body, headers });
  const published = async (rehearsal: TestRehearsal) =>
    (await rehearsal.events({ ext: true })).map(({ type, subject, aggregateversion }) => `${type} ${subject} ${aggregateversion}`);

  test(`${name} sent twice with one key has one effect and one answer, and is refused with another body`, async (rehearsal) => {
    const request = await prepare(rehearsal);
    const first = await send(rehearsal, request);
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([api.status, undefined]);
    const before = await published(rehearsal);
    const { status, body, headers } = await send(rehearsal, request);
    expect([status, headers['idempotent-replayed'], headers['etag']]).toEqual([first.status, 'true', first.headers['etag']]);
    expect(body).toEqual(first.body);
    if (JSON.stringify(request.other) !== JSON.stringify(request.body)) {
      const other = await send(rehearsal, { ...request, body: request.other });
      expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    }
    expect(await published(rehearsal)).toEqual(before);
  });

  if (api.path.includes('{id}')) {
    test(`${name} with an If-Match of another version is refused and changes nothing`, async (rehearsal) => {
      const request = await prepare(rehearsal);
      const before = await published(rehearsal);
      const reply = await send(rehearsal, request, { 'if-match': '"999"' });
      expect(reply).toMatchObject({ status: 412, body: { code: 'version_mismatch', currentVersion: expect.any(Number) } });
      expect(await published(rehearsal)).toEqual(before);
      expect((await send(rehearsal, request, { 'if-match': `"${reply.body.currentVersion}"` })).status).toBe(api.status);
    });
  }

  test(`${name} sent in fifty concurrent requests with one key has one effect`, async () => {
    // Ids differ between rehearsals.
    const kinds = async (rehearsal: TestRehearsal) => (await published(rehearsal)).map((event) => event.replace(/\/\S+/, '')).toSorted();
    await using once = await newRehearsal();
    await send(once, await prepare(once));
    await using rehearsal = await newRehearsal();
    const request = await prepare(rehearsal);
    const replies = await Promise.all(Array.from({ length: 50 }, () => send(rehearsal, request)));
    const answered = replies.filter(({ status }) => status === api.status);
    expect(new Set(answered.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(replies.filter((reply) => !answered.includes(reply)).every(({ body }) => body.code === 'idempotency_in_progress')).toBe(true);
    expect(await kinds(rehearsal)).toEqual(await kinds(once));
    await rehearsal.verify();
  });
});

describe('Idempotency-Key', () => {
  const KEY = { 'idempotency-key': 'one-key' };
  const grant = (rehearsal: TestRehearsal, id = 'loy_ada') =>
    rehearsal.call('issue-loyalty-points-api', { params: { id }, body: { points: 5, reason: 'late delivery' }, headers: KEY });

  test('An Idempotency-Key is for one path: the same body at another path is another request', async (rehearsal) => {
    for (const id of ['loy_ada', 'loy_clara']) {
      expect(await grant(rehearsal, id)).toMatchObject({ status: 201, body: { id } });
      expect((await grant(rehearsal, id)).headers['idempotent-replayed']).toBe('true');
    }
  });

  test('An Idempotency-Key is for one caller: the same request with another credential is another request', async (rehearsal) => {
    const create = async (bearer: string) => {
      const headers = { ...KEY, authorization: `Bearer ${bearer}`, 'x-rehearsal': rehearsal.name };
      return (await rehearsal.api('create-basket-api', { body: { channel: 'web' }, headers })).id;
    };
    const other = await create('demo-integration-token');
    expect(other).not.toBe(await create(rehearsal.credentials.bearer));
    expect(await create('demo-integration-token')).toBe(other);
  });

  test('The key of a request that failed at another application can be used immediately', async (rehearsal) => {
    await rehearsal.down('loyalty-platform');
    expect(await grant(rehearsal)).toMatchObject({ status: 503, body: { code: 'dependency_unavailable' } });
    await rehearsal.noFaults();
    expect(await grant(rehearsal)).toMatchObject({ status: 201, body: { id: 'loy_ada' } });
  });

  test('A key that a request has claimed for more than a second is refused with the rest of its lease in Retry-After', async (rehearsal) => {
    await rehearsal.fault('slow', { match: { api: 'put-ledger-entry' }, fault: { kind: 'latency', ms: 4_000 } });
    const running = grant(rehearsal);
    const retryAfter = async () => {
      const { body, headers } = await grant(rehearsal);
      return body.code === 'idempotency_in_progress' ? Number(headers['retry-after']) : undefined;
    };
    await eventually('a Retry-After of a second', async () => (await retryAfter()) === 1);
    await eventually('a Retry-After of the lease', async () => Number(await retryAfter()) > 10);
    await running;
  });
});
