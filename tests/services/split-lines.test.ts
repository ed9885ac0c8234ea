import { describe, expect } from '@jest/globals';
import { DRY, disagreement } from '../support/dry-run.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { ADDRESS } from '../support/steps/order.ts';
import { testIn } from '../support/test-in.ts';

const manual = { warehouse: 'manual', carrier: 'manual', returns: 'manual' } as const;
/** Seven mugs at three locations, and ten bowls at one. */
const stock = [
  { sku: 'mug-blue', onHand: { 'dc-01': 2, 'dc-02': 2, 'store-01': 3, 'store-02': 0, 'store-03': 0 } },
  { sku: 'mug-green', onHand: { 'dc-01': 10, 'dc-02': 10, 'store-01': 0, 'store-02': 0, 'store-03': 0 } },
];
const split = (retailer: object = {}, progression: object = {}) =>
  newRehearsal({ ...manual, ...progression }, { retailer: { splitLines: true, ...retailer }, stock });

const test = testIn(split);
const testOfOthers = testIn(() => newRehearsal(manual, { stock }));
const testByHand = testIn(() => split({}, { route: 'manual' }));
const testOfPatient = testIn(() => split({ replaceLostWithin: 'P2D' }));

const mugs = (qty: number) => ({ sku: 'mug-blue', qty });
const FIVE = { lines: [mugs(5)] };

type Order = Awaited<ReturnType<TestRehearsal['order']>>;

/** Where the first line of an order is served. */
const nodesOf = ({ lines: [line] }: Pick<Order, 'lines'>) => [
  line?.nodeId,
  line?.nodes?.map(({ locationId, qty }) => `${locationId} ${qty}`),
];

/** The fulfillment orders of an order, with their units of its first line. */
async function servedBy(rehearsal: TestRehearsal, id: string): Promise<string[]> {
  await rehearsal.settle();
  const routed = await rehearsal.routed(id);
  const found = await Promise.all(routed.map((one) => rehearsal.fulfillmentOrder(one.id)));
  return found.map(({ locationId, state, lines }) => `${locationId} ${state} ${lines.map(({ qty }) => qty).join('+')}`);
}

/** The fulfillment orders of an order of five mugs. Two come from the first warehouse and three from a store. */
async function ordered(rehearsal: TestRehearsal, goods: Parameters<TestRehearsal['confirmed']>[0] = FIVE) {
  const order = await rehearsal.confirmed(goods);
  await rehearsal.settle();
  const [first, second] = await rehearsal.routed(order.id);
  return { order: await rehearsal.order(order.id), first: first?.id ?? '', second: second?.id ?? '' };
}

const count = (rehearsal: TestRehearsal, locationId: string, onHand: number) =>
  rehearsal.control('count-stock-by-hand', { params: { sku: 'mug-blue', locationId }, body: { onHand } });

const paidBack = async (rehearsal: TestRehearsal, id: string) =>
  (await rehearsal.order(id)).payments.reduce((sum, { refundedAmount }) => sum + refundedAmount.amount, 0);

describe('A line that no location can serve alone', () => {
  test('is served by the fewest locations, the preferred ones first, and completes with the last parcel', async (rehearsal) => {
    const seen = await rehearsal.api('check-availability-api', { params: { sku: 'mug-blue' }, query: { qty: 7 } });
    expect(seen).toMatchObject({ atp: 7, maxPerLine: 7, available: true });
    const { order, first, second } = await ordered(rehearsal);
    expect(nodesOf(order)).toEqual(['dc-01', ['dc-01 2', 'store-01 3']]);
    expect(await servedBy(rehearsal, order.id)).toEqual(['dc-01 allocated 2', 'store-01 allocated 3']);
    expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [2, 2], 'dc-02': [2, 0], 'store-01': [3, 3] });
    await rehearsal.delivered(await rehearsal.dispatched(second));
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'partially-fulfilled', lines: [{ fulfilledQty: 3 }] });
    await rehearsal.delivered(await rehearsal.dispatched(first));
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', paymentStatus: 'paid', lines: [{ fulfilledQty: 5 }] });
    expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [0, 0], 'dc-02': [2, 0], 'store-01': [0, 0] });
  });

  test('stays at one location that has all its units, and is refused if all locations have too few', async (rehearsal) => {
    const { order } = await ordered(rehearsal, { lines: [mugs(3)] });
    expect(nodesOf(order)).toEqual(['store-01', undefined]);
    const { id } = await rehearsal.basket({ lines: [mugs(4)] });
    expect((await rehearsal.checkOut(id)).status).toBe(200);
    const empty = await rehearsal.basket({ lines: [{ sku: 'mug-green', qty: 1 }] });
    const refused = await rehearsal.addLine(empty.id, mugs(1));
    expect(refused).toMatchObject({ status: 409, body: { code: 'insufficient_stock', skus: [{ requested: 1, available: 0 }] } });
  });

  testOfOthers('is out of stock for a retailer that does not split lines', async (rehearsal) => {
    const seen = await rehearsal.api('check-availability-api', { params: { sku: 'mug-blue' }, query: { qty: 5 } });
    expect(seen).toMatchObject({ atp: 7, maxPerLine: 3, available: false });
    const { status, body } = await rehearsal.reserve({ items: [mugs(5)] });
    expect([status, body.skus]).toEqual([409, [{ sku: 'mug-blue', requested: 5, available: 3 }]]);
  });

  test('cannot be collected: one location has all goods of a collection', async (rehearsal) => {
    const { id } = await rehearsal.basket(FIVE);
    const collection = { locationId: 'store-01' };
    const refused = await rehearsal.call('checkout-basket-api', { params: { id }, body: { collection } as never });
    expect(refused).toMatchObject({ status: 409, body: { code: 'insufficient_stock', skus: [{ requested: 5, available: 3 }] } });
    expect(refused.body.detail).toContain('3 at the best location');
  });

  test('is reserved at a named location only as a whole, and the refusal counts its units', async (rehearsal) => {
    const { status, body } = await rehearsal.reserve({ items: [mugs(3)], locationId: 'dc-01' });
    expect([status, body.skus]).toEqual([409, [{ sku: 'mug-blue', requested: 3, available: 2 }]]);
    expect(body.detail).toContain('2 at the best location');
  });

  test('is reserved for an order line by Allocate Inventory', async (rehearsal) => {
    const { id } = await rehearsal.checkedOut(FIVE);
    const order = await rehearsal.draft(id);
    const [line] = order.lines;
    await rehearsal.api('release-reservation-api', { params: { id: line?.reservationId ?? '' } });
    const body = { orderId: order.id, orderLineId: line?.lineId ?? '', ...mugs(5), preferredLocations: ['dc-02'] };
    const { allocations } = await rehearsal.api('allocate-inventory-api', { body });
    expect(allocations.map(({ locationId, qty }) => `${locationId} ${qty}`)).toEqual(['dc-02 2', 'store-01 3']);
  });

  testByHand('is served from the locations with most stock by Route Order', async (rehearsal) => {
    const { id, lines } = await rehearsal.confirmed({ lines: [mugs(5)] });
    await rehearsal.api('release-reservation-api', { params: { id: lines[0]?.reservationId ?? '' } });
    await rehearsal.api('route-order-api', { params: { id }, body: { strategy: 'most-stock' } });
    expect(await servedBy(rehearsal, id)).toEqual(['store-01 allocated 3', 'dc-01 allocated 2']);
    expect(nodesOf(await rehearsal.order(id))).toEqual(['store-01', ['store-01 3', 'dc-01 2']]);
  });
});

describe('An order with a line from two locations', () => {
  test.each([
    [4, ['dc-01 allocated 2', 'store-01 allocated 2'], ['dc-01', ['dc-01 2', 'store-01 2']], { 'dc-01': [2, 2], 'store-01': [3, 2] }],
    [2, ['dc-01 allocated 2', 'store-01 cancelled 3'], ['dc-01', undefined], { 'dc-01': [2, 2], 'store-01': [3, 0] }],
    [1, ['dc-01 allocated 1', 'store-01 cancelled 3'], ['dc-01', undefined], { 'dc-01': [2, 1], 'store-01': [3, 0] }],
  ] as const)('keeps %i units by Change Order, and the last location loses the others', async (rehearsal, qty, served, nodes, levels) => {
    const { order } = await ordered(rehearsal);
    const body = { lines: [{ lineId: order.lines[0]?.lineId ?? '', qty }] };
    const dry = await rehearsal.call('change-order-api', { params: { id: order.id }, body, query: DRY });
    const real = await rehearsal.call('change-order-api', { params: { id: order.id }, body });
    expect([real.status, disagreement(dry, real)]).toEqual([200, undefined]);
    expect(await servedBy(rehearsal, order.id)).toEqual(served);
    expect(nodesOf(await rehearsal.order(order.id))).toEqual(nodes);
    expect(await rehearsal.stockOf('mug-blue')).toMatchObject(levels);
  });

  test('loses the line by Change Order, and keeps another one', async (rehearsal) => {
    const { order } = await ordered(rehearsal, { lines: [{ sku: 'mug-green', qty: 1 }, mugs(5)] });
    const body = { lines: [{ lineId: order.lines[1]?.lineId ?? '', qty: 0 }] };
    await rehearsal.api('change-order-api', { params: { id: order.id }, body });
    expect(await servedBy(rehearsal, order.id)).toEqual(['dc-01 allocated 1', 'store-01 cancelled 3']);
    expect(await rehearsal.reserved('mug-blue')).toBe(0);
  });

  test('is sent to another address in both parcels, and is collected only where one location has all units', async (rehearsal) => {
    const { order, second } = await ordered(rehearsal);
    const change = (body: object) => rehearsal.call('change-order-api', { params: { id: order.id }, body: body as never });
    const shippingAddress = { ...ADDRESS, line1: '7 Shop Street' };
    expect((await change({ shippingAddress })).status).toBe(200);
    expect(await rehearsal.fulfillmentOrder(second)).toMatchObject({ state: 'allocated', version: 3 });
    const collection = { collection: { locationId: 'store-02' } };
    expect(await change(collection)).toMatchObject({ status: 409, body: { code: 'insufficient_stock' } });
    await count(rehearsal, 'dc-02', 5);
    expect((await change(collection)).status).toBe(200);
    expect(await servedBy(rehearsal, order.id)).toEqual(['dc-01 cancelled 2', 'store-01 cancelled 3', 'dc-02 allocated 5']);
    expect(nodesOf(await rehearsal.order(order.id))).toEqual(['dc-02', undefined]);
  });

  test('gets short units from a third location', async (rehearsal) => {
    const { order, first } = await ordered(rehearsal);
    await rehearsal.short(order, first, 0);
    expect(await servedBy(rehearsal, order.id)).toEqual(['dc-01 cancelled 2', 'store-01 allocated 3', 'dc-02 allocated 2']);
    expect(nodesOf(await rehearsal.order(order.id))).toEqual(['dc-02', ['dc-02 2', 'store-01 3']]);
    for (const { id, state } of await rehearsal.routed(order.id))
      if (state === 'allocated') await rehearsal.delivered(await rehearsal.dispatched(id));
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 5, cancelledQty: 0 }] });
  });

  test('keeps the reservation of its other location until the SIM has booked its parcel', async (rehearsal) => {
    const { order, first } = await ordered(rehearsal);
    await rehearsal.short(order, first, 0);
    await rehearsal.fault('down', { match: { api: 'move-reservation' }, fault: { kind: 'outage' } });
    for (const { id, state } of await rehearsal.routed(order.id))
      if (state === 'allocated') await rehearsal.delivered(await rehearsal.dispatched(id));
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed' });
    await rehearsal.noFaults();
    await rehearsal.advance('P1D');
    expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-02': [0, 0], 'store-01': [0, 0] });
  });

  test('gets short units from its other location, which then serves the whole line', async (rehearsal) => {
    const { order, first } = await ordered(rehearsal);
    await count(rehearsal, 'dc-02', 0);
    await count(rehearsal, 'store-01', 5);
    await rehearsal.short(order, first, 0);
    expect(await servedBy(rehearsal, order.id)).toEqual(['dc-01 cancelled 2', 'store-01 allocated 3', 'store-01 allocated 2']);
    expect(nodesOf(await rehearsal.order(order.id))).toEqual(['store-01', undefined]);
  });

  test('is cancelled, and both locations have their units back', async (rehearsal) => {
    const { order, second } = await ordered(rehearsal);
    await rehearsal.packed(second);
    expect((await rehearsal.cancel(order.id)).status).toBe(200);
    expect(await servedBy(rehearsal, order.id)).toEqual(['dc-01 cancelled 2', 'store-01 cancelled 3']);
    expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [2, 0], 'store-01': [3, 0] });
  });

  test('gives back the share of the units in a lost parcel, then of returned ones', async (rehearsal) => {
    const { order, first, second } = await ordered(rehearsal);
    // 5 × 12.99; two of five units are worth floor(64.95 · 2 / 5) = 25.98.
    await rehearsal.lost(await rehearsal.dispatched(first));
    await rehearsal.delivered(await rehearsal.dispatched(second));
    const after = await rehearsal.order(order.id);
    expect(after).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 3, cancelledQty: 2 }] });
    expect(await paidBack(rehearsal, order.id)).toBe(2_598);
    const returned = await rehearsal.inspected(after, 3);
    await rehearsal.settle();
    expect(await rehearsal.returned(returned)).toMatchObject({ state: 'refunded', refundAmount: { amount: 3_897 } });
    expect(await paidBack(rehearsal, order.id)).toBe(6_495);
  });
});

describe('A return of a line from two locations, without a location', () => {
  /** Five delivered mugs: two from a warehouse, three from a store. */
  const arrived = (rehearsal: TestRehearsal) => rehearsal.completed([mugs(5)]);
  type Arrived = Awaited<ReturnType<typeof arrived>>;
  /** Where the units go that a carrier collects. */
  const back = async (rehearsal: TestRehearsal, order: Arrived, qty: number) =>
    (await rehearsal.announced(order, qty, { dropOff: 'carrier' })).locationId;
  const announce = (rehearsal: TestRehearsal, order: Arrived, qty: number, more: object = {}) =>
    rehearsal.announce({ orderId: order.id, lines: [{ orderLineId: order.lines[0]?.lineId, qty, reason: 'too small' }], ...more });

  test('goes to the location that sent all of them, and then to the one whose units are not back', async (rehearsal) => {
    const order = await arrived(rehearsal);
    expect(await back(rehearsal, order, 3)).toBe('store-01');
    expect(await back(rehearsal, order, 1)).toBe('dc-01');
    expect(await back(rehearsal, order, 1)).toBe('dc-01');
  });

  test('goes to the next location when the first one has its units back', async (rehearsal) => {
    const order = await arrived(rehearsal);
    expect([await back(rehearsal, order, 2), await back(rehearsal, order, 2)]).toEqual(['dc-01', 'store-01']);
  });

  test('goes to the first location again after a return to it was rejected', async (rehearsal) => {
    const order = await arrived(rehearsal);
    const { id, locationId } = await rehearsal.announced(order, 2, { dropOff: 'carrier' });
    await rehearsal.moved(id, 'reject');
    expect([locationId, await back(rehearsal, order, 2)]).toEqual(['dc-01', 'dc-01']);
  });

  test('never goes to a location whose parcel was lost', async (rehearsal) => {
    const { order, first, second } = await ordered(rehearsal);
    await rehearsal.lost(await rehearsal.dispatched(first));
    await rehearsal.delivered(await rehearsal.dispatched(second));
    expect(await back(rehearsal, order, 1)).toBe('store-01');
  });

  test('is refused for more units than one location sent, and goes to a location that the request names', async (rehearsal) => {
    const order = await arrived(rehearsal);
    const dry = await rehearsal.call('create-return-api', {
      body: { orderId: order.id, lines: [{ orderLineId: order.lines[0]?.lineId ?? '', qty: 4, reason: 'too small' }] },
      query: DRY,
    });
    const refused = await announce(rehearsal, order, 4);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/locationId', code: 'location_required' }] } });
    expect(refused.body.detail).toContain('2 from dc-01, 3 from store-01');
    expect(disagreement(dry, refused)).toBeUndefined();
    expect((await announce(rehearsal, order, 6)).body).toMatchObject({ code: 'return_quantity_exceeded' });
    const named = await announce(rehearsal, order, 5, { locationId: 'dc-02' });
    expect(named).toMatchObject({ status: 201, body: { dropOff: 'carrier', locationId: 'dc-02' } });
  });
});

describe('A return of several lines, without a location', () => {
  /** Five blue mugs, two from a warehouse and three from a store, and green ones from the warehouse alone. */
  const arrived = (rehearsal: TestRehearsal) => rehearsal.completed([mugs(5), { sku: 'mug-green', qty: 2 }]);
  const back = async (
    rehearsal: TestRehearsal,
    { id, lines }: { id: string; lines: readonly { lineId: string }[] },
    ...units: number[]
  ) => {
    const asked = lines.flatMap(({ lineId }, place) =>
      units[place] ? [{ orderLineId: lineId, qty: units[place], reason: 'too small' }] : [],
    );
    return rehearsal.announce({ orderId: id, lines: asked, dropOff: 'carrier' });
  };

  test('goes to the location that sent all units of each line, whichever line is the first', async (rehearsal) => {
    const order = await arrived(rehearsal);
    const reversed = { ...order, lines: order.lines.toReversed() };
    expect((await back(rehearsal, order, 1, 1)).body.locationId).toBe('dc-01');
    expect((await back(rehearsal, reversed, 1, 1)).body.locationId).toBe('dc-01');
    expect((await back(rehearsal, order, 3)).body.locationId).toBe('store-01');
  });

  test('is refused if no location sent all of them, and names what each location sent', async (rehearsal) => {
    const order = await arrived(rehearsal);
    const [blue, green] = order.lines.map(({ lineId }) => lineId);
    const refused = await back(rehearsal, order, 3, 1);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/locationId', code: 'location_required' }] } });
    expect(refused.body.detail).toContain(`3 of ${blue} (2 from dc-01, 3 from store-01), 1 of ${green} (2 from dc-01)`);
    expect((await back(rehearsal, { ...order, lines: order.lines.toReversed() }, 1, 3)).body.errors).toMatchObject([
      { code: 'location_required' },
    ]);
  });

  test('goes to the location of the first line if each line came from one location', async (rehearsal) => {
    await count(rehearsal, 'dc-01', 0);
    const order = await rehearsal.completed([{ sku: 'mug-green', qty: 1 }, mugs(2)]);
    expect((await back(rehearsal, order, 1, 1)).body.locationId).toBe('dc-01');
  });

  test('never goes to a location for units that it lacked when they were picked', async (rehearsal) => {
    const { order, first } = await ordered(rehearsal);
    await rehearsal.short(order, first, 1);
    await rehearsal.picked(first, 'packed');
    await rehearsal.delivered(await rehearsal.handedOver(first));
    for (const { id, state } of await rehearsal.routed(order.id))
      if (state === 'allocated') await rehearsal.delivered(await rehearsal.dispatched(id));
    expect((await back(rehearsal, await rehearsal.order(order.id), 2)).body.locationId).toBe('store-01');
  });

  test('counts several parcels of one location together', async (rehearsal) => {
    const { order, first } = await ordered(rehearsal);
    // The warehouse has no mug, so the store sends the two missing ones in a second parcel.
    await count(rehearsal, 'dc-02', 0);
    await count(rehearsal, 'store-01', 5);
    await rehearsal.short(order, first, 0);
    for (const { id, state } of await rehearsal.routed(order.id))
      if (state === 'allocated') await rehearsal.delivered(await rehearsal.dispatched(id));
    expect((await back(rehearsal, await rehearsal.order(order.id), 5)).body.locationId).toBe('store-01');
  });
});

describe('A line from two locations whose value does not divide evenly', () => {
  // 5 × 12.99 − 0.01, or 5 × 1299 − 1 yen, are 6494. The first two of five units are worth floor(6494 · 2 / 5) = 2597, the other three 3897.
  test.each([['EUR'], ['JPY']] as const)('is paid back to the last minor unit, in %s', async (_scene, currency) => {
    await using rehearsal = await split({ currency });
    const money = (amount: number) => ({ amount, currency });
    const lines = [{ ...mugs(5), unitPrice: money(1_299), discount: money(1) }];
    const body = {
      priceSource: 'given' as const,
      reference: { source: 'shop', id: '1' },
      lines,
      total: money(6_494),
      shippingAddress: ADDRESS,
    };
    const { id } = await rehearsal.api('create-order-api', { body });
    await rehearsal.authorisation(id);
    const { order, first, second } = await ordered(rehearsal, id);
    expect(nodesOf(order)).toEqual(['dc-01', ['dc-01 2', 'store-01 3']]);
    await rehearsal.lost(await rehearsal.dispatched(first));
    await rehearsal.delivered(await rehearsal.dispatched(second));
    expect(await paidBack(rehearsal, id)).toBe(2_597);
    await rehearsal.inspected(await rehearsal.order(id), 3);
    await rehearsal.settle();
    expect(await paidBack(rehearsal, id)).toBe(6_494);
    await rehearsal.verify();
  });
});

describe('The replacement of a line from two locations', () => {
  testOfPatient('comes in one parcel from a location that has all units, after the loss of both parcels', async (rehearsal) => {
    const { order, first, second } = await ordered(rehearsal);
    for (const id of [first, second]) await rehearsal.lost(await rehearsal.dispatched(id));
    await count(rehearsal, 'store-02', 5);
    const lines = [{ orderLineId: order.lines[0]?.lineId ?? '', qty: 5 }];
    const { moves } = await rehearsal.control('explain-object', { params: { type: 'order', id: order.id } });
    expect(moves.find(({ verb }) => verb === 'replace')).toMatchObject({ possible: true, input: { body: { lines, reason: 'lost' } } });
    const { lines: replaced } = await rehearsal.api('create-replacement-api', {
      params: { id: order.id },
      body: { lines, reason: 'lost' },
    });
    expect(replaced.map(({ qty }) => qty)).toEqual([2, 3]);
    expect((await servedBy(rehearsal, order.id)).slice(2)).toEqual(['store-02 allocated 5']);
    await rehearsal.delivered(await rehearsal.dispatched((await rehearsal.routed(order.id))[2]?.id ?? ''));
    expect(await rehearsal.order(order.id)).toMatchObject({
      state: 'completed',
      lines: [{ fulfilledQty: 5, cancelledQty: 0 }],
      replacements: [{ lines: [{ deliveredQty: 2 }, { deliveredQty: 3 }] }],
    });
  });

  test('comes from two locations again, and nobody pays for it', async (rehearsal) => {
    const order = await rehearsal.completed([mugs(5)]);
    for (const locationId of ['dc-01', 'store-03']) await count(rehearsal, locationId, 2);
    const lines = [{ orderLineId: order.lines[0]?.lineId ?? '', qty: 4 }];
    await rehearsal.api('create-replacement-api', { params: { id: order.id }, body: { lines, reason: 'damaged' } });
    expect((await servedBy(rehearsal, order.id)).slice(2)).toEqual(['dc-01 allocated 2', 'dc-02 allocated 2']);
    for (const { id } of (await rehearsal.routed(order.id)).slice(2)) await rehearsal.delivered(await rehearsal.dispatched(id));
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', replacements: [{ lines: [{ deliveredQty: 4 }] }] });
    expect(await paidBack(rehearsal, order.id)).toBe(0);
  });
});
