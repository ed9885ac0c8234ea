import { describe, expect } from '@jest/globals';
import { Payment } from '../../shared/catalog/payment/objects.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { external, givenOrder } from '../support/steps/given.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);
const FAILED = { state: 'failed' as const, failureReason: 'account_closed' };
const inManual = testIn(() => byHand({ external: 'manual' }));

describe('An external payment', () => {
  test('is authorised without a provider of the Payment Hub, never expires, and is captured when fulfilment begins', async (rehearsal) => {
    const { advance, completedOrder, api } = rehearsal;
    const { order, payment } = await rehearsal.noted();
    expect(payment).toMatchObject({ state: 'authorised', amount: eur(4_686), tender: external('ch_#1') });
    expect(payment).not.toHaveProperty('authorizationCode');
    expect(payment).not.toHaveProperty('authorizationExpiresAt');
    await api('confirm-order-api', { params: { id: order.id } });
    await advance('P8D');
    expect(await completedOrder(order.id)).toMatchObject({ state: 'completed', paymentStatus: 'paid' });
  });

  test('is captured by its client at most once, and at most for the authorised amount', async (rehearsal) => {
    const { call } = rehearsal;
    const { payment } = await rehearsal.noted();
    const params = { id: payment.id };
    const more = await call('capture-payment-api', { params, body: { amount: eur(4_687) } });
    expect([more.status, more.body.code]).toEqual([409, 'capture_exceeds_authorized']);
    expect((await call('capture-payment-api', { params, body: { amount: eur(4_686) } })).body).toMatchObject({ state: 'captured' });
  });

  test('is noted once for each reference of its provider, unless it was voided', async (rehearsal) => {
    const { call, api } = rehearsal;
    const { order, payment } = await rehearsal.noted();
    await api('void-payment-api', { params: { id: payment.id } });
    const part = { orderId: order.id, tender: external('ch_#1'), amount: eur(1_000) };
    const again = await call('authorize-payment-api', { body: part });
    expect(again.status).toBe(201);
    const twin = await call('authorize-payment-api', { body: part });
    expect([twin.status, twin.body]).toMatchObject([409, { code: 'conflicting_repeat', id: again.body.id }]);
  });

  test.each([
    ['no provider', { type: 'external', reference: 'ch_1' }, '/tender/provider'],
    ['no reference', { type: 'external', provider: 'stripe' }, '/tender/reference'],
    ['a token', { ...external(), token: 'tok_visa' }, '/tender/token'],
    ['a blank in its reference', external('ch 1'), '/tender/reference'],
    ['a provider of a card', { type: 'card', token: 'tok_visa', provider: 'stripe' }, '/tender/provider'],
  ])('is refused with %s', async ({ call }, _case, tender, pointer) => {
    const { status, body } = await call('authorize-payment-api', { body: { orderId: 'ord_1', tender: tender as never } });
    expect([status, body.errors?.[0]?.pointer]).toEqual([422, pointer]);
  });

  /** The order of `noted` without one of its two cups: 15.19 − floor(15.19 / 2) = 7.60 of 15.19 are left, so it costs 39.27. */
  const withoutACup = async (rehearsal: Awaited<ReturnType<typeof byHand>>) => {
    const { order, payment } = await rehearsal.noted();
    await rehearsal.api('confirm-order-api', { params: { id: order.id } });
    const lines = [{ lineId: order.lines[1]?.lineId ?? '', qty: 1 }];
    const changed = await rehearsal.api('change-order-api', { params: { id: order.id }, body: { lines } });
    expect([changed.totals.total, changed.payments[0]?.authorizedAmount]).toEqual([eur(3_927), eur(4_686)]);
    return { order, payment };
  };

  inManual('keeps its amount after a change of the order; its client captures what is left to pay', async (rehearsal) => {
    const { order, payment } = await withoutACup(rehearsal);
    await rehearsal.api('capture-payment-api', { params: { id: payment.id }, body: { amount: eur(3_927) } });
    const completed = await rehearsal.completedOrder(order.id);
    expect(completed).toMatchObject({ state: 'completed', paymentStatus: 'paid', payments: [{ refundedAmount: eur(0) }] });
    expect(completed.refunds ?? []).toEqual([]);
  });

  inManual('that is captured in full after a change of the order has a pending refund of the difference', async (rehearsal) => {
    const { order, payment } = await withoutACup(rehearsal);
    await rehearsal.api('capture-payment-api', { params: { id: payment.id } });
    await rehearsal.completedOrder(order.id);
    await rehearsal.settle();
    const { payments, refunds } = await rehearsal.order(order.id);
    expect([payments, refunds]).toMatchObject([[{ capturedAmount: eur(4_686) }], [{ state: 'pending', amount: eur(759) }]]);
  });

  test('is refused by a till', async ({ call, sale }) => {
    const { id } = await sale();
    const { status } = await call('add-payment-api', { params: { id }, body: { tender: external() as never, amount: eur(100) } });
    expect(status).toBe(422);
  });

  test('may be disputed', async (rehearsal) => {
    const { api, control } = rehearsal;
    const { payment } = await rehearsal.noted();
    await api('capture-payment-api', { params: { id: payment.id } });
    const opened = await control('open-dispute', { params: { id: payment.id }, body: { reason: 'general' } });
    expect(opened).toMatchObject({ disputes: [{ state: 'open', amount: eur(4_686) }] });
  });
});

describe('A refund of an external payment', () => {
  test('that the estate decides is pending, and its provider pays it out an hour later', async (rehearsal) => {
    const { api, cancel, settle, advance, order: read } = rehearsal;
    const { order, payment } = await rehearsal.noted();
    await api('capture-payment-api', { params: { id: payment.id } });
    await cancel(order.id);
    await settle();
    expect((await read(order.id)).refunds).toMatchObject([{ state: 'pending', amount: eur(4_686) }]);
    await advance('PT61M');
    expect((await read(order.id)).refunds).toMatchObject([{ state: 'succeeded' }]);
  });

  test('that its client has made is noted once for each reference of the provider', async (rehearsal) => {
    const { api, call } = rehearsal;
    const { payment } = await rehearsal.noted();
    const params = { id: payment.id };
    await api('capture-payment-api', { params });
    const note = (amount: number, providerReference?: string) =>
      call('refund-payment-api', { params, body: { amount: eur(amount), providerReference } });
    const first = await note(100, 're_1');
    expect([first.status, first.body.refunds]).toMatchObject([201, [{ state: 'succeeded', amount: eur(100), providerReference: 're_1' }]]);
    expect([(await note(100, 're_1')).status, (await note(101, 're_1')).body.code]).toEqual([200, 'conflicting_repeat']);
    expect((await note(4_587)).body.code).toBe('refund_exceeds_captured');
  });

  inManual('waits for its client, whose result ends the return', async (rehearsal) => {
    const { api, call, completedOrder, moved, returned, settle } = rehearsal;
    const { order, payment } = await rehearsal.noted();
    await api('capture-payment-api', { params: { id: payment.id } });
    const done = await completedOrder(order.id);
    const lines = [{ orderLineId: done.lines[0]?.lineId ?? '', qty: 3, reason: 'too small' }];
    const back = await api('create-return-api', { body: { orderId: order.id, lines, locationId: 'store-01' } });
    await moved(back.id, 'approve', 'receive', 'inspect');
    await settle();
    const [refund] = (await api('get-order-api', { params: { id: order.id } })).refunds ?? [];
    expect(refund).toMatchObject({ state: 'pending', amount: eur(2_834) });
    const note = (body: object) =>
      call('note-refund-result-api', { params: { id: payment.id, refundId: refund?.id ?? '' }, body: body as never });
    expect((await returned(back.id)).state).toBe('inspected');
    expect((await note({ state: 'succeeded', providerReference: 're_9' })).status).toBe(200);
    await settle();
    expect((await returned(back.id)).state).toBe('refunded');
    expect((await note({ state: 'succeeded' })).status).toBe(200);
    expect((await note({ state: 'failed', failureReason: 'account_closed' })).body.code).toBe('conflicting_repeat');
  });

  inManual('has the id in its payment and in the event of the payment that its result names', async (rehearsal) => {
    const { id } = await rehearsal.awaitedRefund();
    const [event] = (await rehearsal.events({ type: 'ext.payment-changed' })).slice(-1);
    const { refunds } = Payment.parse(event?.data.object);
    const refundId = refunds[0]?.id ?? '';
    expect((await rehearsal.object('payment', id)).refunds).toMatchObject([{ id: refundId, state: 'pending' }]);
    const noted = await rehearsal.call('note-refund-result-api', { params: { id, refundId }, body: { state: 'succeeded' } });
    expect([noted.status, noted.body.refunds]).toMatchObject([200, [{ id: refundId, state: 'succeeded' }]]);
  });

  inManual('that failed is owed again', async (rehearsal) => {
    const { api, call, cancel, settle, order: read } = rehearsal;
    const { order, payment } = await rehearsal.noted();
    await api('capture-payment-api', { params: { id: payment.id } });
    await cancel(order.id);
    await settle();
    const refundId = `${payment.id}.refund-1`;
    const result = { state: 'failed' as const, failureReason: 'account_closed' };
    await call('note-refund-result-api', { params: { id: payment.id, refundId }, body: result });
    expect(await read(order.id)).toMatchObject({ owedRefund: eur(4_686), refunds: [{ state: 'failed', failureReason: 'account_closed' }] });
  });

  inManual('that failed in its own instant is owed again, and gift cards may receive it in parts', async (rehearsal) => {
    const { call, awaitedRefund, order: read } = rehearsal;
    await rehearsal.control('set-clock', { body: { flowing: false } });
    const { id, orderId, refundId } = await awaitedRefund();
    const failed = await call('note-refund-result-api', { params: { id, refundId }, body: FAILED });
    expect(failed.body.refunds).toMatchObject([{ at: failed.body.refunds[0]?.decidedAt, state: 'failed' }]);
    const payOut = (amount: number) =>
      call('refund-payment-api', { params: { id }, body: { amount: eur(amount), payOutTo: { type: 'gift-card', token: 'gift_50' } } });
    expect((await payOut(1_000)).status).toBe(201);
    expect((await read(orderId)).owedRefund).toEqual(eur(3_686));
    expect((await payOut(3_687)).body).toMatchObject({ code: 'refund_exceeds_captured', refundableAmount: eur(3_686) });
    expect((await payOut(3_686)).status).toBe(201);
    expect((await read(orderId)).owedRefund).toBeUndefined();
    await rehearsal.verify();
  });

  inManual('for a return that failed in its own instant is owed until a client repeats it', async (rehearsal) => {
    const { api, call, order: read } = rehearsal;
    const { order, payment } = await rehearsal.noted();
    await api('capture-payment-api', { params: { id: payment.id } });
    const done = await rehearsal.completedOrder(order.id);
    const lines = [{ orderLineId: done.lines[0]?.lineId ?? '', qty: 3, reason: 'too small' }];
    const back = await api('create-return-api', { body: { orderId: order.id, lines, locationId: 'store-01' } });
    await rehearsal.control('set-clock', { body: { flowing: false } });
    await rehearsal.moved(back.id, 'approve', 'receive', 'inspect');
    await rehearsal.settle();
    await call('note-refund-result-api', { params: { id: payment.id, refundId: `${payment.id}.refund-1` }, body: FAILED });
    expect(await read(order.id)).toMatchObject({ owedRefund: eur(2_834) });
    const body = { amount: eur(2_834), returnId: back.id, payOutTo: { type: 'gift-card' as const, token: 'gift_50' } };
    expect((await call('refund-payment-api', { params: { id: payment.id }, body })).status).toBe(201);
    await rehearsal.settle();
    expect([(await read(order.id)).owedRefund, (await rehearsal.returned(back.id)).state]).toEqual([undefined, 'refunded']);
    await rehearsal.verify();
  });

  inManual('for a return that two payments share is owed as far as no other refund of the same instant pays it', async (rehearsal) => {
    const { api, call } = rehearsal;
    const { id: orderId } = await api('create-order-api', { body: givenOrder('#2') });
    for (const [reference, amount] of [['ch_a', 2_000] as const, ['ch_b', 2_686] as const]) {
      const { id } = await api('authorize-payment-api', { body: { orderId, tender: external(reference), amount: eur(amount) } });
      await api('capture-payment-api', { params: { id } });
    }
    const done = await rehearsal.completedOrder(orderId);
    const lines = [{ orderLineId: done.lines[0]?.lineId ?? '', qty: 3, reason: 'too small' }];
    const back = await api('create-return-api', { body: { orderId, lines, locationId: 'store-01' } });
    await rehearsal.control('set-clock', { body: { flowing: false } });
    await rehearsal.moved(back.id, 'approve', 'receive', 'inspect');
    await rehearsal.settle();
    const refunds = (await rehearsal.order(orderId)).refunds ?? [];
    expect(refunds.map(({ amount }) => amount.amount).toSorted()).toEqual([2_000, 834]);
    const [first, second] = refunds;
    const fail = async ({ id: refundId = '', paymentId: id = '' }: { id?: string; paymentId?: string } = {}) => {
      await call('note-refund-result-api', { params: { id, refundId }, body: FAILED });
      await rehearsal.settle();
      return (await rehearsal.order(orderId)).owedRefund?.amount;
    };
    // The OMS refunds 18.52 of the failed 20.00 to the other payment, which has no more.
    expect([await fail(first), await fail(second)]).toEqual([148, 982]);
    await rehearsal.verify();
  });

  inManual('for missing units that failed is not repeated by goodwill of its instant before the failure', async (rehearsal) => {
    const { api, call } = rehearsal;
    const units = ['mug-blue', 'lamp-last-one'].map((sku) => ({ sku, qty: 1 }));
    const { id: orderId } = await rehearsal.draft({ lines: units });
    const { id } = await rehearsal.authorisation(orderId, undefined, external());
    await api('capture-payment-api', { params: { id } });
    const order = await rehearsal.confirmed(orderId);
    await rehearsal.control('set-clock', { body: { flowing: false } });
    await rehearsal.short(order, await rehearsal.onlyFulfilment(orderId), 0, 1);
    await rehearsal.settle();
    const lamp = order.lines[1]?.lineTotal.amount ?? 0;
    const [pending] = (await rehearsal.order(orderId)).refunds ?? [];
    expect(pending).toMatchObject({ state: 'pending', amount: eur(lamp) });
    const goodwill = (amount: number, providerReference: string) =>
      call('refund-payment-api', { params: { id }, body: { amount: eur(amount), providerReference } });
    expect((await goodwill(100, 're_before')).status).toBe(201);
    await call('note-refund-result-api', { params: { id, refundId: pending?.id ?? '' }, body: FAILED });
    await rehearsal.settle();
    expect((await rehearsal.order(orderId)).owedRefund).toEqual(eur(lamp));
    expect((await goodwill(200, 're_after')).status).toBe(201);
    expect((await rehearsal.order(orderId)).owedRefund).toEqual(eur(lamp - 200));
  });

  inManual('for a return that failed is not repeated by an earlier refund of its instant from another payment', async (rehearsal) => {
    const { api, call } = rehearsal;
    const { id: orderId } = await api('create-order-api', { body: givenOrder('#3') });
    const paid: string[] = [];
    for (const [reference, amount] of [['ch_a', 2_000] as const, ['ch_b', 2_686] as const]) {
      const { id } = await api('authorize-payment-api', { body: { orderId, tender: external(reference), amount: eur(amount) } });
      await api('capture-payment-api', { params: { id } });
      paid.push(id);
    }
    const [first = '', second = ''] = paid;
    const done = await rehearsal.completedOrder(orderId);
    const lines = [{ orderLineId: done.lines[0]?.lineId ?? '', qty: 3, reason: 'too small' }];
    const back = await api('create-return-api', { body: { orderId, lines, locationId: 'store-01' } });
    await rehearsal.control('set-clock', { body: { flowing: false } });
    const refunded = (amount: number, providerReference: string) =>
      call('refund-payment-api', { params: { id: second }, body: { amount: eur(amount), providerReference, returnId: back.id } });
    expect((await refunded(900, 're_before')).status).toBe(201);
    await rehearsal.moved(back.id, 'approve', 'receive', 'inspect');
    await rehearsal.settle();
    // 28.34 less 9.00, from the first payment.
    const pending = (await rehearsal.order(orderId)).refunds?.find(({ state }) => state === 'pending');
    expect(pending).toMatchObject({ amount: eur(1_934), paymentId: first });
    await call('note-refund-result-api', { params: { id: first, refundId: pending?.id ?? '' }, body: FAILED });
    await rehearsal.settle();
    // The other payment has 17.86 left, which the OMS refunds for the return.
    const { owedRefund, refunds = [] } = await rehearsal.order(orderId);
    expect([owedRefund?.amount, refunds.map(({ state, amount }) => [state, amount.amount])]).toEqual([
      148,
      [
        ['succeeded', 900],
        ['failed', 1_934],
        ['pending', 1_786],
      ],
    ]);
  });

  inManual('An external payment that a client captures by hand holds the dispatch until then', async (rehearsal) => {
    const { api, call } = rehearsal;
    const { order, payment } = await rehearsal.noted();
    await api('confirm-order-api', { params: { id: order.id } });
    await rehearsal.settle();
    const [routed] = (await rehearsal.order(order.id)).fulfillmentOrders ?? [];
    await rehearsal.packed(routed?.id ?? '');
    const dispatch = () => call('dispatch-fulfillment-order-api', { params: { id: routed?.id ?? '' } });
    expect((await dispatch()).body).toMatchObject({ code: 'payment_incomplete', outstanding: eur(4_686) });
    await api('capture-payment-api', { params: { id: payment.id } });
    expect((await dispatch()).status).toBe(200);
  });

  test('has no result to note if a provider of the Payment Hub makes it, and no unknown refund has one', async (rehearsal) => {
    const { api, call, authorised } = rehearsal;
    const { payment } = await rehearsal.noted();
    await api('capture-payment-api', { params: { id: payment.id } });
    const { id } = await authorised();
    const byCard = (await rehearsal.order(id)).payments[0]?.id ?? '';
    await api('capture-payment-api', { params: { id: byCard } });
    await api('refund-payment-api', { params: { id: byCard }, body: { amount: eur(1) } });
    const note = (of: string, refundId: string) =>
      call('note-refund-result-api', { params: { id: of, refundId }, body: { state: 'succeeded' } });
    expect((await note(byCard, `${byCard}.refund-1`)).body).toMatchObject({ code: 'invalid_state_transition' });
    expect((await note(payment.id, `${payment.id}.refund-1`)).body).toMatchObject({ code: 'not_found' });
    const wrong = await call('refund-payment-api', { params: { id: byCard }, body: { amount: eur(1), providerReference: 're_1' } });
    expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([422, '/providerReference']);
  });
});
