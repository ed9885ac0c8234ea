import { describe, expect } from '@jest/globals';
import { LIMITS } from '../../shared/catalog/limits.ts';
import { ADDRESS, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { onMonday } from '../support/steps/collection.ts';
import { CASH } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const manual = { warehouse: 'manual', carrier: 'manual', returns: 'manual' } as const;
const test = testIn(() => newRehearsal(manual));
/** The retailer has two days to replace lost goods. */
const testOfPatient = testIn(() => newRehearsal(manual, { retailer: { replaceLostWithin: 'P2D' } }));

const testOnMonday = testIn(() => onMonday());

const MUG = { sku: 'mug-blue', qty: 2 };
const LAMP = { sku: 'lamp-last-one', qty: 1 };

type Order = Awaited<ReturnType<TestRehearsal['order']>>;

const lineOf = ({ lines }: Order, place = 0): string => lines[place]?.lineId ?? '';

/** Calls Create Replacement for units of a line. */
const replace = (rehearsal: TestRehearsal, order: Order, reason: string, { qty = 1, line = 0, ...more }: Replacing = {}) => {
  const { key, ...body } = more;
  return rehearsal.call('create-replacement-api', {
    params: { id: order.id },
    body: { lines: [{ orderLineId: lineOf(order, line), qty }], reason, ...body },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
};
interface Replacing {
  readonly qty?: number;
  readonly line?: number;
  readonly storeId?: string;
  readonly key?: string;
}

/** An order whose only parcel the carrier has lost. */
async function lostOrder(rehearsal: TestRehearsal, goods: Parameters<TestRehearsal['confirmed']>[0] = {}) {
  const { id } = await rehearsal.confirmed(goods);
  const fulfilment = await rehearsal.onlyFulfilment(id);
  const parcel = await rehearsal.dispatched(fulfilment);
  await rehearsal.lost(parcel);
  return { order: await rehearsal.order(id), fulfilment, parcel };
}

/** Replaces lost goods, loses their replacement as well, and replaces `again` units of it. @returns the second lost parcel */
async function lostAgain(rehearsal: TestRehearsal, order: Order, { first, again }: Record<'first' | 'again', number>) {
  await replace(rehearsal, order, 'lost', { qty: first });
  const parcel = await rehearsal.dispatched(await newest(rehearsal, order));
  await rehearsal.lost(parcel);
  await replace(rehearsal, order, 'lost', { qty: again });
  return parcel;
}

/** The newest fulfillment order of an order. */
const newest = async (rehearsal: TestRehearsal, { id }: Order): Promise<string> => {
  await rehearsal.settle();
  return (await rehearsal.routed(id)).at(-1)?.id ?? '';
};

const moneyOf = async (rehearsal: TestRehearsal, { id }: Order) => {
  const { payments, totals, paymentStatus } = await rehearsal.order(id);
  return { totals, paymentStatus, payments };
};

describe('Goods that arrived damaged, wrong or not at all', () => {
  test('Create Replacement sends a damaged mug again: stock leaves, and no money and no points move', async (rehearsal) => {
    const order = await rehearsal.completed([MUG]);
    await rehearsal.settle();
    const before = await moneyOf(rehearsal, order);
    const points = await rehearsal.object('loyalty-account', 'loy_ada');
    const onHand = await rehearsal.onHand('mug-blue', 'dc-01');
    const { status, body } = await replace(rehearsal, order, 'damaged');
    expect([status, body]).toMatchObject([
      201,
      { reason: 'damaged', orderId: order.id, lines: [{ sku: 'mug-blue', qty: 1, deliveredQty: 0 }] },
    ]);
    const second = await newest(rehearsal, order);
    const [event, ...others] = await rehearsal.events({ type: 'ext.replacement-created', subject: `order/${order.id}` });
    expect([event?.data.object.replacements, others]).toMatchObject([[{ id: body.id, reason: 'damaged' }], []]);
    expect(await rehearsal.fulfillmentOrder(second)).toMatchObject({ state: 'allocated', replacementId: body.id, lines: [{ qty: 1 }] });
    await rehearsal.delivered(await rehearsal.dispatched(second));
    const after = await rehearsal.order(order.id);
    expect(after).toMatchObject({ state: 'completed', lines: [{ qty: 2, fulfilledQty: 2, returnedQty: 0, cancelledQty: 0 }] });
    expect(after.replacements).toMatchObject([{ id: body.id, lines: [{ deliveredQty: 1, failedQty: 0 }] }]);
    expect(await moneyOf(rehearsal, order)).toEqual(before);
    expect(await rehearsal.object('loyalty-account', 'loy_ada')).toEqual(points);
    expect(await rehearsal.onHand('mug-blue', 'dc-01')).toBe(onHand - 1);
  });

  test('Create Replacement refuses more units than were delivered, and a unit that is replaced already', async (rehearsal) => {
    const order = await rehearsal.completed([MUG]);
    const most = (replaceable: number) => [409, { code: 'replacement_quantity_exceeded', lines: [{ replaceable }] }];
    const of = async (qty: number) => {
      const { status, body } = await replace(rehearsal, order, 'wrong', { qty });
      return [status, body];
    };
    expect(await of(3)).toMatchObject(most(2));
    expect((await of(1))[0]).toBe(201);
    expect(await of(2)).toMatchObject(most(1));
    expect((await of(1))[0]).toBe(201);
    expect(await of(1)).toMatchObject(most(0));
    for (const { id } of (await rehearsal.routed(order.id)).slice(1)) await rehearsal.delivered(await rehearsal.dispatched(id));
    expect(await of(1)).toMatchObject(most(0));
  });

  test('Create Return refuses a unit that is being replaced, and takes it when the goods in its place have arrived', async (rehearsal) => {
    const order = await rehearsal.completed([{ sku: 'mug-blue', qty: 1 }]);
    await replace(rehearsal, order, 'damaged');
    const body = { orderId: order.id, lines: [{ orderLineId: lineOf(order), qty: 1, reason: 'too blue' }], locationId: 'store-01' };
    const refused = await rehearsal.announce(body);
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'return_quantity_exceeded', lines: [{ returnable: 0 }] }]);
    await rehearsal.delivered(await rehearsal.dispatched(await newest(rehearsal, order)));
    const id = await rehearsal.inspected(order);
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'refunded', refundAmount: order.lines[0].lineTotal });
  });

  test('Create Replacement refuses a unit of a return that is not rejected', async (rehearsal) => {
    const order = await rehearsal.completed([{ sku: 'mug-blue', qty: 1 }]);
    const { id } = await rehearsal.announced(order);
    expect((await replace(rehearsal, order, 'damaged')).body).toMatchObject({ code: 'replacement_quantity_exceeded' });
    await rehearsal.moved(id, 'reject');
    expect((await replace(rehearsal, order, 'damaged')).status).toBe(201);
  });

  test('A replacement that is lost or short frees its unit, which can be replaced again', async (rehearsal) => {
    const order = await rehearsal.completed([{ sku: 'mug-blue', qty: 1 }]);
    const failed = async (place: number) => (await rehearsal.order(order.id)).replacements?.[place]?.lines;
    await replace(rehearsal, order, 'damaged');
    const parcel = await rehearsal.dispatched(await newest(rehearsal, order));
    await rehearsal.lost(parcel);
    expect(await failed(0)).toMatchObject([{ deliveredQty: 0, failedQty: 1 }]);
    await replace(rehearsal, order, 'damaged');
    await rehearsal.short(order, await newest(rehearsal, order), 0);
    expect(await failed(1)).toMatchObject([{ deliveredQty: 0, failedQty: 1 }]);
    expect((await replace(rehearsal, order, 'missing')).status).toBe(201);
    await rehearsal.delivered(await rehearsal.dispatched(await newest(rehearsal, order)));
    await rehearsal.scanned(parcel, 'find');
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'paid', lines: [{ fulfilledQty: 1 }] },
      reconciliation: [{ reason: 'delivered-after-replacement' }],
      replacements: [{ lines: [{ failedQty: 1 }] }, {}, { lines: [{ deliveredQty: 1 }] }],
    });
  });

  test('Create Replacement refuses sold-out goods with 409, and nothing has happened', async (rehearsal) => {
    const order = await rehearsal.completed([LAMP]);
    const before = await rehearsal.order(order.id);
    const { status, body } = await replace(rehearsal, order, 'damaged');
    expect([status, body]).toMatchObject([409, { code: 'insufficient_stock' }]);
    expect(body.detail).toContain('Refund them by a return');
    expect(await rehearsal.order(order.id)).toEqual(before);
    await rehearsal.inspected(order);
  });
});

describe('Goods that come back for a replacement', () => {
  test('A damaged mug comes back for its replacement: it is worth nothing, and the customer can still return the other one', async (rehearsal) => {
    const order = await rehearsal.completed([{ sku: 'mug-blue', qty: 1 }]);
    const before = await moneyOf(rehearsal, order);
    const { body } = await replace(rehearsal, order, 'damaged');
    const more = { replacementId: body.id as string };
    const id = await rehearsal.inspected(order, 1, more);
    expect(await rehearsal.returned(id)).toMatchObject({ state: 'refunded', ...more, refundAmount: { amount: 0 }, refunds: [] });
    expect(await moneyOf(rehearsal, order)).toEqual(before);
    const again = await rehearsal.announce({
      ...{ orderId: order.id, lines: [{ orderLineId: lineOf(order), qty: 1, reason: 'again' }], locationId: 'store-01' },
      ...more,
    });
    expect([again.status, again.body]).toMatchObject([409, { code: 'return_quantity_exceeded', lines: [{ returnable: 0 }] }]);
    await rehearsal.delivered(await rehearsal.dispatched(await newest(rehearsal, order)));
    const other = await rehearsal.inspected(order);
    expect(await rehearsal.returned(other)).toMatchObject({ state: 'refunded', refundAmount: order.lines[0].lineTotal });
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 1, returnedQty: 1 }] });
  });

  test('Units that came back for a replacement that failed are with nobody: Create Return refuses them until they are replaced again', async (rehearsal) => {
    const order = await rehearsal.completed([MUG]);
    const { body } = await replace(rehearsal, order, 'wrong', { qty: 2 });
    await rehearsal.inspected(order, 2, { replacementId: body.id as string });
    await rehearsal.lost(await rehearsal.dispatched(await newest(rehearsal, order)));
    const onHand = await rehearsal.onHand('mug-blue', 'store-01');
    const announce = async (more: object = {}) => {
      const lines = [{ orderLineId: lineOf(order), qty: 2, reason: 'x' }];
      const { status, body: answer } = await rehearsal.announce({ orderId: order.id, lines, locationId: 'store-01', ...more });
      return [status, answer];
    };
    const refused = [409, { code: 'return_quantity_exceeded', lines: [{ returnable: 0 }] }];
    expect(await announce()).toMatchObject(refused);
    const second = await replace(rehearsal, order, 'wrong', { qty: 2 });
    expect(second.status).toBe(201);
    await rehearsal.delivered(await rehearsal.dispatched(await newest(rehearsal, order)));
    expect(await announce({ replacementId: second.body.id })).toMatchObject(refused);
    await rehearsal.inspected(order, 2);
    expect(await rehearsal.onHand('mug-blue', 'store-01')).toBe(onHand + 2);
    await rehearsal.verify();
  });

  test('Create Return refuses missing goods whose replacement failed', async (rehearsal) => {
    const order = await rehearsal.completed([MUG]);
    await replace(rehearsal, order, 'missing');
    await rehearsal.lost(await rehearsal.dispatched(await newest(rehearsal, order)));
    const lines = [{ orderLineId: lineOf(order), qty: 2, reason: 'x' }];
    const { body } = await rehearsal.announce({ orderId: order.id, lines, locationId: 'store-01' });
    expect(body).toMatchObject({ code: 'return_quantity_exceeded', lines: [{ returnable: 1 }] });
    expect(body.detail).toContain('Refund Payment');
  });

  test('Create Return refuses a replacement of another order, one for missing goods, and an exchange', async (rehearsal) => {
    const order = await rehearsal.completed([MUG]);
    const { body } = await replace(rehearsal, order, 'missing');
    const announce = (more: object) =>
      rehearsal.announce({
        ...{ orderId: order.id, lines: [{ orderLineId: lineOf(order), qty: 1, reason: 'x' }], locationId: 'store-01' },
        ...more,
      });
    expect((await announce({ replacementId: 'rpl_nobody' })).body).toMatchObject({ errors: [{ pointer: '/replacementId' }] });
    expect((await announce({ replacementId: body.id })).body).toMatchObject({ code: 'return_quantity_exceeded' });
    expect((await announce({ replacementId: body.id, resolution: 'exchange' })).body).toMatchObject({
      errors: [{ pointer: '/resolution' }],
    });
  });
});

describe('Lost parcels', () => {
  test('Goods of a lost parcel are refunded immediately by default, and cannot be replaced', async (rehearsal) => {
    const { order } = await lostOrder(rehearsal, MUG);
    expect(order).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
    const { status, body } = await replace(rehearsal, order, 'lost');
    expect([status, body.code]).toEqual([409, 'invalid_state_transition']);
    expect(body.detail).toContain('replaceLostWithin');
  });

  testOfPatient('With replaceLostWithin, lost goods are refunded when nobody has replaced them in time', async (rehearsal) => {
    const { order } = await lostOrder(rehearsal, MUG);
    expect(order).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid', lines: [{ fulfilledQty: 0, cancelledQty: 0 }] });
    await rehearsal.advance('P2D');
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded' });
  });

  testOfPatient('Create Replacement sends lost goods again, and the order is completed with them', async (rehearsal) => {
    const { order, parcel } = await lostOrder(rehearsal, MUG);
    const before = await moneyOf(rehearsal, order);
    expect((await replace(rehearsal, order, 'lost', { qty: 3 })).body).toMatchObject({ code: 'replacement_quantity_exceeded' });
    expect((await replace(rehearsal, order, 'lost', { qty: 2 })).status).toBe(201);
    expect((await replace(rehearsal, order, 'lost')).body).toMatchObject({
      code: 'replacement_quantity_exceeded',
      lines: [{ replaceable: 0 }],
    });
    await rehearsal.advance('P3D');
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'in-fulfilment' });
    await rehearsal.delivered(await rehearsal.dispatched(await newest(rehearsal, order)));
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'completed', lines: [{ fulfilledQty: 2, cancelledQty: 0 }] },
      replacements: [{ reason: 'lost', lines: [{ qty: 2, deliveredQty: 2 }] }],
    });
    expect(await moneyOf(rehearsal, order)).toEqual(before);
    await rehearsal.scanned(parcel, 'find');
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'completed', lines: [{ fulfilledQty: 2 }] },
      reconciliation: [{ reason: 'delivered-after-replacement' }],
    });
  });

  testOfPatient('A store hands over what a carrier lost: the order is completed with it', async (rehearsal) => {
    const { order } = await lostOrder(rehearsal, MUG);
    expect((await replace(rehearsal, order, 'lost', { qty: 1, storeId: 'store-01' })).body).toMatchObject({ lines: [{ deliveredQty: 1 }] });
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'partially-fulfilled', lines: [{ fulfilledQty: 1, cancelledQty: 0 }] });
    await rehearsal.advance('P2D');
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 1, cancelledQty: 1 }] });
  });

  testOfPatient('Found goods whose replacement comes back afterwards count as delivered, and are not refunded', async (rehearsal) => {
    const { order, parcel } = await lostOrder(rehearsal, MUG);
    await replace(rehearsal, order, 'lost', { qty: 2 });
    const second = await rehearsal.dispatched(await newest(rehearsal, order));
    await rehearsal.scanned(parcel, 'find');
    const reasons = async () => (await rehearsal.order(order.id)).reconciliation?.map(({ reason }) => reason);
    expect(await reasons()).toEqual(['delivered-after-replacement']);
    await rehearsal.scanned(second, 'collect', 'return');
    await rehearsal.settle();
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'paid', lines: [{ fulfilledQty: 2, cancelledQty: 0 }] },
      replacements: [{ lines: [{ deliveredQty: 0, failedQty: 2, foundQty: 2 }] }],
    });
    expect(await reasons()).toBeUndefined();
    await rehearsal.verify();
  });

  testOfPatient('Of two found units, one counts in place of a lost one, and the other is more than was paid for', async (rehearsal) => {
    const { order, parcel } = await lostOrder(rehearsal, MUG);
    await replace(rehearsal, order, 'lost', { qty: 1 });
    const first = await rehearsal.dispatched(await newest(rehearsal, order));
    await replace(rehearsal, order, 'lost', { qty: 1 });
    const second = await rehearsal.dispatched(await newest(rehearsal, order));
    await rehearsal.scanned(parcel, 'find');
    await rehearsal.scanned(first, 'collect', 'return');
    await rehearsal.settle();
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'partially-fulfilled', paymentStatus: 'paid', lines: [{ fulfilledQty: 1, cancelledQty: 0 }] },
      reconciliation: [{ reason: 'delivered-after-replacement' }],
    });
    await rehearsal.verify();
    await rehearsal.delivered(second);
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'paid', lines: [{ fulfilledQty: 2 }] },
      reconciliation: [{ reason: 'delivered-after-replacement' }],
    });
    await rehearsal.verify();
  });

  testOfPatient('Goods that are found while their lost replacement waits for its refund count as delivered', async (rehearsal) => {
    const { order, parcel } = await lostOrder(rehearsal, MUG);
    await replace(rehearsal, order, 'lost', { qty: 2 });
    await rehearsal.lost(await rehearsal.dispatched(await newest(rehearsal, order)));
    await rehearsal.scanned(parcel, 'find');
    await rehearsal.advance('P3D');
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'paid', lines: [{ fulfilledQty: 2, cancelledQty: 0 }] },
      replacements: [{ lines: [{ failedQty: 2, foundQty: 2 }] }],
    });
    expect(await rehearsal.order(order.id)).not.toHaveProperty('reconciliation');
    await rehearsal.verify();
  });

  testOfPatient(
    'Goods that are found after the refund of their replacement are named as delivered after their refund',
    async (rehearsal) => {
      const { order, parcel } = await lostOrder(rehearsal, MUG);
      await replace(rehearsal, order, 'lost', { qty: 2 });
      await rehearsal.lost(await rehearsal.dispatched(await newest(rehearsal, order)));
      await rehearsal.advance('P3D');
      await rehearsal.scanned(parcel, 'find');
      expect(await rehearsal.order(order.id)).toMatchObject({
        ...{ state: 'cancelled', paymentStatus: 'refunded' },
        reconciliation: [{ reason: 'delivered-after-refund' }],
      });
      await rehearsal.verify();
    },
  );

  testOfPatient('Lost goods that were refunded as goodwill are not sent again, and no store hands them over', async (rehearsal) => {
    const { order } = await lostOrder(rehearsal, MUG);
    const { amount } = order.totals.total;
    expect((await rehearsal.refund(order.payments[0]?.id ?? '', amount)).status).toBe(201);
    const unpaid = [409, { code: 'payment_incomplete', id: order.id, outstanding: order.totals.total }];
    const atStore = await replace(rehearsal, order, 'lost', { qty: 2, storeId: 'store-01' });
    expect([atStore.status, atStore.body]).toMatchObject(unpaid);
    expect((await replace(rehearsal, order, 'lost', { qty: 2 })).status).toBe(201);
    const second = await newest(rehearsal, order);
    await rehearsal.packed(second);
    const { status, body } = await rehearsal.call('dispatch-fulfillment-order-api', { params: { id: second } });
    expect([status, body]).toMatchObject(unpaid);
  });

  testOfPatient('Of two lost units, one is replaced and the other refunded in time', async (rehearsal) => {
    const { order, parcel } = await lostOrder(rehearsal, MUG);
    await replace(rehearsal, order, 'lost', { qty: 1 });
    await rehearsal.advance('P2D');
    expect(await rehearsal.order(order.id)).toMatchObject({
      state: 'in-fulfilment',
      lines: [{ cancelledQty: 1 }],
      payments: [{ state: 'partially-refunded' }],
    });
    await rehearsal.delivered(await rehearsal.dispatched(await newest(rehearsal, order)));
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', lines: [{ cancelledQty: 1, fulfilledQty: 1 }] });
    await rehearsal.scanned(parcel, 'find');
    expect((await rehearsal.order(order.id)).reconciliation).toMatchObject([{ reason: 'delivered-after-refund' }]);
  });

  testOfPatient('A lost replacement of lost goods is replaced again, or refunded in time', async (rehearsal) => {
    const { order } = await lostOrder(rehearsal, MUG);
    await replace(rehearsal, order, 'lost', { qty: 2 });
    await rehearsal.lost(await rehearsal.dispatched(await newest(rehearsal, order)));
    expect((await replace(rehearsal, order, 'lost')).status).toBe(201);
    await rehearsal.advance('P2D');
    await rehearsal.delivered(await rehearsal.dispatched(await newest(rehearsal, order)));
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'completed', lines: [{ fulfilledQty: 1, cancelledQty: 1 }] },
      replacements: [{ lines: [{ deliveredQty: 0, failedQty: 2 }] }, { lines: [{ deliveredQty: 1, failedQty: 0 }] }],
    });
  });

  testOfPatient(
    'Two lost parcels that are found after each was replaced are named as delivered after their replacement',
    async (rehearsal) => {
      const { id: basketId } = await rehearsal.checkedOut({ sku: 'mug-blue', qty: 3 }, { shortage: 'cancel' });
      const confirmed = await rehearsal.confirmed((await rehearsal.authorised(basketId)).id);
      const fulfilment = await rehearsal.onlyFulfilment(confirmed.id);
      const { id } = await rehearsal.short(confirmed, fulfilment, 2);
      await rehearsal.api('update-picking-status-api', { params: { id }, body: { status: 'packed' } });
      const { shipments } = await rehearsal.api('dispatch-fulfillment-order-api', { params: { id: fulfilment } });
      await rehearsal.lost(shipments[0].id);
      const second = await lostAgain(rehearsal, confirmed, { first: 2, again: 2 });
      await rehearsal.scanned(shipments[0].id, 'find');
      await rehearsal.scanned(second, 'find');
      await rehearsal.delivered(await rehearsal.dispatched(await newest(rehearsal, confirmed)));
      expect(await rehearsal.order(confirmed.id)).toMatchObject({
        ...{ state: 'completed', lines: [{ qty: 3, fulfilledQty: 2, cancelledQty: 1 }] },
        reconciliation: [{ reason: 'delivered-after-replacement' }, { reason: 'delivered-after-replacement' }],
      });
      await rehearsal.advance('P3D');
      await rehearsal.verify();
    },
  );

  testOfPatient(
    'Goods that are found after the refund of the second replacement are named as delivered after their refund',
    async (rehearsal) => {
      const { order, parcel } = await lostOrder(rehearsal, MUG);
      const second = await lostAgain(rehearsal, order, { first: 2, again: 1 });
      await rehearsal.scanned(await rehearsal.dispatched(await newest(rehearsal, order)), 'collect', 'return');
      await rehearsal.settle();
      await rehearsal.scanned(parcel, 'find');
      await rehearsal.scanned(second, 'find');
      expect(await rehearsal.order(order.id)).toMatchObject({
        ...{ state: 'completed', paymentStatus: 'partially-refunded', lines: [{ fulfilledQty: 1, cancelledQty: 1 }] },
        reconciliation: [{ reason: 'delivered-after-refund' }, { reason: 'delivered-after-replacement' }],
      });
      await rehearsal.advance('P3D');
      await rehearsal.verify();
    },
  );

  testOfPatient('Found goods that stand in for a failed second replacement leave no goods that were refunded', async (rehearsal) => {
    const { order, parcel } = await lostOrder(rehearsal, MUG);
    const second = await lostAgain(rehearsal, order, { first: 2, again: 2 });
    await rehearsal.scanned(parcel, 'find');
    await rehearsal.scanned(await rehearsal.dispatched(await newest(rehearsal, order)), 'collect', 'return');
    await rehearsal.scanned(second, 'find');
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'paid', lines: [{ fulfilledQty: 2, cancelledQty: 0 }] },
      reconciliation: [{ reason: 'delivered-after-replacement' }],
    });
    await rehearsal.advance('P3D');
    await rehearsal.verify();
  });

  testOfPatient('A second lost parcel that is found after its refund time breaks no invariant', async (rehearsal) => {
    const { order, parcel } = await lostOrder(rehearsal, MUG);
    const second = await lostAgain(rehearsal, order, { first: 2, again: 1 });
    const third = await rehearsal.dispatched(await newest(rehearsal, order));
    await rehearsal.scanned(parcel, 'find');
    await rehearsal.delivered(third);
    await rehearsal.advance('P3D');
    await rehearsal.scanned(second, 'find');
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'paid', lines: [{ fulfilledQty: 2, cancelledQty: 0 }] },
      replacements: [{ lines: [{ foundQty: 1 }] }, { lines: [{ deliveredQty: 1 }] }],
      reconciliation: [{ reason: 'delivered-after-replacement' }, { reason: 'delivered-after-replacement' }],
    });
    await rehearsal.verify();
  });

  testOfPatient('A parcel that found goods stood in for is named as delivered after its replacement, not its refund', async (rehearsal) => {
    const { order, parcel } = await lostOrder(rehearsal, MUG);
    await replace(rehearsal, order, 'lost', { qty: 2 });
    const second = await rehearsal.dispatched(await newest(rehearsal, order));
    await rehearsal.lost(second);
    await rehearsal.scanned(parcel, 'find');
    await rehearsal.advance('P3D');
    await rehearsal.scanned(second, 'find');
    const found = await rehearsal.order(order.id);
    expect(found).toMatchObject({
      ...{ state: 'completed', paymentStatus: 'paid', refunds: [], lines: [{ fulfilledQty: 2, cancelledQty: 0 }] },
      reconciliation: [{ fulfillmentOrderId: await newest(rehearsal, order), reason: 'delivered-after-replacement' }],
    });
    await rehearsal.verify();
  });

  testOfPatient('A lost parcel that is found before it is replaced is delivered, and not refunded', async (rehearsal) => {
    const { order, parcel } = await lostOrder(rehearsal, MUG);
    await rehearsal.scanned(parcel, 'find');
    await rehearsal.advance('P3D');
    const found = await rehearsal.order(order.id);
    expect(found).toMatchObject({ state: 'completed', paymentStatus: 'paid', lines: [{ fulfilledQty: 2 }] });
    expect(found).not.toHaveProperty('reconciliation');
  });
});

describe('At a store', () => {
  test('A till hands goods over in place of damaged ones: they leave the stock of its store, and nothing is paid', async (rehearsal) => {
    const { id, totals } = await rehearsal.sale();
    await rehearsal.pay(id, CASH, totals.total.amount);
    await rehearsal.settle();
    const order = await rehearsal.order(id);
    const before = await moneyOf(rehearsal, order);
    const onHand = await rehearsal.onHand('mug-blue', 'store-01');
    const { status, body } = await replace(rehearsal, order, 'damaged');
    expect([status, body]).toMatchObject([201, { storeId: 'store-01', lines: [{ qty: 1, deliveredQty: 1 }] }]);
    expect(await rehearsal.onHand('mug-blue', 'store-01')).toBe(onHand - 1);
    expect(await moneyOf(rehearsal, order)).toEqual(before);
  });

  test('A store hands goods of an online order over in place of damaged ones, if it is named', async (rehearsal) => {
    const order = await rehearsal.completed([MUG]);
    const { body } = await replace(rehearsal, order, 'damaged', { storeId: 'store-01' });
    expect(body).toMatchObject({ storeId: 'store-01', lines: [{ deliveredQty: 1 }] });
    expect(await rehearsal.routed(order.id)).toHaveLength(1);
    for (const storeId of ['store-99', 'dc-01']) {
      const refused = await replace(rehearsal, order, 'damaged', { storeId });
      expect([refused.status, refused.body]).toMatchObject([422, { errors: [{ pointer: '/storeId', code: 'unknown_store' }] }]);
    }
  });
});

describe('Click and collect', () => {
  testOnMonday('Goods in place of collected ones wait at the counter with a code, and are handed over at no charge', async (rehearsal) => {
    const { orderId, fulfillmentOrderId, code } = await rehearsal.atCounter();
    await rehearsal.handOver(fulfillmentOrderId, { code });
    await rehearsal.settle();
    const order = await rehearsal.order(orderId);
    const before = await moneyOf(rehearsal, order);
    expect((await replace(rehearsal, order, 'wrong')).status).toBe(201);
    const second = await newest(rehearsal, order);
    const ready = await rehearsal.ready(second);
    expect(ready).toMatchObject({ state: 'dispatched', locationId: 'store-01', shipments: [{ state: 'held-at-depot' }] });
    expect((await rehearsal.handOver(second, { code: ready.collection?.code })).status).toBe(200);
    await rehearsal.settle();
    expect((await rehearsal.order(orderId)).replacements).toMatchObject([{ lines: [{ deliveredQty: 1 }] }]);
    expect(await moneyOf(rehearsal, order)).toEqual(before);
  });

  testOnMonday('A unit that its customer refused at the counter is not replaced before its return is booked', async (rehearsal) => {
    const { orderId, fulfillmentOrderId, code } = await rehearsal.atCounter();
    const order = await rehearsal.order(orderId);
    await rehearsal.handOver(fulfillmentOrderId, { code, refused: [{ orderLineId: lineOf(order), qty: 1, reason: 'Too blue' }] });
    await rehearsal.settle();
    const refusal = { status: 409, body: { code: 'invalid_state_transition', retryable: true } };
    expect(await replace(rehearsal, order, 'missing', { qty: 2 })).toMatchObject(refusal);
    await rehearsal.advance('PT1M');
    const exceeded = { status: 409, body: { code: 'replacement_quantity_exceeded', lines: [{ replaceable: 1 }] } };
    expect(await replace(rehearsal, order, 'missing', { qty: 2 })).toMatchObject(exceeded);
    expect(await replace(rehearsal, order, 'missing')).toMatchObject({ status: 201 });
    expect((await rehearsal.order(orderId)).returns).toMatchObject([{ state: 'received', refundAmount: { amount: 1299 } }]);
  });

  testOnMonday(
    'Goods in place of collected ones that nobody collects go back to the shelf, and their unit can be returned',
    async (rehearsal) => {
      const { orderId, fulfillmentOrderId, code } = await rehearsal.atCounter();
      await rehearsal.handOver(fulfillmentOrderId, { code });
      await rehearsal.settle();
      const order = await rehearsal.order(orderId);
      const onHand = await rehearsal.stockAt('mug-blue');
      await replace(rehearsal, order, 'damaged');
      await rehearsal.ready(await newest(rehearsal, order));
      await rehearsal.advance('P9D');
      expect((await rehearsal.order(orderId)).replacements).toMatchObject([{ lines: [{ deliveredQty: 0, failedQty: 1 }] }]);
      expect(await rehearsal.stockAt('mug-blue')).toEqual(onHand);
      expect((await rehearsal.announced(order, 2)).state).toBe('requested');
    },
  );
});

test('A change of address is refused while goods are sent in place of others', async (rehearsal) => {
  const order = await rehearsal.completed([MUG]);
  await rehearsal.fault('slow', { match: { api: 'create-fulfillment-orders' }, fault: { kind: 'latency', ms: 800 }, times: 1 });
  const replacing = replace(rehearsal, order, 'damaged');
  await eventually('the FMS is called', async () => (await rehearsal.faults()).some(({ hits }) => hits === 1));
  const shippingAddress = { ...ADDRESS, line1: '7 Shop Street' };
  const { status, body } = await rehearsal.call('change-order-api', { params: { id: order.id }, body: { shippingAddress } });
  expect([status, body.code]).toEqual([409, 'invalid_state_transition']);
  expect((await replacing).status).toBe(201);
  expect(await rehearsal.order(order.id)).toMatchObject({ shippingAddress: ADDRESS, replacements: [{ reason: 'damaged' }] });
});

describe('Repeats and outages', () => {
  test('A repeat with the same Idempotency-Key creates one replacement, even if an answer was lost', async (rehearsal) => {
    const order = await rehearsal.completed([MUG]);
    await rehearsal.fault('lost', { match: { api: 'create-fulfillment-orders' }, fault: { kind: 'lost-response' }, times: 1 });
    const first = await replace(rehearsal, order, 'damaged', { key: 'again' });
    const second = await replace(rehearsal, order, 'damaged', { key: 'again' });
    expect([second.status, second.body.id]).toEqual([first.status, first.body.id]);
    await rehearsal.advance('PT1M');
    expect(await rehearsal.routed(order.id)).toHaveLength(2);
    expect((await rehearsal.order(order.id)).replacements).toHaveLength(1);
  });

  test('While the FMS is down, a replacement is accepted, and its goods are sent when the FMS is back', async (rehearsal) => {
    const order = await rehearsal.completed([MUG]);
    await rehearsal.fault('down', { match: { application: 'fms' }, fault: { kind: 'outage' } });
    expect((await replace(rehearsal, order, 'damaged')).status).toBe(201);
    await rehearsal.noFaults();
    await rehearsal.advance('PT1M');
    expect(await rehearsal.routed(order.id)).toHaveLength(2);
  });

  test('While the SIM is down, Create Replacement answers 503 and changes nothing', async (rehearsal) => {
    const order = await rehearsal.completed([MUG]);
    await rehearsal.fault('down', { match: { application: 'sim' }, fault: { kind: 'outage' } });
    const { status, body } = await replace(rehearsal, order, 'damaged', { qty: 2 });
    expect([status, body.code]).toEqual([503, 'dependency_unavailable']);
    await rehearsal.noFaults();
    expect((await replace(rehearsal, order, 'damaged', { qty: 2 })).status).toBe(201);
  });

  test('Create Replacement whose reservation got no answer changes nothing, and the stock is free again in time', async (rehearsal) => {
    const order = await rehearsal.completed([MUG]);
    await rehearsal.fault('lost', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'lost-response', as: 'timeout' } });
    expect((await replace(rehearsal, order, 'damaged', { qty: 2 })).status).toBe(504);
    await rehearsal.noFaults();
    expect(await rehearsal.order(order.id)).not.toHaveProperty('replacements');
    await rehearsal.advance('PT10M');
    expect(await rehearsal.reserved('mug-blue')).toBe(0);
  });
});

describe('Bad input', () => {
  test('An order has a limited number of replacements, and the refusal names the limit and the remedy', async (rehearsal) => {
    const order = await rehearsal.completed([{ sku: 'mug-blue', qty: LIMITS.replacements + 1 }]);
    for (let made = 0; made < LIMITS.replacements; made++)
      expect((await replace(rehearsal, order, 'damaged', { storeId: 'store-01' })).status).toBe(201);
    const { status, body } = await replace(rehearsal, order, 'damaged', { storeId: 'store-01' });
    expect([status, body]).toMatchObject([409, { code: 'limit_reached', list: 'replacements', limit: LIMITS.replacements }]);
    expect(body.detail).toContain('returns');
  });

  test('Create Replacement refuses an unknown order, an unknown line and a draft, with the remedy', async (rehearsal) => {
    const draft = await rehearsal.draft(MUG);
    const order = await rehearsal.completed([MUG]);
    const call = (id: string, orderLineId: string) =>
      rehearsal.call('create-replacement-api', { params: { id }, body: { lines: [{ orderLineId, qty: 1 }], reason: 'damaged' } });
    expect((await call('ord_nobody', 'x')).status).toBe(404);
    expect((await call(order.id, 'line-9')).body).toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '/lines/0/orderLineId' }],
    });
    expect((await call(draft.id, lineOf(draft as Order))).body).toMatchObject({ code: 'invalid_state_transition', action: 'replace' });
  });
});
