import { describe, expect, test as plainTest } from '@jest/globals';
import { listedType } from '../../control/objects/types.ts';
import { timelineOf } from '../../control/timelines/timeline-of.ts';
import { type Money, moneyInWords } from '../../shared/domain/money.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { orderAfterOutage } from '../support/steps/order-after-outage.ts';
import { testIn } from '../support/test-in.ts';
import { afterLoad } from './after-load.ts';

const test = testIn(newRehearsal);

const timeline = (rehearsal: TestRehearsal, type: string, id: string, query: { limit?: number } = {}) =>
  rehearsal.control('read-timeline', { params: { type, id }, query });
type Timeline = Awaited<ReturnType<typeof timeline>>;

const wordsIn = ({ marks }: Timeline, ...kinds: string[]) => marks.filter(({ kind }) => kinds.includes(kind)).map(({ words }) => words);
const statesIn = ({ objects }: Timeline, type: string) => objects.find((one) => one.type === type)?.states.map(({ state }) => state);

describe('The timeline of an order', () => {
  test('A timeline has calls, events, money, stock, states, due work and clock moves over all applications', async (rehearsal) => {
    const id = await orderAfterOutage(rehearsal);
    const read = await timeline(rehearsal, 'order', id);
    expect([read.type, read.id, read.omitted, read.truncated]).toEqual(['order', id, 0, false]);
    expect(read.name).toMatch(/^order \d{6}-\w{6}$/);
    expect(wordsIn(read, 'money')).toEqual(['30.88 EUR authorised', '30.88 EUR captured']);
    expect(wordsIn(read, 'stock')).toEqual(['2 units reserved', '2 units confirmed', '2 units fulfilled']);
    expect(wordsIn(read, 'state').filter((words) => words.startsWith('order'))).toEqual([
      'order draft',
      'order confirmed',
      'order in-fulfilment',
    ]);
    expect(wordsIn(read, 'event')).toContain('order-confirmed arrives');
    expect(wordsIn(read, 'clock').filter((words) => words !== 'timer warehouse-step')).toEqual([
      'timer capture-payments',
      'timer deliver-webhook',
      expect.stringMatching(/^clock to /),
    ]);
    expect(wordsIn(read, 'webhook')).toEqual(['Carrier Webhook']);
    const applications = new Set(read.marks.map(({ application }) => application));
    expect([...applications].toSorted()).toEqual([
      'carrier-platform',
      'crm',
      'ecommerce-platform',
      'fms',
      'gateway',
      'inventory-service',
      'loyalty-platform',
      'oms',
      'payment-hub',
      'pos',
      'promotion-engine',
      'sim',
      'wms',
    ]);
    const instants = read.marks.map(({ at }) => at);
    expect(instants).toEqual(instants.toSorted());
  });

  test('A timeline has a refused request without an event, and each mark leads to its trace', async (rehearsal) => {
    const id = await orderAfterOutage(rehearsal);
    const { marks } = await timeline(rehearsal, 'order', id);
    const failed = marks.filter(({ outcome }) => outcome !== 'ok');
    expect(failed).toMatchObject([
      {
        kind: 'call',
        application: 'payment-hub',
        words: 'Authorize Payment failed: dependency_unavailable, struck by hub-down',
        outcome: 'failed',
        what: 'hop',
        fromClient: true,
      },
    ]);
    expect(await rehearsal.control('read-hop', { params: { requestId: failed[0]?.id ?? '' } })).toMatchObject({ status: 503 });
    const traces = new Set(marks.flatMap(({ trace }) => trace ?? []));
    const { items } = await rehearsal.control('list-traces');
    expect(items.map(({ correlationId }) => correlationId)).toEqual(expect.arrayContaining([...traces]));
    expect(marks.filter(({ fromClient }) => fromClient).map(({ words }) => words.split(' failed')[0])).toEqual([
      'Create Basket',
      'Checkout Basket',
      'Create Order',
      'Authorize Payment',
      'Authorize Payment',
      'Confirm Order',
    ]);
  });

  test('A timeline has the states of the order and of its objects, each with its beginning', async (rehearsal) => {
    const id = await orderAfterOutage(rehearsal);
    const read = await timeline(rehearsal, 'order', id);
    expect([read.objects[0]?.type, read.objects[0]?.id]).toEqual(['order', id]);
    expect(statesIn(read, 'order')).toEqual(['draft', 'confirmed', 'in-fulfilment']);
    expect(statesIn(read, 'basket')).toEqual(['open', 'locked', 'converted']);
    expect(statesIn(read, 'fulfillment-order')).toEqual(['created', 'allocated', 'picking', 'packed', 'dispatched']);
    expect(statesIn(read, 'payment')).toEqual(['authorised', 'captured']);
    // Both are of the initial data, and this order has not changed their state.
    expect([statesIn(read, 'customer'), statesIn(read, 'loyalty-account')]).toEqual([['active'], ['500 points']]);
  });

  test('The timeline of an order leaves out other orders of its customer, and the timeline of the customer has both', async (rehearsal) => {
    const mine = await rehearsal.confirmed();
    const other = await rehearsal.draft();
    const read = await timeline(rehearsal, 'order', mine.id);
    expect(read.objects.map(({ id }) => id)).not.toContain(other.id);
    expect(read.marks.filter(({ words }) => words === 'Create Order')).toHaveLength(1);
    const { objects, marks } = await timeline(rehearsal, 'customer', 'cus_ada');
    expect(objects.map(({ id }) => id)).toEqual(expect.arrayContaining([mine.id, other.id]));
    expect(marks.filter(({ words }) => words === 'Create Order')).toHaveLength(2);
  });

  test('A timeline follows causes, not a correlation id that a client uses for everything', async (rehearsal) => {
    const headers = { 'x-correlation-id': 'everything' };
    const { id } = await rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada' }, headers });
    await rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada' }, headers });
    await rehearsal.call('get-product-api', { params: { id: 'mug-blue' }, headers, as: 'bearer' });
    const { marks } = await timeline(rehearsal, 'basket', id);
    expect(marks.filter(({ fromClient }) => fromClient).map(({ words }) => words)).toEqual(['Create Basket']);
    expect(marks.filter(({ what }) => what === 'event').map(({ words }) => words)).toEqual(['basket open']);
  });

  test('A timeline names attempts at a registered webhook that does not answer', async (rehearsal) => {
    await rehearsal.control('put-webhook', { params: { name: 'shop' }, body: { url: 'http://127.0.0.1:1/', types: ['order-created'] } });
    const { id } = await rehearsal.draft();
    await rehearsal.settle();
    const { marks } = await timeline(rehearsal, 'order', id);
    const attempts = marks.filter(({ kind }) => kind === 'webhook');
    expect(attempts[0]).toMatchObject({ words: 'shop does not answer order-created', outcome: 'failed', application: 'gateway' });
  });
});

test('Timelines of a return, its payment, its parcel and the loyalty account have refunds, scans and points', async (rehearsal) => {
  const order = await rehearsal.completed();
  const id = await rehearsal.inspected(order);
  const [payment] = order.payments;
  const { refundedAmount } = (await rehearsal.control('read-object', { params: { type: 'payment', id: payment?.id ?? '' } })) as {
    refundedAmount: Money;
  };
  const back = `${moneyInWords(refundedAmount)} refunded`;
  const ofReturn = await timeline(rehearsal, 'return', id);
  expect(statesIn(ofReturn, 'return')).toEqual(['requested', 'approved', 'received', 'inspected', 'refunded']);
  expect(wordsIn(ofReturn, 'money')).toContain(back);
  const ofPayment = await timeline(rehearsal, 'payment', payment?.id ?? '');
  expect(wordsIn(ofPayment, 'money')).toEqual(['30.88 EUR authorised', '30.88 EUR captured', back]);
  const { items: parcels } = await rehearsal.control('list-objects', { params: { type: 'shipment' } });
  const ofParcel = await timeline(rehearsal, 'shipment', parcels[0]?.id ?? '');
  expect(wordsIn(ofParcel, 'scan')).toEqual(['parcel collected', 'parcel in-transit', 'parcel out-for-delivery', 'parcel delivered']);
  const [earned, taken] = wordsIn(await timeline(rehearsal, 'loyalty-account', 'loy_ada'), 'points');
  expect([earned, taken]).toEqual([expect.stringMatching(/^\+\d+ points$/), expect.stringMatching(/^−\d+ points$/)]);
});

test('A timeline keeps the newest marks up to its limit, and counts the others', async (rehearsal) => {
  const { id } = await rehearsal.confirmed();
  await rehearsal.settle();
  const all = await timeline(rehearsal, 'order', id);
  const { marks, omitted } = await timeline(rehearsal, 'order', id, { limit: 3 });
  expect([marks, omitted]).toEqual([all.marks.slice(-3), all.marks.length - 3]);
});

test('A timeline is found by number, and without the type', async (rehearsal) => {
  const { id, orderNumber } = await rehearsal.draft();
  expect(await timeline(rehearsal, 'any', orderNumber)).toMatchObject({ type: 'order', id });
});

test('The timeline of an object of the initial data has its state and no marks', async (rehearsal) => {
  const read = await timeline(rehearsal, 'customer', 'cus_ben');
  expect([read.marks, read.omitted, statesIn(read, 'customer')]).toEqual([[], 0, ['registered']]);
});

test('The timeline in a fork has the events of before, without traces', async (rehearsal) => {
  const { id } = await rehearsal.confirmed();
  await rehearsal.settle();
  const name = `${rehearsal.name}-f`;
  await rehearsal.control('create-rehearsal', { body: { name, from: { rehearsal: rehearsal.name } } });
  const { items } = await rehearsal.control('list-rehearsals');
  expect(items.map((one) => one.name)).toContain(name);
  const reply = await rehearsal.call('read-timeline', { params: { type: 'order', id }, headers: { 'x-rehearsal': name } });
  const { marks } = reply.body as Timeline;
  expect(wordsIn(reply.body as Timeline, 'money')).toEqual(['30.88 EUR authorised']);
  expect(marks.filter(({ trace, what }) => trace !== undefined || what === 'hop')).toEqual([]);
  await rehearsal.control('delete-rehearsal', { params: { name } });
});

test.each([
  ['an unknown type', 'ordr', 'ord_1', 422, 'There is no type of object ordr; did you mean order?'],
  ['an unknown object', 'return', 'ret_1', 404, 'There is no return "ret_1" in this rehearsal. It has no return yet.'],
  ['a long id', 'order', 'x'.repeat(200), 404, 'An id or a number has at most 100 characters.'],
  ['hostile text', 'order', '<img src=x onerror=1>', 404, 'There is no order "<img src=x onerror=1>" in this rehearsal.'],
])('A timeline of %s is refused with the remedy', async (rehearsal, _what, type, id, status, words) => {
  const reply = await rehearsal.call('read-timeline', { params: { type, id } });
  expect(reply.status).toBe(status);
  expect(JSON.stringify(reply.body)).toContain(JSON.stringify(words).slice(1, -1));
});

test.each(['0', '5001', 'many'])('A timeline with the limit %s is refused', async (rehearsal, limit) => {
  const reply = await rehearsal.call('read-timeline', { params: { type: 'customer', id: 'cus_ada' }, query: { limit } });
  expect([reply.status, reply.body]).toMatchObject([422, { errors: [{ pointer: '?limit' }] }]);
});

plainTest('A timeline of ten thousand requests keeps its limit, reports discarded hops, and permits a pause at each hop', async () => {
  const { scope, found, objects } = await afterLoad<Parameters<typeof timelineOf>[0]>();
  let permitted = 0;
  const breathe = () => {
    permitted += 1;
    return undefined;
  };
  const read = await timelineOf(scope, { type: listedType(objects, 'order'), found, limit: 1_000 }, breathe);
  const kept = read.marks.length + read.omitted;
  expect([read.marks.length, read.truncated, read.marks.at(-1)?.id]).toEqual([1_000, true, 'r9999']);
  // Hops are parsed, indexed, searched, chosen, dated, joined to their causes, placed, merged, sorted and worded.
  expect([kept > 1_000 && kept <= 5_000, permitted > 9 * kept]).toEqual([true, true]);
});
