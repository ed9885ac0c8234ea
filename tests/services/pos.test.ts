import { describe, expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { begin, CASH, card, eur, pay, stockAt, typesOf, voidIt } from './till-scenes.ts';

describe('Create Transaction', () => {
  test('answers the draft order as the till sees it, and holds the stock of the store without a time limit', async () => {
    await using rehearsal = await newRehearsal();
    const order = await begin(rehearsal);
    expect(order).toMatchObject({
      id: expect.stringMatching(/^ord_/),
      state: 'draft',
      channel: 'pos',
      storeId: 'store-01',
      totals: { total: eur(2598), shipping: eur(0) },
      lines: [{ sku: 'mug-blue', qty: 2, nodeId: 'store-01', fulfilledQty: 0 }],
      payments: [],
      paymentStatus: 'unpaid',
    });
    expect(order.fulfillmentOrders).toBeUndefined();
    expect(await stockAt(rehearsal, 'mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    expect(await rehearsal.object('basket', order.basketId)).toMatchObject({
      ...{ state: 'locked', channel: 'pos', storeId: 'store-01', transactionId: order.id },
      reservationId: order.lines[0].reservationId,
    });
    expect(await rehearsal.call('GET', `/orders/${order.id}`)).toMatchObject({ status: 404 });
    expect(typesOf(await rehearsal.events())).toEqual(['inventory-reserved', 'reservation-created', 'checkout-started']);
    await rehearsal.advance('PT2H');
    expect(await stockAt(rehearsal, 'mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    await rehearsal.verify();
  });
});

describe('Add Payment', () => {
  test('takes several tenders, and with the last one the sale is submitted and carried out', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await begin(rehearsal);
    const cash = await pay(rehearsal, id, CASH, 1000);
    expect(cash).toMatchObject({
      status: 201,
      body: { state: 'authorised', outstanding: eur(1598), transactionState: 'open', orderSubmission: 'none' },
    });
    expect(cash.body.receipt).toBeUndefined();
    const declined = await pay(rehearsal, id, card('tok_decline_do_not_honor'), 1598);
    expect(declined).toMatchObject({ status: 402, body: { code: 'payment_declined', declineCode: 'do_not_honor' } });
    const paid = await pay(rehearsal, id, card(), 1598);
    expect(paid).toMatchObject({
      status: 201,
      body: {
        ...{ state: 'authorised', outstanding: eur(0), transactionState: 'completed', orderSubmission: 'accepted' },
        receipt: {
          number: expect.stringMatching(/^store-01-lane-1-\d{8}-0001$/),
          lines: [{ sku: 'mug-blue', qty: 2, lineTotal: eur(2598) }],
          tenders: [
            { type: 'cash', amount: eur(1000) },
            { type: 'card', amount: eur(1598), last4: expect.any(String) },
          ],
        },
      },
    });
    const order = await rehearsal.ok('GET', `/orders/${id}`);
    expect(order).toMatchObject({ state: 'completed', channel: 'pos', paymentStatus: 'paid' });
    expect(await stockAt(rehearsal, 'mug-blue')).toEqual({ onHand: 48, reserved: 0 });
    expect(typesOf(await rehearsal.events()).slice(3)).toEqual([
      'payment-authorized',
      'payment-authorized',
      'order-created',
      'order-confirmed',
      'payment-captured',
      'payment-captured',
    ]);
    await rehearsal.verify();
  });
});

describe('Void Transaction', () => {
  test('voids the tenders, the last one first, and releases the stock', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId } = await begin(rehearsal);
    const first = await pay(rehearsal, id, CASH, 500);
    const second = await pay(rehearsal, id, card(), 600);
    const voided = await voidIt(rehearsal, id, { reason: 'changed their mind' });
    expect(voided).toMatchObject({
      status: 200,
      body: { state: 'cancelled', cancelReason: 'changed their mind', paymentStatus: 'unpaid' },
    });
    expect(voided.body.compensation).toBeUndefined();
    expect(voided.body.payments.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      [first.body.id, 'voided'],
      [second.body.id, 'voided'],
    ]);
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'abandoned' });
    expect(await stockAt(rehearsal, 'mug-blue')).toEqual({ onHand: 50, reserved: 0 });
    await rehearsal.verify();
  });
});
