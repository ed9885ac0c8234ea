import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';

describe('A parcel that is lost', () => {
  test('is refunded at once, and its order is cancelled if it had no other', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ customerId: 'cus_ben', voucherCodes: ['WELCOME10'] });
    const parcel = await scene.dispatched(await scene.onlyFulfilment(order.id));
    await scene.lost(parcel);
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ state: 'cancelled', cancelReason: 'not-fulfilled', paymentStatus: 'refunded' });
    expect(after.payments[0].refundedAmount).toEqual(order.totals.total);
    expect(after).not.toHaveProperty('compensation');
    await scene.scanned(parcel, 'find');
    const found = await scene.order(order.id);
    expect(found).toMatchObject({
      ...{ state: 'cancelled', paymentStatus: 'refunded', fulfillmentOrders: [{ state: 'delivered' }] },
      reconciliation: [{ fulfillmentOrderId: order.fulfillmentOrders[0].id, reason: 'delivered-after-refund' }],
    });
    await scene.verify();
  });

  test('beside another one is refunded without shipping, and the order ends with the other', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'desk-two-nodes', qty: 2 }], locationId: 'dc-01' } });
    const order = await scene.confirmed({
      lines: [
        { sku: 'mug-blue', qty: 1 },
        { sku: 'desk-two-nodes', qty: 2 },
      ],
    });
    const [mugs, desks] = await scene.routed(order.id);
    const [mug, desk] = [await scene.dispatched(mugs?.id ?? ''), await scene.dispatched(desks?.id ?? '')];
    await scene.lost(mug);
    expect(await scene.order(order.id)).toMatchObject({
      ...{ state: 'in-fulfilment', lines: [{ cancelledQty: 1 }, { cancelledQty: 0 }] },
      payments: [{ state: 'partially-refunded', refundedAmount: order.lines[0].lineTotal }],
    });
    await scene.delivered(desk);
    expect(await scene.order(order.id)).toMatchObject({ state: 'completed', earningAmount: order.lines[1].lineTotal });
    await scene.scanned(mug, 'find');
    const found = await scene.order(order.id);
    expect(found).toMatchObject({ state: 'completed', lines: [{ fulfilledQty: 0, cancelledQty: 1 }, {}] });
    expect(found.reconciliation).toHaveLength(1);
    await scene.verify();
  });
});

describe('A parcel that comes back', () => {
  test('is refunded, and its goods are on hand again', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ qty: 2 });
    await scene.scanned(await scene.dispatched(await scene.onlyFulfilment(order.id)), 'collect', 'return');
    expect(await scene.order(order.id)).toMatchObject({
      ...{ state: 'cancelled', paymentStatus: 'refunded', lines: [{ cancelledQty: 2 }] },
      fulfillmentOrders: [{ state: 'returned-to-sender' }],
    });
    expect(await scene.stockOf('mug-blue')).toMatchObject({ 'dc-01': [1000, 0] });
    await scene.verify();
  });
});

describe('A parcel that was not accepted', () => {
  test('counts as returned after a week and is refunded; a later delivery shows as a reconciliation', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({ qty: 2 });
    const parcel = await scene.dispatched(await scene.onlyFulfilment(order.id));
    const vain = ['out-for-delivery', 'attempt'] as const;
    await scene.scanned(parcel, 'collect', 'depart', ...vain, ...vain, ...vain);
    expect(await scene.order(order.id)).toMatchObject({ state: 'in-fulfilment', fulfillmentOrders: [{ state: 'failed-delivery' }] });
    await scene.advance('P8D');
    const givenUp = await scene.order(order.id);
    expect(givenUp).toMatchObject({ state: 'cancelled', paymentStatus: 'refunded', fulfillmentOrders: [{ state: 'returned-to-sender' }] });
    await scene.scanned(parcel, 'out-for-delivery');
    expect(await scene.order(order.id)).not.toHaveProperty('reconciliation');
    await scene.scanned(parcel, 'deliver');
    expect(await scene.order(order.id)).toMatchObject({
      ...{ state: 'cancelled', fulfillmentOrders: [{ state: 'returned-to-sender', shipments: [{ state: 'delivered' }] }] },
      reconciliation: [{ fulfillmentOrderId: order.fulfillmentOrders[0].id, reason: 'delivered-after-refund' }],
    });
    await scene.verify();
  });
});

describe('Refunds', () => {
  test('go to card, gift card and points in this order, each up to what it paid', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.draft({
      lines: [
        { sku: 'lamp-last-one', qty: 1 },
        { sku: 'mug-blue', qty: 1 },
      ],
    });
    const gift = await scene.api('authorize-payment-api', {
      body: {
        orderId: order.id,
        tender: { type: 'gift-card', token: 'gift_50' },
        amount: { amount: 5000, currency: 'EUR' },
      },
    });
    const card = await scene.authorisation(order.id);
    await scene.confirmed(order.id);
    await scene.short(order, await scene.onlyFulfilment(order.id), 0);
    const [lamp] = order.lines;
    const { payments, lines } = await scene.order(order.id);
    expect(lines[0]).toMatchObject({ cancelledQty: 1 });
    const byCard = Math.min(lamp.lineTotal.amount, card.amount.amount);
    const refunded = Object.fromEntries(
      payments.map((one: { id: string; refundedAmount: { amount: number } }) => [one.id, one.refundedAmount.amount]),
    );
    expect(refunded).toEqual({ [card.id]: byCard, [gift.id]: lamp.lineTotal.amount - byCard });
    await scene.verify();
  });

  test('wait for the Payment Hub, and are made once', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({
      lines: [
        { sku: 'lamp-last-one', qty: 1 },
        { sku: 'mug-blue', qty: 1 },
      ],
    });
    const first = await scene.onlyFulfilment(order.id);
    await scene.fault('lost', { match: { api: 'refund-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    await scene.short(order, first, 0);
    expect(await scene.order(order.id)).toMatchObject({ compensation: 'pending' });
    await scene.advance('PT1M');
    const after = await scene.order(order.id);
    expect(after).not.toHaveProperty('compensation');
    expect(after.payments[0].refundedAmount).toEqual(order.lines[0].lineTotal);
    await scene.verify();
  });

  test('follow a late capture', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.confirmed({
      lines: [
        { sku: 'lamp-last-one', qty: 1 },
        { sku: 'mug-blue', qty: 1 },
      ],
    });
    await scene.down('payment-hub');
    await scene.short(order, await scene.onlyFulfilment(order.id), 0);
    await scene.noFaults();
    await scene.advance('PT2M');
    expect(await scene.paid(order.id)).toEqual([['partially-refunded', order.totals.total.amount - order.lines[0].lineTotal.amount]]);
    await scene.verify();
  });

  test('are not needed if the dispatch captured no more than was sent: remaining authorisations are voided', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    const order = await scene.draft({
      lines: [
        { sku: 'lamp-last-one', qty: 1 },
        { sku: 'mug-blue', qty: 1 },
      ],
    });
    const [lamp, mug] = order.lines;
    const forMug = order.totals.total.amount - lamp.lineTotal.amount;
    await scene.authorisation(order.id, forMug);
    await scene.authorisation(order.id);
    await scene.confirmed(order.id);
    const first = await scene.onlyFulfilment(order.id);
    const fault = { kind: 'status', status: 402, code: 'payment_declined' };
    await scene.fault('declined', { match: { api: 'capture-payment-api' }, fault });
    const picking = await scene.short(order, first, 0);
    await scene.noFaults();
    await scene.api('update-picking-status-api', { params: { id: picking.id }, body: { status: 'packed' } });
    const { shipments } = await scene.api('dispatch-fulfillment-order-api', { params: { id: first } });
    await scene.delivered(shipments[0].id);
    await scene.advance('PT10M');
    const end = await scene.order(order.id);
    expect(end).toMatchObject({ state: 'completed', paymentStatus: 'paid', earningAmount: mug.lineTotal });
    for (const status of ['captureStatus', 'compensation']) expect(end).not.toHaveProperty(status);
    expect(await scene.paid(order.id)).toEqual([
      ['captured', forMug],
      ['voided', 0],
    ]);
    await scene.verify();
  });

  test('are not reduced by goodwill of a client, and end at the captured amount', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual' });
    await scene.api('reserve-inventory-api', { body: { items: [{ sku: 'desk-two-nodes', qty: 2 }], locationId: 'dc-01' } });
    const order = await scene.confirmed({
      lines: [
        { sku: 'mug-blue', qty: 1 },
        { sku: 'desk-two-nodes', qty: 2 },
      ],
    });
    const [mugs, desks] = await scene.routed(order.id);
    const [mug, desk] = [await scene.dispatched(mugs?.id ?? ''), await scene.dispatched(desks?.id ?? '')];
    await scene.api('refund-payment-api', {
      params: { id: order.payments[0].id },
      body: { amount: { amount: 500, currency: 'EUR' } },
    });
    await scene.lost(mug);
    const [lost] = order.lines;
    expect((await scene.order(order.id)).payments[0].refundedAmount.amount).toBe(lost.lineTotal.amount + 500);
    await scene.lost(desk);
    const end = await scene.order(order.id);
    expect(end).toMatchObject({ state: 'cancelled', payments: [{ state: 'fully-refunded', refundedAmount: order.totals.total }] });
    await scene.verify();
  });

  test('never exceed the captured amount', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', capture: 'manual' });
    const order = await scene.confirmed({
      lines: [
        { sku: 'lamp-last-one', qty: 1 },
        { sku: 'mug-blue', qty: 1 },
      ],
    });
    const [lamp] = order.lines;
    const without = { amount: order.totals.total.amount - lamp.lineTotal.amount, currency: 'EUR' };
    await scene.api('capture-payment-api', { params: { id: order.payments[0].id }, body: { amount: without } });
    const first = await scene.onlyFulfilment(order.id);
    const picking = await scene.short(order, first, 0);
    expect((await scene.order(order.id)).payments).toMatchObject([{ capturedAmount: without, refundedAmount: { amount: 0 } }]);
    await scene.api('update-picking-status-api', { params: { id: picking.id }, body: { status: 'packed' } });
    const { status, body } = await scene.dispatch(first);
    expect([status, (await scene.order(order.id)).paymentStatus]).toEqual([200, 'paid']);
    await scene.delivered(body.shipments[0].id);
    expect(await scene.order(order.id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
    await scene.verify();
  });

  test('are left to clients where the rehearsal refunds by hand', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', refund: 'manual' });
    const order = await scene.confirmed({ lines: [{ sku: 'mug-blue', qty: 1 }] });
    await scene.lost(await scene.dispatched(await scene.onlyFulfilment(order.id)));
    const after = await scene.order(order.id);
    expect(after).toMatchObject({ state: 'cancelled', payments: [{ state: 'captured', refundedAmount: { amount: 0 } }] });
    expect(after).not.toHaveProperty('compensation');
    await scene.api('refund-payment-api', { params: { id: after.payments[0].id }, body: { amount: order.totals.total } });
    expect((await scene.order(order.id)).paymentStatus).toBe('refunded');
  });

  test('of a line are left to clients too, and are not made later', async () => {
    await using scene = await newRehearsal({ warehouse: 'manual', carrier: 'manual', refund: 'manual' });
    const order = await scene.confirmed({
      lines: [
        { sku: 'lamp-last-one', qty: 1 },
        { sku: 'mug-blue', qty: 1 },
      ],
    });
    const first = await scene.onlyFulfilment(order.id);
    const picking = await scene.short(order, first, 0);
    await scene.progress({ refund: 'auto' });
    await scene.api('update-picking-status-api', { params: { id: picking.id }, body: { status: 'packed' } });
    const { shipments } = await scene.api('dispatch-fulfillment-order-api', { params: { id: first } });
    await scene.delivered(shipments[0].id);
    expect(await scene.order(order.id)).toMatchObject({ state: 'completed', payments: [{ refundedAmount: { amount: 0 } }] });
  });
});
