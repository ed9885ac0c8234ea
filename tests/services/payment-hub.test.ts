import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as oms from '../../services/oms/service.ts';
import { watchAuthorization } from '../../services/payment-hub/authorization/authorization.ts';
import { openPayment, openPending, type PaymentRequest } from '../../services/payment-hub/authorization/new-payment.ts';
import { isTooMuch, outstandingOf } from '../../services/payment-hub/authorization/payable-rules.ts';
import { splitCapture } from '../../services/payment-hub/capture/capture.ts';
import { orderCovers, payments, type StoredPayment } from '../../services/payment-hub/collections.ts';
import { syncOrderCover } from '../../services/payment-hub/funds/order-cover.ts';
import { addRefund, refundableOf, refuseExcessiveRefund } from '../../services/payment-hub/refund/refund.ts';
import * as paymentHub from '../../services/payment-hub/service.ts';
import { allowedFrom } from '../../shared/catalog/life-cycle.ts';
import { refundPayment } from '../../shared/catalog/payment/apis.ts';
import { listPayments, reversePayment } from '../../shared/catalog/payment/internal.ts';
import { paymentLifeCycle } from '../../shared/catalog/payment/objects.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { moneyInWords } from '../../shared/domain/money.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { crashingEstate } from '../support/crashing-estate.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { type Inside, startInside } from '../support/inside.ts';

type NewPayment = Omit<StoredPayment, 'version' | 'state' | 'createdAt' | 'updatedAt'>;
type State = (typeof paymentLifeCycle.states)[number];

const eur = (amount: number) => ({ amount, currency: 'EUR' });
const card = (token = 'tok_visa') => ({ type: 'card', token });
const giftCard = (token = 'gift_50') => ({ type: 'gift-card', token });

/** Orders and payments of one rehearsal. */
function till(rehearsal: TestRehearsal) {
  const { call } = rehearsal;
  const checkedOut = async (qty: number, more: Record<string, unknown> = {}) => {
    return rehearsal.checkedOut((await rehearsal.basket({ qty })).id, more);
  };
  return {
    /** A draft order; ten mugs cost 129.90, without shipping. */
    async anOrder(qty = 10): Promise<{ id: string; total: number }> {
      const basket = await checkedOut(qty);
      const order = await rehearsal.draft(basket.id);
      return { id: order.id, total: order.totals.total.amount };
    },
    authorise: (orderId: string, tender: object = card(), amount?: number, headers: Record<string, string> = {}) =>
      call('POST', '/payments/authorizations', { orderId, tender, ...(amount !== undefined && { amount: eur(amount) }) }, { headers }),
    capture: (id: string, amount?: number, headers: Record<string, string> = {}) =>
      call('POST', `/payments/authorizations/${id}/capture`, amount === undefined ? {} : { amount: eur(amount) }, { headers }),
    voided: (id: string, headers: Record<string, string> = {}) => call('POST', `/payments/authorizations/${id}/void`, {}, { headers }),
    refund: (id: string, amount: number, headers: Record<string, string> = {}) =>
      call('POST', `/payments/${id}/refunds`, { amount: eur(amount), reason: 'goodwill' }, { headers }),
    payment: (id: string) => rehearsal.object('payment', id),
    paymentsOf: async (orderId: string) => (await rehearsal.order(orderId)).payments,
    eventsOf: async (id: string): Promise<[string, number, string | undefined, string][]> =>
      (await rehearsal.events({ subject: `payment/${id}`, ext: true })).map(({ type, aggregateversion, data }) => [
        type.replace('com.unified-commerce.', ''),
        aggregateversion,
        data.previousState,
        data.object.state,
      ]),
    /** The amount still to be paid for an order, read from the refusal of a payment that is certainly too large. */
    outstanding: async (orderId: string): Promise<number> =>
      (await call('POST', '/payments/authorizations', { orderId, tender: card(), amount: eur(99_999_999) })).body.outstanding.amount,
    /** Redeems points for a redemption of as many cents. */
    redeem: async (points: number, orderId: string): Promise<string> =>
      (await rehearsal.api('redeem-points-api', { params: { id: 'loy_ada' }, body: { points, orderId } })).redemption.id,
    points: async (): Promise<number> => (await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance,
  };
}

const key = (value: string) => ({ 'idempotency-key': value });

describe('Authorize Payment', () => {
  test('without an amount authorises the outstanding amount and publishes an event', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, eventsOf } = till(rehearsal);
    const order = await anOrder();
    const { status, body, headers } = await authorise(order.id);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^pay_[0-9A-Z]{26}$/),
      state: 'authorised',
      orderId: order.id,
      tender: { type: 'card', token: 'tok_visa', last4: '4242' },
      amount: eur(order.total),
      authorizedAmount: eur(order.total),
      capturedAmount: eur(0),
      refundedAmount: eur(0),
      authorizationCode: expect.stringMatching(/^[0-9A-F]{6}$/),
      refunds: [],
      version: 1,
    });
    expect(Date.parse(body.authorizationExpiresAt) - Date.parse(body.createdAt)).toBe(7 * 24 * 3_600_000);
    expect(headers['etag']).toBe('"1"');
    expect(await eventsOf(body.id)).toEqual([['payment-authorized', 1, undefined, 'authorised']]);
    const [event] = await rehearsal.events({ subject: `payment/${body.id}` });
    expect(event).toMatchObject({ source: 'urn:uc:app:payment-hub', classification: 'transitioned', partitionkey: body.id });
    expect(event.data.object).toEqual(body);
    await rehearsal.verify();
  });

  test('that is pending is named when more is paid, and when the order is confirmed; both wait for the same', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise } = till(rehearsal);
    const order = await anOrder();
    const { body: pending } = await authorise(order.id, card('tok_async_approve'));
    expect(pending.state).toBe('pending');
    const awaited = { retryable: true, pending: [{ paymentId: pending.id, amount: eur(order.total) }] };
    const more = await authorise(order.id, card());
    expect(more).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: eur(0), ...awaited } });
    const inWords = `${moneyInWords(eur(order.total))} of "${pending.id}"`;
    expect(more.body.detail).toBe(
      `Pending payments may cover the order "${order.id}". Not decided yet: ${inWords}. Send this request again after the decision.`,
    );
    const never = await authorise(order.id, card(), order.total + 1);
    expect(never.body).toMatchObject({ code: 'overpayment', outstanding: eur(0), retryable: false });
    const confirm = () => rehearsal.call('confirm-order-api', { params: { id: order.id } });
    const early = await confirm();
    expect(early).toMatchObject({ status: 409, body: { code: 'payment_incomplete', outstanding: eur(order.total), ...awaited } });
    for (const { body } of [more, early]) expect(body.detail).toContain(inWords);
    await rehearsal.advance('PT5M');
    expect((await confirm()).status).toBe(200);
    await rehearsal.verify();
  });

  test('splits the total among several tenders and refuses a larger amount with the outstanding one', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, paymentsOf } = till(rehearsal);
    const order = await anOrder();
    const first = await authorise(order.id, giftCard(), 5000);
    const tooMuch = await authorise(order.id, card(), order.total - 4999);
    expect(tooMuch.status).toBe(409);
    expect(tooMuch.body).toMatchObject({ code: 'overpayment', outstanding: eur(order.total - 5000), id: order.id, retryable: false });
    const second = await authorise(order.id, card());
    expect(second.body.amount).toEqual(eur(order.total - 5000));
    const third = await authorise(order.id, card());
    expect([third.status, third.body.code, third.body.outstanding]).toEqual([409, 'overpayment', eur(0)]);
    expect((await paymentsOf(order.id)).map(({ id }: { id: string }) => id)).toEqual([first.body.id, second.body.id]);
    await rehearsal.verify();
  });

  test('refuses an unknown order, another currency and malformed requests, each with its reason', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder } = till(rehearsal);
    const order = await anOrder();
    const answers = async (body: unknown) => {
      const reply = await rehearsal.call('authorize-payment-api', { body });
      return [reply.status, reply.body.code, reply.body.errors?.[0]?.pointer ?? reply.body.objectType];
    };
    const orderId = order.id;
    expect(await answers({ orderId: 'ord_nobody', tender: card() })).toEqual([404, 'not_found', 'order']);
    const dollars = { amount: 100, currency: 'USD' };
    expect(await answers({ orderId, tender: card(), amount: dollars })).toEqual([422, 'validation_failed', '/amount/currency']);
    expect(await answers({ orderId, tender: card(), amount: eur(0) })).toEqual([422, 'validation_failed', '/amount/amount']);
    expect(await answers({ orderId, tender: { type: 'card' } })).toEqual([422, 'validation_failed', '/tender/token']);
    expect(await answers({ orderId, tender: { type: 'cheque', token: 'x' } })).toEqual([422, 'validation_failed', '/tender/type']);
    expect(await answers({ orderId, tender: card(), payable: {} })).toEqual([422, 'validation_failed', '/payable']);
    expect(await answers({ tender: card() })).toEqual([422, 'validation_failed', '/orderId']);
    expect((await rehearsal.call('authorize-payment-api', { body: { orderId, tender: card() }, as: 'none' })).status).toBe(401);
  });

  test('refuses a cancelled order', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise } = till(rehearsal);
    const order = await anOrder();
    await rehearsal.api('cancel-order-api', { params: { id: order.id } });
    const { status, body } = await authorise(order.id);
    expect([status, body.code]).toEqual([409, 'invalid_state_transition']);
    expect(body).toMatchObject({ objectType: 'order', id: order.id, currentState: 'cancelled', action: 'authorise' });
    expect(body.allowedFrom).toContain('draft');
  });

  test('treats a confirmed order as covered until one of its authorisations is voided', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, voided } = till(rehearsal);
    const order = await anOrder();
    const { body: payment } = await authorise(order.id);
    await rehearsal.confirmed(order.id);
    expect((await authorise(order.id)).body).toMatchObject({ code: 'overpayment', outstanding: eur(0) });
    expect((await voided(payment.id)).status).toBe(200);
    expect((await authorise(order.id)).body).toMatchObject({ state: 'authorised', amount: eur(order.total) });
  });

  test.each([
    ['tok_decline_insufficient_funds', 'insufficient_funds'],
    ['tok_decline_do_not_honor', 'do_not_honor'],
    ['tok_decline_expired_card', 'expired_card'],
  ])('declines %s with 402, stores the failed payment and leaves the order open to other tenders', async (token, declineCode) => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, payment, eventsOf, outstanding } = till(rehearsal);
    const order = await anOrder();
    const { status, body } = await authorise(order.id, card(token), undefined, key('once'));
    expect([status, body.code, body.declineCode, body.retryable]).toEqual([402, 'payment_declined', declineCode, false]);
    const failed = await payment(body.paymentId);
    expect(failed).toMatchObject({ state: 'failed', declineCode, authorizedAmount: eur(0) });
    expect(failed).not.toHaveProperty('authorizationCode');
    expect(await eventsOf(body.paymentId)).toEqual([['ext.payment-changed', 1, undefined, 'failed']]);
    expect(await outstanding(order.id)).toBe(order.total);
    const repeat = await authorise(order.id, card(token), undefined, key('once'));
    expect([repeat.status, repeat.body.paymentId, repeat.headers['idempotent-replayed']]).toEqual([402, body.paymentId, 'true']);
    await rehearsal.verify();
  });

  test('gives an unknown token the same last four digits every time', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise } = till(rehearsal);
    const order = await anOrder();
    const digits = async (token: string) => (await authorise(order.id, card(token), 100)).body.tender.last4;
    const first = await digits('tok_of_my_own');
    expect(first).toMatch(/^[0-9]{4}$/);
    expect(await digits('tok_of_my_own')).toBe(first);
    expect(await digits('tok_of_yours')).not.toBe(first);
  });
});

describe('A payment whose outcome is unknown', () => {
  test('stays pending and counts as promised when the provider does not answer, and fails after 15 minutes', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, payment, eventsOf, outstanding } = till(rehearsal);
    const order = await anOrder();
    const { status, body } = await authorise(order.id, card('tok_timeout'), 4000);
    expect([status, body.code, body.dependency, body.retryable]).toEqual([504, 'dependency_timeout', 'payment-provider', true]);
    expect(await payment(body.paymentId)).toMatchObject({ state: 'pending', authorizedAmount: eur(0) });
    expect(await outstanding(order.id)).toBe(order.total - 4000);
    await rehearsal.advance('PT14M');
    expect(await payment(body.paymentId)).toMatchObject({ state: 'pending' });
    await rehearsal.advance('PT1M');
    expect(await payment(body.paymentId)).toMatchObject({ state: 'failed', declineCode: 'provider_timeout' });
    expect(await outstanding(order.id)).toBe(order.total);
    expect(await eventsOf(body.paymentId)).toEqual([
      ['ext.payment-changed', 1, undefined, 'pending'],
      ['ext.payment-changed', 2, 'pending', 'failed'],
    ]);
    await rehearsal.verify();
  });

  test('is returned to a retry with its key, and no second payment is made', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, paymentsOf } = till(rehearsal);
    const order = await anOrder();
    const send = () => authorise(order.id, card('tok_timeout'), undefined, key('retry-me'));
    const first = await send();
    const second = await send();
    expect([second.status, second.body.paymentId]).toEqual([504, first.body.paymentId]);
    await rehearsal.advance('PT15M');
    const third = await send();
    expect([third.status, third.body.declineCode, third.body.paymentId]).toEqual([402, 'provider_timeout', first.body.paymentId]);
    expect((await send()).headers['idempotent-replayed']).toBe('true');
    expect(await paymentsOf(order.id)).toHaveLength(1);
  });

  test('refuses its key for another request', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, paymentsOf } = till(rehearsal);
    const order = await anOrder();
    await rehearsal.client.control('set-clock', { body: { flowing: false } });
    await authorise(order.id, card('tok_timeout'), 100, key('used'));
    const other = await authorise(order.id, card('tok_visa'), 200, key('used'));
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await paymentsOf(order.id)).toHaveLength(1);
  });

  test.each([
    ['a card that takes its time', card('tok_async_approve')],
    ['buy now, pay later', { type: 'bnpl' }],
    ['buy now, pay later with a token', { type: 'bnpl', token: 'tok_visa' }],
  ])('with %s is approved after a minute', async (_, tender) => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, payment, eventsOf, outstanding } = till(rehearsal);
    const order = await anOrder();
    const { status, body } = await authorise(order.id, tender);
    expect([status, body.state, body.authorizationCode]).toEqual([201, 'pending', undefined]);
    expect(await outstanding(order.id)).toBe(0);
    await rehearsal.advance('PT50S');
    expect((await payment(body.id)).state).toBe('pending');
    await rehearsal.advance('PT10S');
    const approved = await payment(body.id);
    expect(approved).toMatchObject({ state: 'authorised', authorizedAmount: eur(order.total), version: 2 });
    expect(approved.authorizationCode).toMatch(/^[0-9A-F]{6}$/);
    expect(Date.parse(approved.authorizationExpiresAt) - Date.parse(body.createdAt)).toBe(7 * 24 * 3_600_000 + 60_000);
    expect(await eventsOf(body.id)).toEqual([
      ['ext.payment-changed', 1, undefined, 'pending'],
      ['payment-authorized', 2, 'pending', 'authorised'],
    ]);
    await rehearsal.advance('PT15M');
    expect((await payment(body.id)).state).toBe('authorised');
    await rehearsal.verify();
  });

  test('with buy now, pay later follows the tokens that decline and that do not answer', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise } = till(rehearsal);
    const order = await anOrder();
    const declined = await authorise(order.id, { type: 'bnpl', token: 'tok_decline_do_not_honor' });
    expect([declined.status, declined.body.declineCode]).toEqual([402, 'do_not_honor']);
    expect((await authorise(order.id, { type: 'bnpl', token: 'tok_timeout' })).status).toBe(504);
  });
});

describe('Gift cards', () => {
  test('hold the amount from the authorisation on and decline amounts beyond their balance', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise } = till(rehearsal);
    const order = await anOrder();
    expect((await authorise(order.id, giftCard(), 4000)).status).toBe(201);
    const short = await authorise(order.id, giftCard(), 1001);
    expect([short.status, short.body.code, short.body.declineCode]).toEqual([402, 'payment_declined', 'insufficient_funds']);
    expect((await authorise(order.id, giftCard(), 1000)).status).toBe(201);
    expect((await authorise(order.id, giftCard('gift_5'), 501)).body).toMatchObject({
      ...{ declineCode: 'insufficient_funds', availableAmount: eur(500) },
      detail: 'The payment was declined: insufficient_funds. The tender can pay 5.00 EUR.',
    });
    expect((await authorise(order.id, giftCard('gift_5'), 500)).status).toBe(201);
    const unknown = await authorise(order.id, giftCard('gift_nobody'), 1);
    expect([unknown.status, unknown.body.declineCode]).toEqual([402, 'unknown_gift_card']);
    expect((await rehearsal.object('payment', unknown.body.paymentId)).state).toBe('failed');
  });

  test('get back voided, refunded and uncaptured amounts', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, voided, capture, refund } = till(rehearsal);
    const order = await anOrder();
    const spendable = async (amount: number) => {
      const probe = await authorise(order.id, giftCard(), amount + 1);
      const all = await authorise(order.id, giftCard(), amount);
      if (all.status === 201) await voided(all.body.id);
      return [probe.status, all.status];
    };
    const { body: first } = await authorise(order.id, giftCard(), 5000);
    await voided(first.id);
    expect(await spendable(5000)).toEqual([402, 201]);
    const { body: second } = await authorise(order.id, giftCard(), 5000);
    expect((await capture(second.id, 3000)).status).toBe(200);
    expect(await spendable(2000)).toEqual([402, 201]);
    await refund(second.id, 1000);
    expect(await spendable(3000)).toEqual([402, 201]);
    await refund(second.id, 2000);
    expect(await spendable(5000)).toEqual([402, 201]);
    await rehearsal.verify();
  });

  test('are never overdrawn by concurrent payments for several orders', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise } = till(rehearsal);
    const orders = await Promise.all([anOrder(), anOrder()]);
    const sent = Array.from({ length: 20 }, (_, index) => authorise(orders[index % 2]?.id ?? '', giftCard(), 1200));
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(4);
    expect(statuses.filter((status) => status === 402)).toHaveLength(16);
    expect((await authorise(orders[0]?.id ?? '', giftCard(), 200)).status).toBe(201);
    await rehearsal.verify();
  });
});

describe('Redemptions of loyalty points', () => {
  test('pay once: a second payment with the same redemption is declined', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, redeem, points, eventsOf, outstanding } = till(rehearsal);
    const order = await anOrder();
    const token = await redeem(300, order.id);
    const { status, body } = await authorise(order.id, { type: 'loyalty', token }, 300);
    expect([status, body.state, body.tender]).toEqual([201, 'authorised', { type: 'loyalty', token }]);
    expect(await points()).toBe(200);
    expect(await eventsOf(body.id)).toEqual([
      ['ext.payment-changed', 1, undefined, 'pending'],
      ['payment-authorized', 2, 'pending', 'authorised'],
    ]);
    const again = await authorise(order.id, { type: 'loyalty', token }, 100);
    expect([again.status, again.body.declineCode]).toEqual([402, 'insufficient_points']);
    expect(await outstanding(order.id)).toBe(order.total - 300);
    await rehearsal.verify();
  });

  test('are declined when they are unknown or worth less than the amount', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, redeem, outstanding } = till(rehearsal);
    const order = await anOrder();
    for (const token of ['rdm_nobody', 'not an id at all']) {
      const { status, body } = await authorise(order.id, { type: 'loyalty', token }, 100);
      expect([status, body.declineCode]).toEqual([402, 'unknown_redemption']);
      expect((await rehearsal.object('payment', body.paymentId)).state).toBe('failed');
    }
    const token = await redeem(300, order.id);
    const { status, body } = await authorise(order.id, { type: 'loyalty', token }, 301);
    expect([status, body.declineCode]).toEqual([402, 'insufficient_points']);
    expect(await outstanding(order.id)).toBe(order.total);
    expect((await authorise(order.id, { type: 'loyalty', token }, 300)).status).toBe(201);
  });

  test('return to the member before the void of their payment is answered', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, voided, redeem, points } = till(rehearsal);
    const order = await anOrder();
    const { body } = await authorise(order.id, { type: 'loyalty', token: await redeem(400, order.id) }, 400);
    expect((await voided(body.id)).status).toBe(200);
    expect(await points()).toBe(500);
    expect((await voided(body.id)).status).toBe(200);
    expect(await points()).toBe(500);
    await rehearsal.verify();
  });

  test('return in part with the uncaptured remainder and with each refund', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, capture, refund, redeem, points } = till(rehearsal);
    const order = await anOrder();
    const { body } = await authorise(order.id, { type: 'loyalty', token: await redeem(400, order.id) }, 400);
    await capture(body.id, 350);
    expect(await points()).toBe(150);
    await refund(body.id, 100);
    await refund(body.id, 100);
    expect(await points()).toBe(350);
    await refund(body.id, 150);
    expect(await points()).toBe(500);
    await rehearsal.verify();
  });

  test('answer 503 while the Loyalty Platform is down: nothing is spent, and the key stays usable', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, redeem, points, outstanding, paymentsOf } = till(rehearsal);
    const order = await anOrder();
    const token = await redeem(300, order.id);
    const send = () => authorise(order.id, { type: 'loyalty', token }, 300, key('points'));
    await rehearsal.down('loyalty-platform');
    const down = await send();
    expect([down.status, down.body.code, down.body.dependency]).toEqual([503, 'dependency_unavailable', 'loyalty-platform']);
    expect(await rehearsal.object('payment', down.body.paymentId)).toMatchObject({ state: 'failed', declineCode: 'loyalty_unavailable' });
    expect(await outstanding(order.id)).toBe(order.total);
    await rehearsal.noFaults();
    const up = await send();
    expect([up.status, up.body.state]).toEqual([201, 'authorised']);
    expect((await send()).headers['idempotent-replayed']).toBe('true');
    expect((await paymentsOf(order.id)).map(({ state }: { state: string }) => state)).toEqual(['failed', 'authorised']);
    expect(await points()).toBe(200);
    await rehearsal.verify();
  });

  test.each(['timeout', 'reset'] as const)('with an answer lost by %s leave the payment pending until a retry', async (as) => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, redeem, points, paymentsOf } = till(rehearsal);
    const order = await anOrder();
    const token = await redeem(300, order.id);
    const send = () => authorise(order.id, { type: 'loyalty', token }, 300, key('points'));
    await rehearsal.fault('lost', { match: { api: 'put-ledger-entry' }, fault: { kind: 'lost-response', as }, times: 1 });
    const lost = await send();
    expect(lost.status).toBe(as === 'timeout' ? 504 : 502);
    expect((await rehearsal.object('payment', lost.body.paymentId)).state).toBe('pending');
    const found = await send();
    expect([found.status, found.body.state, found.body.id]).toEqual([201, 'authorised', lost.body.paymentId]);
    expect(await paymentsOf(order.id)).toHaveLength(1);
    expect(await points()).toBe(200);
    await rehearsal.advance('PT16M');
    expect((await rehearsal.object('payment', lost.body.paymentId)).state).toBe('authorised');
    await rehearsal.verify();
  });

  test('that are still being spent by another request leave the payment pending, and a retry with the same key completes it', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, redeem } = till(rehearsal);
    const order = await anOrder();
    const token = await redeem(300, order.id);
    const send = () => authorise(order.id, { type: 'loyalty', token }, 300, key('points'));
    const fault = { kind: 'status', status: 409, code: 'idempotency_in_progress' };
    await rehearsal.fault('running', { match: { api: 'put-ledger-entry' }, fault, times: 1 });
    const running = await send();
    expect([running.status, running.body.code, running.body.retryable]).toEqual([409, 'idempotency_in_progress', true]);
    expect((await rehearsal.object('payment', running.body.paymentId)).state).toBe('pending');
    expect((await send()).body).toMatchObject({ id: running.body.paymentId, state: 'authorised' });
  });

  test('are returned when their payment was reversed while pending: the approval is voided at once', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, redeem, points } = till(rehearsal);
    const order = await anOrder();
    const token = await redeem(300, order.id);
    const send = () => authorise(order.id, { type: 'loyalty', token }, 300, key('points'));
    await rehearsal.fault('lost', { match: { api: 'put-ledger-entry' }, fault: { kind: 'lost-response' }, times: 1 });
    const lost = await send();
    await rehearsal.api('cancel-order-api', { params: { id: order.id } });
    await rehearsal.settle();
    expect(await rehearsal.object('payment', lost.body.paymentId)).toMatchObject({ state: 'pending', version: 2 });
    const found = await send();
    expect([found.status, found.body.id, found.body.state]).toEqual([201, lost.body.paymentId, 'voided']);
    expect(await points()).toBe(500);
    await rehearsal.verify();
  });

  test('are returned after 15 minutes, and the payment fails, when the answer stays lost', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, redeem, points, outstanding } = till(rehearsal);
    const order = await anOrder();
    const token = await redeem(300, order.id);
    await rehearsal.fault('lost', { match: { api: 'put-ledger-entry' }, fault: { kind: 'lost-response' }, times: 1 });
    const { body } = await authorise(order.id, { type: 'loyalty', token }, 300, key('points'));
    await rehearsal.advance('PT15M');
    expect(await rehearsal.object('payment', body.paymentId)).toMatchObject({ state: 'failed', declineCode: 'provider_timeout' });
    expect(await points()).toBe(500);
    expect(await outstanding(order.id)).toBe(order.total);
    const late = await authorise(order.id, { type: 'loyalty', token }, 300, key('points'));
    expect([late.status, late.body.declineCode]).toEqual([402, 'provider_timeout']);
    await rehearsal.verify();
  });

  test('that are given back while the Loyalty Platform is down return once when it is back', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, voided, redeem, points } = till(rehearsal);
    const order = await anOrder();
    const { body } = await authorise(order.id, { type: 'loyalty', token: await redeem(400, order.id) }, 400);
    await rehearsal.down('loyalty-platform');
    const reply = await voided(body.id);
    expect([reply.status, reply.body.state]).toEqual([200, 'voided']);
    await rehearsal.noFaults();
    await rehearsal.advance('PT1H');
    expect(await points()).toBe(500);
    await rehearsal.verify();
  });
});

describe('When a process dies while points are spent and the client does not retry', () => {
  const crashes = (['payment-hub', 'loyalty-platform'] as const).flatMap((application) =>
    [1, 2, 3].flatMap((commit) => (['before', 'after'] as const).map((when) => ({ application, commit, when }))),
  );

  test.each(crashes)('$application, $when commit $commit: the points pay for the order or are returned', async (crash) => {
    const estate = await crashingEstate();
    try {
      const lines = [{ sku: 'mug-blue', qty: 1 }];
      const basket = await estate.insist('ecommerce-platform', 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
      await estate.insist('ecommerce-platform', 'POST', `/baskets/${basket.body.id}/checkout`, { shippingAddress: ADDRESS });
      const order = await estate.insist('oms', 'POST', '/orders', { basketId: basket.body.id });
      const orderId: string = order.body.id;
      const redeemed = await estate.insist('loyalty-platform', 'POST', '/members/loy_ada/redeem', { points: 300, orderId });
      const tender = { type: 'loyalty', token: redeemed.body.redemption.id };
      estate.crashAt(crash);
      await estate
        .ask('payment-hub', 'POST', '/payments/authorizations', { orderId, tender, amount: eur(300) }, 'once')
        .catch(() => undefined);
      await estate.advance(40 * 60_000);
      estate.crashAt(undefined);
      const { payments: listed } = (await estate.insist('oms', 'GET', `/orders/${orderId}`)).body;
      const { pointsBalance } = (await estate.insist('loyalty-platform', 'GET', '/members/loy_ada/balance')).body;
      const states = listed.map(({ state }: { state: string }) => state);
      expect([...states, pointsBalance]).toEqual(states[0] === 'authorised' ? ['authorised', 200] : states[0] ? ['failed', 500] : [500]);
      expect((await estate.verify()).flatMap(({ violations }) => violations)).toEqual([]);
      expect((await estate.ledger()).parked).toEqual([]);
    } finally {
      await estate.close();
    }
  });
});

describe('Capture Payment', () => {
  test('takes the whole authorised amount once and publishes an event', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, capture, eventsOf } = till(rehearsal);
    const order = await anOrder();
    const { body: payment } = await authorise(order.id);
    const { status, body } = await capture(payment.id, undefined, key('take'));
    expect([status, body.state, body.capturedAmount]).toEqual([200, 'captured', eur(order.total)]);
    const repeat = await capture(payment.id);
    expect([repeat.status, repeat.body.currentState, repeat.body.allowedFrom]).toEqual([409, 'captured', ['authorised']]);
    const replay = await capture(payment.id, undefined, key('take'));
    expect([replay.status, replay.headers['idempotent-replayed'], replay.body]).toEqual([200, 'true', body]);
    expect((await eventsOf(payment.id)).slice(1)).toEqual([['payment-captured', 2, 'authorised', 'captured']]);
    await rehearsal.verify();
  });

  test('takes a part, and another tender may pay the rest of the order', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, capture, outstanding } = till(rehearsal);
    const order = await anOrder();
    const { body: payment } = await authorise(order.id);
    expect((await capture(payment.id, 4000)).body).toMatchObject({ state: 'captured', capturedAmount: eur(4000) });
    expect(await outstanding(order.id)).toBe(order.total - 4000);
    expect((await authorise(order.id)).body.amount).toEqual(eur(order.total - 4000));
    await rehearsal.verify();
  });

  test('refuses more than the authorised amount, another currency, and an amount of zero', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, capture } = till(rehearsal);
    const { body: payment } = await authorise((await anOrder()).id, card(), 5000);
    const tooMuch = await capture(payment.id, 5001);
    expect([tooMuch.status, tooMuch.body.code, tooMuch.body.authorizedAmount]).toEqual([409, 'capture_exceeds_authorized', eur(5000)]);
    expect((await capture(payment.id, 0)).status).toBe(422);
    const path = `/payments/authorizations/${payment.id}/capture`;
    const dollars = await rehearsal.call('POST', path, { amount: { amount: 1, currency: 'USD' } });
    expect([dollars.status, dollars.body.errors[0].pointer]).toEqual([422, '/amount/currency']);
    expect((await capture('pay_nobody')).body).toMatchObject({ status: 404, code: 'not_found', objectType: 'payment' });
    const stale = await capture(payment.id, undefined, { 'if-match': '"7"' });
    expect([stale.status, stale.body.code, stale.body.currentVersion]).toEqual([412, 'version_mismatch', 1]);
    expect((await capture(payment.id, undefined, { 'if-match': '"1"' })).status).toBe(200);
  });

  test('succeeds for one of two concurrent captures', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, capture } = till(rehearsal);
    const { body: payment } = await authorise((await anOrder()).id);
    const replies = await Promise.all(Array.from({ length: 8 }, () => capture(payment.id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    await rehearsal.verify();
  });
});

describe('Void Payment', () => {
  test('reverses an authorisation; a repeat changes nothing', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, voided, outstanding, eventsOf } = till(rehearsal);
    const order = await anOrder();
    const { body: payment } = await authorise(order.id);
    const first = await voided(payment.id);
    expect([first.status, first.body.state, first.body.version]).toEqual([200, 'voided', 2]);
    expect(await outstanding(order.id)).toBe(order.total);
    const second = await voided(payment.id);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await outstanding(order.id)).toBe(order.total);
    expect((await eventsOf(payment.id)).slice(1)).toEqual([['ext.payment-changed', 2, 'authorised', 'voided']]);
    expect((await voided('pay_nobody')).status).toBe(404);
    await rehearsal.verify();
  });
});

describe('Refund Payment', () => {
  const captured = async (rehearsal: TestRehearsal, amount: number) => {
    const { anOrder, authorise, capture } = till(rehearsal);
    const order = await anOrder();
    const { body } = await authorise(order.id, card(), amount);
    await capture(body.id);
    return { id: body.id as string, orderId: order.id };
  };

  test('refunds in parts up to the captured amount', async () => {
    await using rehearsal = await newRehearsal();
    const { refund, eventsOf } = till(rehearsal);
    const { id } = await captured(rehearsal, 10_000);
    const first = await refund(id, 2500);
    expect([first.status, first.body.state, first.body.refundedAmount]).toEqual([201, 'partially-refunded', eur(2500)]);
    expect(first.body.refunds).toEqual([{ amount: eur(2500), reason: 'goodwill', at: first.body.updatedAt }]);
    const second = await refund(id, 2500);
    expect([second.body.state, second.body.refundedAmount]).toEqual(['partially-refunded', eur(5000)]);
    const third = await refund(id, 5000);
    expect([third.body.state, third.body.refundedAmount, third.body.refunds.length]).toEqual(['fully-refunded', eur(10_000), 3]);
    expect((await eventsOf(id)).slice(2)).toEqual([
      ['ext.payment-changed', 3, 'captured', 'partially-refunded'],
      ['ext.payment-changed', 4, 'partially-refunded', 'partially-refunded'],
      ['ext.payment-changed', 5, 'partially-refunded', 'fully-refunded'],
    ]);
    await rehearsal.verify();
  });

  test('refuses more than the captured amount that is not yet refunded', async () => {
    await using rehearsal = await newRehearsal();
    const { refund } = till(rehearsal);
    const { id } = await captured(rehearsal, 10_000);
    await refund(id, 6000);
    const tooMuch = await refund(id, 4001);
    expect([tooMuch.status, tooMuch.body.code, tooMuch.body.refundableAmount]).toEqual([409, 'refund_exceeds_captured', eur(4000)]);
    const dollars = await rehearsal.call('refund-payment-api', { params: { id }, body: { amount: { amount: 1, currency: 'USD' } } });
    expect([dollars.status, dollars.body.errors[0].pointer]).toEqual([422, '/amount/currency']);
    expect((await rehearsal.call('refund-payment-api', { params: { id }, body: {} })).status).toBe(422);
    expect((await refund('pay_nobody', 1)).status).toBe(404);
  });

  test('succeeds for one of two concurrent refunds of 60 of 100', async () => {
    await using rehearsal = await newRehearsal();
    const { refund, payment } = till(rehearsal);
    const { id } = await captured(rehearsal, 10_000);
    const replies = await Promise.all([refund(id, 6000), refund(id, 6000)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(replies.find(({ status }) => status === 409)?.body).toMatchObject({ refundableAmount: eur(4000) });
    expect((await payment(id)).refundedAmount).toEqual(eur(6000));
    await rehearsal.verify();
  });

  test('refunds once per key, and every time without a key', async () => {
    await using rehearsal = await newRehearsal();
    const { refund, payment } = till(rehearsal);
    const { id } = await captured(rehearsal, 10_000);
    const first = await refund(id, 1000, key('back'));
    const again = await refund(id, 1000, key('back'));
    expect([again.status, again.body, again.headers['idempotent-replayed']]).toEqual([201, first.body, 'true']);
    await refund(id, 1000);
    expect((await payment(id)).refundedAmount).toEqual(eur(2000));
  });

  test('before dispatch makes the refunded amount of the order outstanding again', async () => {
    await using rehearsal = await newRehearsal();
    const { refund, outstanding, authorise } = till(rehearsal);
    const { id, orderId } = await captured(rehearsal, 10_000);
    await refund(id, 4000);
    expect(await outstanding(orderId)).toBe(6990);
    expect((await authorise(orderId, card('tok_visa'), 6991)).body).toMatchObject({ code: 'overpayment', outstanding: eur(6990) });
    expect((await authorise(orderId, card('tok_visa'), 6990)).status).toBe(201);
    expect(await outstanding(orderId)).toBe(0);
    await rehearsal.verify();
  });
});

/** Brings a payment into a state by the APIs and the clock only. */
async function aPayment(rehearsal: TestRehearsal, state: State): Promise<{ id: string; orderId: string; version: number }> {
  const { anOrder, authorise, capture, voided, refund, payment } = till(rehearsal);
  const order = await anOrder();
  const tokens: Partial<Record<State, string>> = { pending: 'tok_async_approve', failed: 'tok_decline_do_not_honor' };
  const { body } = await authorise(order.id, card(tokens[state] ?? 'tok_visa'), 10_000);
  const id: string = body.id ?? body.paymentId;
  const steps: Partial<Record<State, () => Promise<unknown>>> = {
    captured: () => capture(id),
    'partially-refunded': async () => [await capture(id), await refund(id, 4000)],
    'fully-refunded': async () => [await capture(id), await refund(id, 10_000)],
    voided: () => voided(id),
  };
  await steps[state]?.();
  const found = await payment(id);
  expect(found.state).toBe(state);
  return { id, orderId: order.id, version: found.version };
}

describe('The life cycle of a payment, by state and client verb', () => {
  const verbs = {
    capture: (rehearsal: TestRehearsal, id: string) => till(rehearsal).capture(id),
    void: (rehearsal: TestRehearsal, id: string) => till(rehearsal).voided(id),
    refund: (rehearsal: TestRehearsal, id: string) => till(rehearsal).refund(id, 1000),
  } as const;
  const cases = paymentLifeCycle.states.flatMap((state) =>
    (Object.keys(verbs) as (keyof typeof verbs)[]).map((verb) => [state, verb] as const),
  );

  test.each(cases)('%s × %s', async (state, verb) => {
    await using rehearsal = await newRehearsal();
    const { id, version } = await aPayment(rehearsal, state);
    const { status, body } = await verbs[verb](rehearsal, id);
    const row = paymentLifeCycle.rows.find((candidate) => candidate.verb === verb && candidate.from.includes(state));
    const after = await rehearsal.object('payment', id);
    const events = await till(rehearsal).eventsOf(id);
    if (!row) {
      expect([status, body.code]).toEqual([409, 'invalid_state_transition']);
      expect(body).toMatchObject({ objectType: 'payment', id, currentState: state, action: verb });
      expect(body.allowedFrom).toEqual(allowedFrom(paymentLifeCycle, verb));
      expect([after.state, after.version]).toEqual([state, version]);
    } else if (row.again) {
      expect([status, body.state, after.version]).toEqual([200, state, version]);
    } else {
      expect(status).toBeLessThan(300);
      expect(row.to).toContain(body.state);
      expect(after.version).toBe(version + 1);
      expect(events.at(-1)).toEqual([row.events[0] ?? 'ext.payment-changed', version + 1, state, body.state]);
    }
    expect(events).toHaveLength(after.version);
    await rehearsal.verify();
  });

  test.each(paymentLifeCycle.states)('for 16 minutes without calls moves a payment that is %s only by its timers', async (state) => {
    await using rehearsal = await newRehearsal();
    const { id } = await aPayment(rehearsal, state);
    await rehearsal.advance('PT16M');
    expect((await rehearsal.object('payment', id)).state).toBe(state === 'pending' ? 'authorised' : state);
  });

  test.each(paymentLifeCycle.states)('when its order is cancelled gives back the amount held by a payment that is %s', async (state) => {
    await using rehearsal = await newRehearsal();
    const { id, orderId, version } = await aPayment(rehearsal, state);
    await rehearsal.api('cancel-order-api', { params: { id: orderId } });
    await rehearsal.settle();
    await rehearsal.advance('PT2M');
    const reversed = await rehearsal.object('payment', id);
    const ends: Partial<Record<State, State>> = {
      pending: 'voided',
      authorised: 'voided',
      captured: 'fully-refunded',
      'partially-refunded': 'fully-refunded',
    };
    expect(reversed.state).toBe(ends[state] ?? state);
    if (ends[state] === undefined) expect(reversed.version).toBe(version);
    if (ends[state] === 'fully-refunded') expect(reversed.refundedAmount).toEqual(eur(10_000));
    await rehearsal.verify();
  });
});

describe('Reversing a payment', () => {
  test('that is pending voids it when it is approved', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, eventsOf } = till(rehearsal);
    const order = await anOrder();
    const { body } = await authorise(order.id, card('tok_async_approve'));
    await rehearsal.api('cancel-order-api', { params: { id: order.id } });
    await rehearsal.settle();
    expect((await rehearsal.object('payment', body.id)).state).toBe('pending');
    await rehearsal.advance('PT1M');
    expect(await eventsOf(body.id)).toEqual([
      ['ext.payment-changed', 1, undefined, 'pending'],
      ['ext.payment-changed', 2, 'pending', 'pending'],
      ['payment-authorized', 3, 'pending', 'authorised'],
      ['ext.payment-changed', 4, 'authorised', 'voided'],
    ]);
    await rehearsal.verify();
  });

  test('is refused to outside callers, as is listing payments', async () => {
    await using rehearsal = await newRehearsal();
    expect((await rehearsal.call('POST', '/internal/payments/pay_x/reverse', {})).status).toBe(404);
    expect((await rehearsal.call('GET', '/internal/payments?orderId=ord_x')).status).toBe(404);
  });
});

/** A payment authorised for an order that does not exist. */
const anAuthorisation = (id: string, orderId: string): NewPayment => ({
  ...{ id, orderId, tender: { type: 'gift-card', token: 'gift_50' }, refunds: [] },
  ...{ amount: eur(5000), authorizedAmount: eur(5000), capturedAmount: eur(0), refundedAmount: eur(0) },
});

/** Stores it, with the counters of its order. */
function authorised(work: UnitOfWork, id: string, orderId: string) {
  work.move(orderCovers, orderId, { payable: 5000, committed: 5000 });
  return work.create(payments, 'authorise', anAuthorisation(id, orderId));
}

describe('The Payment Hub, called by the OMS,', () => {
  test('reverses a payment once in any state and gives back its held amount', async () => {
    await using inside = await startInside(paymentHub);
    const reverse = (id: string) => inside.as('oms')(reversePayment, { params: { id }, body: { reason: 'order cancelled' } });
    const make = (id: string) => inside.commitAs('payment-hub', async (work) => authorised(work, id, 'ord_1'));
    const held = async () => (await inside.counters('payment-hub', 'gift-card-balances', 'gift_50'))['balance'];

    await make('pay_authorised');
    expect(await reverse('pay_authorised')).toMatchObject({ state: 'voided', version: 2 });
    expect(await reverse('pay_authorised')).toMatchObject({ state: 'voided', version: 2 });
    expect(await held()).toBe(10_000);

    await make('pay_captured');
    await inside.call('POST', '/payments/authorizations/pay_captured/capture', {});
    await inside.call('POST', '/payments/pay_captured/refunds', { amount: eur(2000) });
    const refunds = [{ amount: eur(2000) }, { amount: eur(3000), reason: 'order cancelled' }];
    expect(await reverse('pay_captured')).toMatchObject({ state: 'fully-refunded', version: 4, refunds });
    expect(await reverse('pay_captured')).toMatchObject({ state: 'fully-refunded', version: 4 });
    expect(await held()).toBe(15_000);

    await inside.commitAs('payment-hub', async (work) => work.create(payments, 'await-approval', anAuthorisation('pay_pending', 'ord_1')));
    expect(await reverse('pay_pending')).toMatchObject({ state: 'pending', version: 2 });
    expect(await reverse('pay_pending')).toMatchObject({ state: 'pending', version: 2 });
    await expect(reverse('pay_nobody')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('makes one refund per payment and reference, whatever amount a repeat names; another reference makes another refund', async () => {
    await using inside = await startInside(paymentHub);
    for (const id of ['pay_one', 'pay_two']) {
      await inside.commitAs('payment-hub', async (work) => authorised(work, id, 'ord_1'));
      await inside.call('POST', `/payments/authorizations/${id}/capture`, {});
    }
    const refund = (id: string, amount: number, reference: string) =>
      inside.as('oms')(refundPayment, { params: { id }, body: { amount: eur(amount), reason: 'lost', reference } });
    const first = await refund('pay_one', 1000, 'ful_1 lost');
    expect(first.refunds).toEqual([{ amount: eur(1000), reason: 'lost', reference: 'ful_1 lost', at: first.updatedAt }]);
    expect(await refund('pay_one', 1000, 'ful_1 lost')).toEqual(first);
    expect(await refund('pay_one', 2000, 'ful_1 lost')).toEqual(first);
    expect(await refund('pay_two', 1000, 'ful_1 lost')).toMatchObject({ id: 'pay_two', refundedAmount: eur(1000) });
    expect(await refund('pay_one', 4000, 'ful_2 lost')).toMatchObject({ state: 'fully-refunded', refundedAmount: eur(5000) });
    // Nothing is left of the payment, and the earlier refund is unchanged.
    expect(await refund('pay_one', 1000, 'ful_1 lost')).toMatchObject({ state: 'fully-refunded', version: 4 });
    await expect(refund('pay_one', 1, 'ful_3 lost')).rejects.toMatchObject({ code: 'invalid_state_transition' });
    expect((await inside.events('payment/pay_one')).map(({ aggregateversion }) => aggregateversion)).toEqual([1, 2, 3, 4]);
    const outside = await inside.call('POST', '/payments/pay_two/refunds', { amount: eur(1), reference: 'mine' });
    expect([outside.status, outside.body.code]).toEqual([422, 'validation_failed']);
  });

  test('lists all payments of an order by creation, across pages', async () => {
    await using inside = await startInside(paymentHub);
    const ids = Array.from({ length: 1_003 }, (_, index) => `pay_${(index * 7_919) % 1_003}`);
    await inside.commitAs('payment-hub', async (work) => {
      for (const id of ids) work.create(payments, 'authorise', anAuthorisation(id, 'ord_many'));
      work.create(payments, 'authorise', anAuthorisation('pay_other', 'ord_other'));
    });
    const { items } = await inside.as('oms')(listPayments, { query: { orderId: 'ord_many' } });
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(await inside.as('oms')(listPayments, { query: { orderId: 'ord_nobody' } })).toEqual({ items: [] });
  });

  test('treats an authorisation of an order unknown to the OMS as an orphan', async () => {
    await using inside = await startInside(paymentHub, oms);
    await inside.commitAs('payment-hub', async (work) => {
      watchAuthorization(work, authorised(work, 'pay_orphan', 'ord_nobody'));
    });
    await inside.advance(14 * 60_000);
    expect(await inside.stored('payment-hub', payments, 'pay_orphan')).toMatchObject({ state: 'authorised' });
    await inside.advance(60_000);
    expect(await inside.stored('payment-hub', payments, 'pay_orphan')).toMatchObject({ state: 'voided' });
  });
});

describe('Authorisations that are never captured', () => {
  test('end after seven days, and the order may be paid again', async () => {
    await using rehearsal = await newRehearsal({ warehouse: 'manual' });
    const { anOrder, authorise, eventsOf, outstanding } = till(rehearsal);
    const order = await anOrder();
    const { body } = await authorise(order.id);
    await rehearsal.confirmed(order.id);
    // The OMS would authorise the same card again.
    const declined = { kind: 'status', status: 402, code: 'payment_declined' };
    await rehearsal.fault('declined', { match: { api: 'authorize-payment-api' }, fault: declined, times: 1 });
    await rehearsal.advance('P6DT23H');
    expect((await rehearsal.object('payment', body.id)).state).toBe('authorised');
    await rehearsal.advance('PT1H');
    expect((await rehearsal.object('payment', body.id)).state).toBe('voided');
    expect((await eventsOf(body.id)).slice(1)).toEqual([['ext.payment-changed', 2, 'authorised', 'voided']]);
    expect(await outstanding(order.id)).toBe(order.total);
    await rehearsal.verify();
  });

  test('are voided as orphans when their order is cancelled and the OMS does not reverse them, but not while the OMS is down', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, payment } = till(rehearsal);
    const order = await anOrder();
    const { body } = await authorise(order.id, giftCard(), 5000);
    await rehearsal.fault('no-reversal', { match: { api: 'reverse-payment' }, fault: { kind: 'status', status: 500 } });
    await rehearsal.fault('oms-down', { match: { api: 'get-payable' }, fault: { kind: 'outage' } });
    await rehearsal.api('cancel-order-api', { params: { id: order.id } });
    await rehearsal.advance('PT15M');
    expect((await payment(body.id)).state).toBe('authorised');
    await rehearsal.client.control('delete-fault', { params: { name: 'oms-down' } });
    await rehearsal.advance('PT6M');
    expect((await payment(body.id)).state).toBe('voided');
    const other = await anOrder();
    expect((await authorise(other.id, giftCard(), 5000)).status).toBe(201);
  });

  test('are kept while their order is active', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, payment } = till(rehearsal);
    const { body } = await authorise((await anOrder()).id);
    await rehearsal.advance('PT1H');
    expect(await payment(body.id)).toMatchObject({ state: 'authorised', version: 1 });
  });
});

describe('Fifty concurrent requests', () => {
  test('with one key make one payment', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, paymentsOf } = till(rehearsal);
    const order = await anOrder();
    const replies = await Promise.all(Array.from({ length: 50 }, () => authorise(order.id, card(), 1000, key('same'))));
    const made = replies.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
    for (const { status, body } of replies) if (status !== 201) expect([status, body.code]).toEqual([409, 'idempotency_in_progress']);
    expect(made.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    expect(await paymentsOf(order.id)).toHaveLength(1);
    const other = await authorise(order.id, card(), 1001, key('same'));
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('for one order never promise more than its total', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, outstanding } = till(rehearsal);
    const order = await anOrder();
    const replies = await Promise.all(Array.from({ length: 50 }, () => authorise(order.id, card(), 3000)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(4);
    const refused = replies.filter(({ status }) => status === 409);
    expect(refused.map(({ body }) => body.code)).toEqual(Array(46).fill('overpayment'));
    expect(await outstanding(order.id)).toBe(order.total - 12_000);
    await rehearsal.verify();
  });

  test('that fit the total together all succeed, each with a payment of its own', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, paymentsOf } = till(rehearsal);
    const order = await anOrder();
    const replies = await Promise.all(Array.from({ length: 50 }, () => authorise(order.id, card(), 200)));
    expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(201));
    expect(new Set((await paymentsOf(order.id)).map(({ id }: { id: string }) => id)).size).toBe(50);
    await rehearsal.verify();
  });
});

describe('Of two payments that both read enough room', () => {
  const order = { orderId: 'ord_1', channel: 'web', state: 'draft', total: eur(10_000) } as const;
  const asked = (id: string, orderId: string, amount: number) =>
    ({ id, orderId, amount: eur(amount), tender: giftCard() }) as PaymentRequest;

  /** Both decide on the state that they read; then both commit. */
  async function together(inside: Inside, open: (work: UnitOfWork, id: string) => Promise<unknown>): Promise<string[]> {
    let ready = 0;
    const both = Promise.withResolvers<void>();
    const one = (id: string) =>
      inside.commitAs('payment-hub', async (work) => {
        await open(work, id);
        ready += 1;
        if (ready === 2) both.resolve();
        await both.promise;
      });
    const outcomes = await Promise.allSettled([one('pay_1'), one('pay_2')]);
    return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'committed' : String(outcome.reason)));
  }

  test('for one order, the guard lets one commit', async () => {
    await using inside = await startInside(paymentHub);
    await inside.commitAs('payment-hub', (work) => syncOrderCover(work, order));
    const outcomes = await together(inside, async (work, id) => {
      expect(await syncOrderCover(work, order)).toBe(0);
      openPending(work, asked(id, 'ord_1', 6000), 'provider-answer');
    });
    expect(outcomes).toEqual(['committed', 'Conflict: guard: order-covers/ord_1']);
  });

  test('as the first for one order, the total is counted once', async () => {
    await using inside = await startInside(paymentHub);
    const outcomes = await together(inside, async (work, id) => {
      await syncOrderCover(work, order);
      openPending(work, asked(id, 'ord_1', 1000), 'provider-answer');
    });
    expect(outcomes).toEqual(['committed', 'Conflict: version: payable-orders/ord_1']);
    expect(await inside.counters('payment-hub', 'order-covers', 'ord_1')).toEqual({ payable: 10_000, committed: 1000, payments: 1 });
  });

  test('with one gift card for two orders, the guard lets one commit', async () => {
    await using inside = await startInside(paymentHub);
    const outcomes = await together(inside, async (work, id) => {
      await syncOrderCover(work, { ...order, orderId: `ord_of_${id}` });
      openPayment(work, asked(id, `ord_of_${id}`, 3000), { is: 'approved' });
    });
    expect(outcomes).toEqual(['committed', 'Conflict: guard: gift-card-balances/gift_50']);
  });
});

describe('While the OMS is down', () => {
  test('no payment can be authorised, and existing payments can change', async () => {
    await using rehearsal = await newRehearsal();
    const { anOrder, authorise, capture, refund } = till(rehearsal);
    const order = await anOrder();
    const { body } = await authorise(order.id, card(), 1000);
    await rehearsal.down('oms');
    const refused = await authorise(order.id, card(), 1000);
    expect([refused.status, refused.body.code, refused.body.dependency]).toEqual([503, 'dependency_unavailable', 'oms']);
    expect((await capture(body.id)).status).toBe(200);
    expect((await refund(body.id, 1)).status).toBe(201);
  });
});

describe('Money rules', () => {
  const amounts = fc.integer({ min: 0, max: 1_000_000 });
  const payment = (authorised: number, captured = 0, paidBack = 0) =>
    ({
      id: 'pay_1',
      authorizedAmount: eur(authorised),
      capturedAmount: eur(captured),
      refundedAmount: eur(paidBack),
      refunds: [],
    }) as unknown as StoredPayment;
  const codeOf = (act: () => unknown): string | undefined => {
    try {
      act();
      return undefined;
    } catch (error) {
      return error instanceof Problem ? error.code : String(error);
    }
  };

  test('an amount is authorised exactly when it fits into the outstanding amount', () => {
    fc.assert(
      fc.property(amounts, amounts, fc.integer({ min: 1, max: 1_000_000 }), (total, committed, asked) => {
        const outstanding = outstandingOf({ orderId: 'ord_1', channel: 'web', state: 'draft', total: eur(total) }, committed);
        expect(outstanding.amount).toBe(Math.max(0, total - committed));
        expect(isTooMuch(outstanding, eur(asked))).toBe(committed + asked > total);
        expect(isTooMuch(outstanding, undefined)).toBe(committed >= total);
      }),
    );
  });

  test('a capture splits the authorisation without losing a cent', () => {
    fc.assert(
      fc.property(amounts, amounts, (authorised, asked) => {
        const split = () => splitCapture(payment(authorised), eur(asked));
        if (asked > authorised) return expect(codeOf(split)).toBe('capture_exceeds_authorized');
        expect(split().captured.amount + split().remainder.amount).toBe(authorised);
      }),
    );
  });

  test('refunds end exactly at the captured amount', () => {
    fc.assert(
      fc.property(amounts, amounts, fc.integer({ min: 1, max: 1_000_000 }), (captured, before, asked) => {
        fc.pre(before <= captured);
        const found = payment(captured, captured, before);
        const left = refundableOf(found).amount;
        expect(codeOf(() => refuseExcessiveRefund(found, eur(asked)))).toBe(asked > left ? 'refund_exceeds_captured' : undefined);
        if (asked <= left)
          expect(addRefund(found, { amount: eur(asked) }).to).toBe(asked === left ? 'fully-refunded' : 'partially-refunded');
      }),
    );
  });
});
