import { describe, expect } from '@jest/globals';
import { byHand } from '../support/steps/by-hand.ts';
import { external } from '../support/steps/given.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(byHand);
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
