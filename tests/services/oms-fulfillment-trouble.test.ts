import { describe, expect } from '@jest/globals';
import type { TestRehearsal } from '../support/estate.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);

const LAMP = { sku: 'lamp-last-one', qty: 1 };
const MUG = { sku: 'mug-blue', qty: 1 };

/** An order whose only parcel is on its way. */
async function sent(rehearsal: TestRehearsal, goods: Parameters<TestRehearsal['confirmed']>[0] = {}) {
  const order = await rehearsal.confirmed(goods);
  return { order, parcel: await rehearsal.dispatched(await rehearsal.onlyFulfilment(order.id)) };
}

/** A lamp and a mug in one fulfillment order; the lamp is missing when it is picked. */
async function lampAndMug(rehearsal: TestRehearsal) {
  const order = await rehearsal.confirmed({ lines: [LAMP, MUG] });
  return { ...shortOf(rehearsal, order), order };
}
const shortOf = (rehearsal: TestRehearsal, order: Awaited<ReturnType<TestRehearsal['confirmed']>>) => {
  let picking = '';
  const fulfilment = order.fulfillmentOrders[0].id;
  return {
    /** The value of the lamp. */
    lamp: order.lines[0].lineTotal.amount as number,
    isShort: async () => {
      picking = (await rehearsal.short(order, fulfilment, 0)).id;
    },
    packAndDeliver: async () => {
      await rehearsal.movePicking(picking, 'packed');
      await rehearsal.delivered(await rehearsal.handedOver(fulfilment));
    },
  };
};

describe('Parcels that do not arrive', () => {
  test('A lost parcel is refunded and its order cancelled; when it is found, the order shows a reconciliation', async (rehearsal) => {
    const { order, parcel } = await sent(rehearsal, { customerId: 'cus_ben', voucherCodes: ['WELCOME10'] });
    await rehearsal.lost(parcel);
    const after = await rehearsal.order(order.id);
    expect(after).toMatchObject({ state: 'cancelled', cancelReason: 'not-fulfilled', paymentStatus: 'refunded' });
    expect(after.payments[0].refundedAmount).toEqual(order.totals.total);
    expect(after).not.toHaveProperty('compensation');
    await rehearsal.scanned(parcel, 'find');
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'cancelled', paymentStatus: 'refunded', fulfillmentOrders: [{ state: 'delivered' }] },
      reconciliation: [{ fulfillmentOrderId: order.fulfillmentOrders[0].id, reason: 'delivered-after-refund' }],
    });
  });

  test('A lost parcel of two is refunded without shipping, and the order ends with the second parcel', async (rehearsal) => {
    const { order, mugs, desks } = await rehearsal.orderOfTwoNodes();
    const [mug, desk] = [await rehearsal.dispatched(mugs), await rehearsal.dispatched(desks)];
    await rehearsal.lost(mug);
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'in-fulfilment', lines: [{ cancelledQty: 1 }, { cancelledQty: 0 }] },
      payments: [{ state: 'partially-refunded', refundedAmount: order.lines[0].lineTotal }],
    });
    await rehearsal.delivered(desk);
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', earningAmount: order.lines[1].lineTotal });
    await rehearsal.scanned(mug, 'find');
    const found = await rehearsal.order(order.id);
    expect(found).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 0, cancelledQty: 1 }, {}], reconciliation: [{}] });
  });

  test('A parcel with a failed delivery counts as returned after a week; after a later delivery the order has a reconciliation', async (rehearsal) => {
    const { order, parcel } = await sent(rehearsal);
    const vain = ['out-for-delivery', 'attempt'] as const;
    await rehearsal.scanned(parcel, 'collect', 'depart', ...vain, ...vain, ...vain);
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'in-fulfilment', fulfillmentOrders: [{ state: 'failed-delivery' }] });
    await rehearsal.advance('P8D');
    const [returned, fulfillmentOrderId] = [{ state: 'returned-to-sender' }, order.fulfillmentOrders[0].id];
    const givenUp = { state: 'cancelled', paymentStatus: 'refunded', fulfillmentOrders: [returned] };
    expect(await rehearsal.order(order.id)).toMatchObject(givenUp);
    await rehearsal.scanned(parcel, 'out-for-delivery');
    expect(await rehearsal.order(order.id)).not.toHaveProperty('reconciliation');
    await rehearsal.scanned(parcel, 'deliver');
    expect(await rehearsal.order(order.id)).toMatchObject({
      ...{ state: 'cancelled', fulfillmentOrders: [{ ...returned, shipments: [{ state: 'delivered' }] }] },
      reconciliation: [{ fulfillmentOrderId, reason: 'delivered-after-refund' }],
    });
  });
});

describe('Refunds of units that are not delivered', () => {
  test('No refund is needed if the dispatch captured only what was sent: remaining authorisations are voided', async (rehearsal) => {
    const draft = await rehearsal.draft({ lines: [LAMP, MUG] });
    const forMug = draft.totals.total.amount - draft.lines[0].lineTotal.amount;
    await rehearsal.authorisation(draft.id, forMug);
    await rehearsal.authorisation(draft.id);
    const { isShort, packAndDeliver } = shortOf(rehearsal, await rehearsal.confirmed(draft.id));
    const fault = { kind: 'status', status: 402, code: 'payment_declined' };
    await rehearsal.fault('declined', { match: { api: 'capture-payment-api' }, fault });
    await isShort();
    await rehearsal.noFaults();
    await packAndDeliver();
    await rehearsal.advance('PT10M');
    const end = await rehearsal.order(draft.id);
    expect(end).toMatchObject({ state: 'completed', paymentStatus: 'paid', earningAmount: draft.lines[1].lineTotal });
    for (const absent of ['captureStatus', 'compensation']) expect(end).not.toHaveProperty(absent);
    expect((await rehearsal.paid(draft.id)).flat()).toEqual(['captured', forMug, 'voided', 0]);
  });

  test('Goodwill refunds by a client do not reduce other refunds; all together are at most the captured amount', async (rehearsal) => {
    const { order, mugs, desks } = await rehearsal.orderOfTwoNodes();
    const [mug, desk] = [await rehearsal.dispatched(mugs), await rehearsal.dispatched(desks)];
    await rehearsal.refunded(order.payments[0].id, 500);
    await rehearsal.lost(mug);
    const both = eur(order.lines[0].lineTotal.amount + 500);
    expect((await rehearsal.order(order.id)).payments).toMatchObject([{ refundedAmount: both }]);
    await rehearsal.lost(desk);
    const payments = [{ state: 'fully-refunded', refundedAmount: order.totals.total }];
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'cancelled', payments });
  });

  test('Refunds never exceed the captured amount', async (rehearsal) => {
    await rehearsal.progress({ capture: 'manual' });
    const { order, lamp, isShort, packAndDeliver } = await lampAndMug(rehearsal);
    const rest = eur(order.totals.total.amount - lamp);
    await rehearsal.api('capture-payment-api', { params: { id: order.payments[0].id }, body: { amount: rest } });
    await isShort();
    expect((await rehearsal.order(order.id)).payments).toMatchObject([{ capturedAmount: rest, refundedAmount: eur(0) }]);
    await packAndDeliver();
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
  });

  test('A short line whose refund is manual is not refunded automatically later', async (rehearsal) => {
    await rehearsal.progress({ refund: 'manual' });
    const { order, isShort, packAndDeliver } = await lampAndMug(rehearsal);
    await isShort();
    await rehearsal.progress({ refund: 'auto' });
    await packAndDeliver();
    expect(await rehearsal.order(order.id)).toMatchObject({ state: 'completed', payments: [{ refundedAmount: eur(0) }] });
  });
});

/** The order has ended, and the counters are these. */
async function hasEnded(rehearsal: TestRehearsal, orderId: string, onHand: number): Promise<void> {
  const after = await rehearsal.order(orderId);
  expect([after.state, after.compensation]).toEqual(['cancelled', undefined]);
  expect(await rehearsal.stockOf('mug-blue')).toMatchObject({ 'dc-01': [onHand, 0] });
}

describe('Movements that the SIM misses while it is down', () => {
  test.each([
    ['is lost', 'lose', 998],
    ['comes back', 'return', 1000],
  ] as const)('Goods leave the stock records even if their parcel %s before the SIM is back', async (rehearsal, _, scan, onHand) => {
    const { orderId, fulfillmentOrderId } = await rehearsal.packedOrder();
    await rehearsal.settle();
    await rehearsal.down('sim');
    await rehearsal.scanned(await rehearsal.handedOver(fulfillmentOrderId), 'collect', scan);
    await rehearsal.noFaults();
    await rehearsal.advance('PT3H');
    const { paymentStatus, lines } = await rehearsal.order(orderId);
    expect([paymentStatus, (await rehearsal.object('reservation', lines[0].reservationId)).state]).toEqual(['refunded', 'fulfilled']);
    await hasEnded(rehearsal, orderId, onHand);
  });

  test.each(['before', 'after'])(
    'Short units are written off and not released when the SIM is back %s the cancellation',
    async (rehearsal, when) => {
      const order = await rehearsal.confirmed({ qty: 3 });
      await rehearsal.down('sim');
      await rehearsal.short(order, await rehearsal.onlyFulfilment(order.id), 1);
      if (when === 'before') await rehearsal.noFaults();
      expect((await rehearsal.cancel(order.id)).body.state).toBe('cancelled');
      // After the last attempt of the write-off, and before the next one.
      await rehearsal.advance('PT40S');
      await rehearsal.noFaults();
      await rehearsal.advance('PT3H');
      await hasEnded(rehearsal, order.id, 998);
    },
  );
});
