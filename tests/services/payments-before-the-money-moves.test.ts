import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

/** Two mugs and their shipping. */
const TOTAL = 3088;
/** Two mugs at the till. */
const SALE = 2598;

const statesOf = async (rehearsal: TestRehearsal, orderId: string) => (await rehearsal.order(orderId)).payments.map(({ state }) => state);
const capture = (rehearsal: TestRehearsal, id: string) => rehearsal.call('capture-payment-api', { params: { id }, body: {} });

describe('A card whose capture is declined', () => {
  const DECLINED = { code: 'payment_declined', declineCode: 'capture_declined', objectType: 'payment', retryable: false };
  const refusing = card('tok_decline_at_capture');

  /** A confirmed order with the payment of this card. */
  async function confirmedWith(rehearsal: TestRehearsal) {
    const { id } = await rehearsal.draft();
    const payment = await rehearsal.authorisation(id, undefined, refusing.token);
    await rehearsal.confirmed(id);
    return { id, paymentId: payment.id };
  }

  test('Capture Payment answers 402, ends the authorisation, and leaves the amount to another tender', async () => {
    await using rehearsal = await byHand({ capture: 'manual' });
    const { id, paymentId } = await confirmedWith(rehearsal);
    expect(await capture(rehearsal, paymentId)).toMatchObject({ status: 402, body: { ...DECLINED, paymentId } });
    const payment = await rehearsal.object('payment', paymentId);
    expect(payment).toMatchObject({
      state: 'failed',
      declineCode: 'capture_declined',
      authorizedAmount: eur(TOTAL),
      capturedAmount: eur(0),
    });
    const [event] = (await rehearsal.events({ subject: `payment/${paymentId}`, ext: true })).slice(-1);
    expect(event).toMatchObject({
      type: expect.stringMatching(/ext\.payment-changed$/),
      data: { previousState: 'authorised', object: { state: 'failed' } },
    });
    expect(await capture(rehearsal, paymentId)).toMatchObject({ status: 409, body: { currentState: 'failed' } });
    expect(await rehearsal.authorisation(id)).toMatchObject({ state: 'authorised', amount: eur(TOTAL) });
    await rehearsal.verify();
  });

  test('An order in fulfilment waits for another tender, which is captured, and is dispatched', async () => {
    await using rehearsal = await byHand();
    const { id } = await confirmedWith(rehearsal);
    const fulfillmentOrderId = await rehearsal.onlyFulfilment(id);
    await rehearsal.packed(fulfillmentOrderId);
    await rehearsal.settle();
    expect(await rehearsal.order(id)).toMatchObject({ state: 'in-fulfilment', captureStatus: 'retrying', paymentStatus: 'unpaid' });
    const owed = { code: 'payment_incomplete', outstanding: eur(TOTAL) };
    expect(await rehearsal.dispatch(fulfillmentOrderId)).toMatchObject({ status: 409, body: owed });
    await rehearsal.advance('PT5M');
    await rehearsal.authorisation(id, 1000, 'tok_mastercard');
    await rehearsal.authorisation(id);
    await rehearsal.advance('PT2M');
    const order = await rehearsal.order(id);
    expect(order).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
    expect(order).not.toHaveProperty('captureStatus');
    expect(await statesOf(rehearsal, id)).toEqual(['failed', 'captured', 'captured']);
    expect((await rehearsal.dispatch(fulfillmentOrderId)).status).toBe(200);
    await rehearsal.verify();
  });

  test('An order in fulfilment that nobody pays otherwise is cancelled after the last attempt', async () => {
    await using rehearsal = await byHand();
    const { id } = await confirmedWith(rehearsal);
    await rehearsal.picked(await rehearsal.onlyFulfilment(id));
    await rehearsal.advance('PT35M');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'in-fulfilment', captureStatus: 'retrying' });
    await rehearsal.advance('PT2M');
    const ended = { state: 'cancelled', cancelReason: 'capture-failed', fulfillmentOrders: [{ state: 'cancelled' }] };
    expect(await rehearsal.order(id)).toMatchObject(ended);
    expect(await rehearsal.reserved('mug-blue')).toBe(0);
    expect((await rehearsal.settle()).parked).toEqual([]);
    await rehearsal.verify();
  });

  test.each([
    ['is cancelled after a day', false, { state: 'cancelled', cancelReason: 'authorisation-lost' }],
    ['stays confirmed with another tender', true, { state: 'confirmed', paymentStatus: 'authorised' }],
  ])('A confirmed order whose payment a client failed to capture %s', async (_, isReplaced, expected) => {
    await using rehearsal = await byHand();
    const { id, paymentId } = await confirmedWith(rehearsal);
    expect((await capture(rehearsal, paymentId)).status).toBe(402);
    await rehearsal.advance('PT23H');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'confirmed', paymentStatus: 'unpaid' });
    if (isReplaced) await rehearsal.authorisation(id);
    await rehearsal.advance('PT1H');
    expect(await rehearsal.order(id)).toMatchObject(expected);
    await rehearsal.verify();
  });

  test('A lost answer of the declined capture changes nothing: the order waits for another tender', async () => {
    await using rehearsal = await byHand();
    const { id } = await confirmedWith(rehearsal);
    await rehearsal.fault('lost', { match: { api: 'capture-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    await rehearsal.picked(await rehearsal.onlyFulfilment(id));
    await rehearsal.settle();
    await rehearsal.authorisation(id);
    await rehearsal.advance('PT7M');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
    await rehearsal.verify();
  });

  test('At the till the sale stays open with the whole amount outstanding, and other tenders complete it once', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const { status, body } = await rehearsal.pay(id, refusing, SALE);
    expect([status, body]).toMatchObject([
      201,
      { state: 'failed', outstanding: eur(SALE), transactionState: 'open', orderSubmission: 'none' },
    ]);
    expect(body).not.toHaveProperty('receipt');
    expect((await rehearsal.pay(id, CASH, 598)).body).toMatchObject({ outstanding: eur(2000), transactionState: 'open' });
    expect((await rehearsal.pay(id, card(), 2000)).body).toMatchObject({ outstanding: eur(0), transactionState: 'completed' });
    expect(await statesOf(rehearsal, id)).toEqual(['failed', 'captured', 'captured']);
    await rehearsal.verify();
  });

  test('A sale that waits for the OMS shows what is owed once its capture was declined', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.down('oms');
    expect((await rehearsal.pay(id, refusing, SALE)).body).toMatchObject({ transactionState: 'paid', orderSubmission: 'queued' });
    await rehearsal.advance('P1DT1M');
    await rehearsal.noFaults();
    await rehearsal.advance('PT13H');
    expect(await rehearsal.order(id)).toMatchObject({ state: 'draft', paymentStatus: 'unpaid', payments: [{ state: 'failed' }] });
    expect((await rehearsal.pay(id, CASH, SALE)).body).toMatchObject({ outstanding: eur(0), transactionState: 'completed' });
    await rehearsal.verify();
  });
});

describe('A card that can pay a part', () => {
  const poor = card('tok_partial_60');
  /** 60 % of the total, rounded down. */
  const PART = 1852;
  const authorise = (rehearsal: TestRehearsal, orderId: string, more: object, headers: Record<string, string> = {}) =>
    rehearsal.call('authorize-payment-api', { body: { orderId, tender: poor, ...more }, headers });

  test('Authorize Payment declines the card with the amount that it could pay, unless the request accepts a part', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.draft();
    const short = { code: 'payment_declined', declineCode: 'insufficient_funds', availableAmount: eur(PART) };
    for (const more of [{}, { acceptPartial: false }]) {
      expect(await authorise(rehearsal, id, more)).toMatchObject({ status: 402, body: short });
    }
    const { status, body } = await authorise(rehearsal, id, { acceptPartial: true });
    expect([status, body]).toMatchObject([201, { state: 'authorised', amount: eur(TOTAL), authorizedAmount: eur(PART) }]);
    expect((await rehearsal.order(id)).payments.at(-1)).toMatchObject({ amount: eur(TOTAL), authorizedAmount: eur(PART) });
    const early = await rehearsal.confirm(id);
    expect(early).toMatchObject({ status: 409, body: { code: 'payment_incomplete', outstanding: eur(TOTAL - PART), retryable: false } });
    await rehearsal.verify();
  });

  test('An order is confirmed and shipped when another tender pays the rest', async () => {
    await using rehearsal = await byHand();
    const { id } = await rehearsal.draft();
    await authorise(rehearsal, id, { acceptPartial: true });
    expect(await rehearsal.authorisation(id)).toMatchObject({ amount: eur(TOTAL - PART), authorizedAmount: eur(TOTAL - PART) });
    await rehearsal.confirmed(id);
    await rehearsal.dispatched(await rehearsal.onlyFulfilment(id));
    await rehearsal.settle();
    const order = await rehearsal.order(id);
    expect(order).toMatchObject({ state: 'in-fulfilment', paymentStatus: 'paid' });
    expect(order.payments.map(({ capturedAmount }) => capturedAmount.amount)).toEqual([PART, TOTAL - PART]);
    await rehearsal.verify();
  });

  test('A void releases the approved part, and a repeat with its key gets the same payment', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.draft();
    const key = { 'idempotency-key': 'one part' };
    const { body } = await authorise(rehearsal, id, { acceptPartial: true }, key);
    expect((await authorise(rehearsal, id, { acceptPartial: true }, key)).body.id).toBe(body.id);
    await rehearsal.api('void-payment-api', { params: { id: body.id } });
    expect(await rehearsal.authorisation(id)).toMatchObject({ amount: eur(TOTAL) });
    await rehearsal.verify();
  });

  test('A pending payment keeps its key: a repeat that accepts a part is another request', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.control('set-clock', { body: { flowing: false } });
    const { id } = await rehearsal.draft();
    const send = (acceptPartial: boolean) =>
      rehearsal.call('authorize-payment-api', {
        body: { orderId: id, tender: card('tok_timeout'), acceptPartial },
        headers: { 'idempotency-key': 'unanswered' },
      });
    expect((await send(false)).status).toBe(504);
    expect(await send(true)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  });

  test('A gift card pays its balance if the request accepts a part, and an empty one is declined', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.draft();
    const pay = () =>
      rehearsal.call('authorize-payment-api', {
        body: { orderId: id, tender: { type: 'gift-card', token: 'gift_5' }, acceptPartial: true },
      });
    expect(await pay()).toMatchObject({ status: 201, body: { authorizedAmount: eur(500), amount: eur(TOTAL) } });
    expect(await pay()).toMatchObject({ status: 402, body: { declineCode: 'insufficient_funds', availableAmount: eur(0) } });
    await rehearsal.cancel(id);
    await rehearsal.settle();
    const next = await rehearsal.draft();
    const again = await rehearsal.authorisation(next.id, 500, { type: 'gift-card', token: 'gift_5' });
    expect(again).toMatchObject({ authorizedAmount: eur(500) });
    await rehearsal.verify();
  });

  test('The till shows what is outstanding after a part, and the receipt lists the parts', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    const add = (more: object) => rehearsal.call('add-payment-api', { params: { id }, body: { tender: poor, amount: eur(SALE), ...more } });
    expect(await add({})).toMatchObject({ status: 402, body: { declineCode: 'insufficient_funds', availableAmount: eur(1558) } });
    const part = { state: 'authorised', amount: eur(SALE), authorizedAmount: eur(1558), outstanding: eur(1040), transactionState: 'open' };
    expect(await add({ acceptPartial: true })).toMatchObject({ status: 201, body: part });
    const { body } = await rehearsal.pay(id, CASH, 1040);
    expect(body).toMatchObject({ outstanding: eur(0), transactionState: 'completed' });
    expect(body.receipt.tenders.map(({ amount }: { amount: object }) => amount)).toEqual([eur(1558), eur(1040)]);
    await rehearsal.verify();
  });

  test('The till reads the approved part of a tender whose answer was lost', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.fault('lost', { match: { api: 'authorize-payment-api' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 1 });
    const body = { tender: poor, amount: eur(SALE), acceptPartial: true };
    expect((await rehearsal.call('add-payment-api', { params: { id }, body })).status).toBe(504);
    expect((await rehearsal.pay(id, CASH, SALE)).body).toMatchObject({ code: 'overpayment', outstanding: eur(1040) });
    expect((await rehearsal.pay(id, CASH, 1040)).body).toMatchObject({ outstanding: eur(0), transactionState: 'completed' });
    await rehearsal.verify();
  });
});
