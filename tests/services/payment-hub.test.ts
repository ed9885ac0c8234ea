import { test as crashTest, describe, expect } from '@jest/globals';
import * as oms from '../../services/oms/service.ts';
import { openPayment, openPending, type PaymentRequest } from '../../services/payment-hub/authorization.ts';
import { syncOrderCover } from '../../services/payment-hub/funds.ts';
import * as paymentHub from '../../services/payment-hub/service.ts';
import type { ProgressionInput } from '../../shared/catalog/control/progression.ts';
import { paymentLifeCycle } from '../../shared/catalog/payment/objects.ts';
import { moneyInWords } from '../../shared/domain/money.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { walks } from '../flows/life-cycle-walks.ts';
import { crashingEstate } from '../support/crashing-estate.ts';
import { ADDRESS, newRehearsal } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';
import { card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

type State = (typeof paymentLifeCycle.states)[number];

const giftCard = (token = 'gift_50') => ({ type: 'gift-card', token });
const key = (value: string) => ({ 'idempotency-key': value });
const WEEK = 7 * 24 * 3_600_000;
const LOST = { match: { api: 'put-ledger-entry' }, fault: { kind: 'lost-response' }, times: 1 };

/** A rehearsal with a draft order of ten mugs, which cost 129.90, and the calls that pay for it. */
async function withOrder(progression?: ProgressionInput) {
  const rehearsal = await newRehearsal(progression);
  const { api, call } = rehearsal;
  const anOrder = async () => {
    const { id, totals } = await rehearsal.draft({ qty: 10 });
    return { orderId: id, total: totals.total.amount };
  };
  const order = await anOrder();
  const { orderId } = order;
  const authoriseFor = (id: string, tender: object = card(), amount?: number, headers: Record<string, string> = {}) =>
    call('authorize-payment-api', { body: { orderId: id, tender, amount: amount === undefined ? amount : eur(amount) }, headers });
  const authorise = (tender?: object, amount?: number, headers?: Record<string, string>) => authoriseFor(orderId, tender, amount, headers);
  const capture = (id: string, amount?: number) =>
    call('capture-payment-api', { params: { id }, body: amount === undefined ? {} : { amount: eur(amount) } });
  return {
    ...rehearsal,
    ...order,
    anOrder,
    authoriseFor,
    authorise,
    capture,
    captured: async (amount: number): Promise<string> => {
      const { body } = await authorise(card(), amount);
      await capture(body.id);
      return body.id;
    },
    voided: (id: string) => call('void-payment-api', { params: { id } }),
    payment: (id: string) => rehearsal.object('payment', id),
    /** The states of the order's payments. */
    states: async () => (await rehearsal.order(orderId)).payments.map(({ state }) => state as string),
    eventsOf: async (id: string): Promise<string[]> =>
      (await rehearsal.events({ subject: `payment/${id}`, ext: true })).map(
        ({ type, aggregateversion, data: { previousState = 'none', object } }) =>
          `${type.replace('com.unified-commerce.', '')} ${aggregateversion}: ${previousState} → ${object.state}`,
      ),
    /** The amount still to be paid, read from the refusal of a payment that is certainly too large. */
    outstanding: async (): Promise<number> => (await authorise(card(), 99_999_999)).body.outstanding.amount,
    /** Redeems points, and pays as many cents with them. The token is the redemption. */
    pointsOf: async (points: number) => {
      const { redemption } = await api('redeem-points-api', { params: { id: 'loy_ada' }, body: { points, orderId } });
      const tender = { type: 'loyalty', token: redemption.id };
      return { tender, pay: () => authorise(tender, points, key('points')) };
    },
    balance: async () => (await api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance,
  };
}
const test = testIn(withOrder);

describe('Authorize Payment', () => {
  test('Authorize Payment without an amount authorises the outstanding amount and publishes an event', async (hub) => {
    const { status, body, headers } = await hub.authorise();
    expect([status, headers['etag']]).toEqual([201, '"1"']);
    const [total, zero] = [eur(hub.total), eur(0)];
    expect(body).toMatchObject({
      id: expect.stringMatching(/^pay_[0-9A-Z]{26}$/),
      state: 'authorised',
      orderId: hub.orderId,
      tender: { type: 'card', token: 'tok_visa', last4: '4242' },
      authorizationCode: expect.stringMatching(/^[0-9A-F]{6}$/),
      ...{ amount: total, authorizedAmount: total, capturedAmount: zero, refundedAmount: zero, refunds: [], version: 1 },
    });
    expect(Date.parse(body.authorizationExpiresAt) - Date.parse(body.createdAt)).toBe(WEEK);
    expect(await hub.eventsOf(body.id)).toEqual(['payment-authorized 1: none → authorised']);
    const [event] = await hub.events({ subject: `payment/${body.id}` });
    expect(event).toMatchObject({ source: 'urn:uc:app:payment-hub', classification: 'transitioned', partitionkey: body.id });
    expect(event.data.object).toEqual(body);
  });

  test('Authorize Payment and Confirm Order name a pending payment that may cover the order', async (hub) => {
    const { body: pending } = await hub.authorise(card('tok_async_approve'));
    const awaited = { retryable: true, pending: [{ paymentId: pending.id, amount: eur(hub.total) }] };
    const more = await hub.authorise();
    expect(more).toMatchObject({ status: 409, body: { code: 'overpayment', outstanding: eur(0), ...awaited } });
    const never = await hub.authorise(card(), hub.total + 1);
    expect(never.body).toMatchObject({ code: 'overpayment', outstanding: eur(0), retryable: false });
    const early = await hub.confirm(hub.orderId);
    expect(early).toMatchObject({ status: 409, body: { code: 'payment_incomplete', outstanding: eur(hub.total), ...awaited } });
    for (const { body } of [more, early]) expect(body.detail).toContain(`${moneyInWords(eur(hub.total))} of "${pending.id}"`);
    await hub.advance('PT5M');
    expect((await hub.confirm(hub.orderId)).status).toBe(200);
  });

  test('Authorize Payment refuses a cancelled order', async (hub) => {
    await hub.cancel(hub.orderId);
    const { status, body } = await hub.authorise();
    expect([status, body.code]).toEqual([409, 'invalid_state_transition']);
    expect(body).toMatchObject({ objectType: 'order', id: hub.orderId, currentState: 'cancelled', action: 'authorise' });
    expect(body.allowedFrom).toContain('draft');
  });

  test('Authorize Payment refuses a confirmed order until one of its authorisations is voided', async (hub) => {
    const { body: payment } = await hub.authorise();
    await hub.confirmed(hub.orderId);
    expect((await hub.authorise()).body).toMatchObject({ code: 'overpayment', outstanding: eur(0) });
    expect((await hub.voided(payment.id)).status).toBe(200);
    expect((await hub.authorise()).body).toMatchObject({ state: 'authorised', amount: eur(hub.total) });
  });

  test.each([
    [card('tok_decline_insufficient_funds'), 'insufficient_funds'],
    [card('tok_decline_do_not_honor'), 'do_not_honor'],
    [card('tok_decline_expired_card'), 'expired_card'],
    [{ type: 'bnpl', token: 'tok_decline_do_not_honor' }, 'do_not_honor'],
  ])('Authorize Payment declines %j with 402, stores the failed payment and leaves the order open', async (hub, tender, declineCode) => {
    const { status, body } = await hub.authorise(tender, undefined, key('once'));
    expect([status, body]).toMatchObject([402, { code: 'payment_declined', declineCode, retryable: false }]);
    const failed = await hub.payment(body.paymentId);
    expect(failed).toMatchObject({ state: 'failed', declineCode, authorizedAmount: eur(0) });
    expect(failed).not.toHaveProperty('authorizationCode');
    expect(await hub.eventsOf(body.paymentId)).toEqual(['ext.payment-changed 1: none → failed']);
    expect(await hub.outstanding()).toBe(hub.total);
    expect((await hub.authorise(tender, undefined, key('once'))).body.paymentId).toBe(body.paymentId);
  });

  test('While the OMS is down, nothing can be authorised, and existing payments can change', async (hub) => {
    const { body } = await hub.authorise(card(), 1000);
    await hub.down('oms');
    expect(await hub.authorise(card(), 1000)).toMatchObject({ status: 503, body: { code: 'dependency_unavailable', dependency: 'oms' } });
    expect([(await hub.capture(body.id)).status, (await hub.refund(body.id, 1)).status]).toEqual([200, 201]);
  });
});

describe('Pending payments', () => {
  test.each([card('tok_timeout'), { type: 'bnpl', token: 'tok_timeout' }])(
    'A payment by %j, which the provider does not answer, stays pending, counts as promised, and fails after 15 minutes',
    async (hub, tender) => {
      const { status, body } = await hub.authorise(tender, 4000);
      expect([status, body]).toMatchObject([504, { code: 'dependency_timeout', dependency: 'payment-provider', retryable: true }]);
      expect(await hub.outstanding()).toBe(hub.total - 4000);
      await hub.advance('PT14M');
      expect(await hub.payment(body.paymentId)).toMatchObject({ state: 'pending', authorizedAmount: eur(0) });
      await hub.advance('PT1M');
      expect(await hub.payment(body.paymentId)).toMatchObject({ state: 'failed', declineCode: 'provider_timeout' });
      expect(await hub.outstanding()).toBe(hub.total);
      expect(await hub.eventsOf(body.paymentId)).toEqual([
        ...['ext.payment-changed 1: none → pending', 'ext.payment-changed 2: pending → failed'],
      ]);
    },
  );

  test('A pending payment keeps its key: a retry gets it, and another request with the key pays nothing', async (hub) => {
    const send = () => hub.authorise(card('tok_timeout'), undefined, key('retry-me'));
    const { paymentId } = (await send()).body;
    expect(await send()).toMatchObject({ status: 504, body: { paymentId } });
    await hub.advance('PT5M');
    const other = await hub.authorise(card(), 200, key('retry-me'));
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    await hub.advance('PT10M');
    for (const replayed of [undefined, 'true']) {
      const { status, body, headers } = await send();
      expect([status, body]).toMatchObject([402, { declineCode: 'provider_timeout', paymentId }]);
      expect(headers['idempotent-replayed']).toBe(replayed);
    }
    expect(await hub.states()).toEqual(['failed']);
  });

  test.each([card('tok_async_approve'), { type: 'bnpl' }, { type: 'bnpl', token: 'tok_visa' }])(
    'A payment by %j is approved after a minute',
    async (hub, tender) => {
      const { status, body } = await hub.authorise(tender);
      expect([status, body.state, body.authorizationCode, await hub.outstanding()]).toEqual([201, 'pending', undefined, 0]);
      await hub.advance('PT50S');
      expect((await hub.payment(body.id)).state).toBe('pending');
      await hub.advance('PT10S');
      const approved = await hub.payment(body.id);
      expect(approved).toMatchObject({ state: 'authorised', authorizedAmount: eur(hub.total), version: 2 });
      expect(approved.authorizationCode).toMatch(/^[0-9A-F]{6}$/);
      expect(Date.parse(approved.authorizationExpiresAt) - Date.parse(body.createdAt)).toBe(WEEK + 60_000);
      expect(await hub.eventsOf(body.id)).toEqual([
        ...['ext.payment-changed 1: none → pending', 'payment-authorized 2: pending → authorised'],
      ]);
      await hub.advance('PT15M');
      expect((await hub.payment(body.id)).state).toBe('authorised');
    },
  );
});

describe('Gift cards', () => {
  test('A gift card that is short or unknown is declined, and the refusal has its balance', async (hub) => {
    const short = { code: 'payment_declined', declineCode: 'insufficient_funds', availableAmount: eur(500) };
    const five = await hub.authorise(giftCard('gift_5'), 501);
    expect(five).toMatchObject({ status: 402, body: { ...short, detail: expect.stringContaining('can pay 5.00 EUR') } });
    const unknown = await hub.authorise(giftCard('gift_nobody'), 1);
    expect(unknown).toMatchObject({ status: 402, body: { declineCode: 'unknown_gift_card' } });
    expect((await hub.payment(unknown.body.paymentId)).state).toBe('failed');
  });
});

describe('Redemptions of loyalty points', () => {
  test('A redemption pays once: a second payment with it is declined', async (hub) => {
    const { tender, pay } = await hub.pointsOf(300);
    const { status, body } = await pay();
    expect([status, body.state, body.tender, await hub.balance()]).toEqual([201, 'authorised', tender, 200]);
    expect(await hub.eventsOf(body.id)).toEqual([
      ...['ext.payment-changed 1: none → pending', 'payment-authorized 2: pending → authorised'],
    ]);
    expect(await hub.authorise(tender, 100)).toMatchObject({ status: 402, body: { declineCode: 'insufficient_points' } });
    expect(await hub.outstanding()).toBe(hub.total - 300);
  });

  test('A redemption that is unknown is declined', async (hub) => {
    for (const token of ['rdm_nobody', 'not an id at all']) {
      const { status, body } = await hub.authorise({ type: 'loyalty', token }, 100);
      expect([status, body.declineCode]).toEqual([402, 'unknown_redemption']);
      expect((await hub.payment(body.paymentId)).state).toBe('failed');
    }
    expect(await hub.outstanding()).toBe(hub.total);
  });

  test('Points return to the member before a void is answered, with the uncaptured remainder and with each refund', async (hub) => {
    const { body: first } = await (await hub.pointsOf(400)).pay();
    for (const _repeat of [1, 2]) expect([(await hub.voided(first.id)).status, await hub.balance()]).toEqual([200, 500]);
    const { tender } = await hub.pointsOf(400);
    const { body } = await hub.authorise(tender, 400);
    await hub.capture(body.id, 350);
    expect(await hub.balance()).toBe(150);
    await hub.refund(body.id, 100);
    await hub.refund(body.id, 100);
    expect(await hub.balance()).toBe(350);
    await hub.refund(body.id, 150);
    expect(await hub.balance()).toBe(500);
  });

  test('While the Loyalty Platform is down, a payment with points is refused, spends nothing, and can be repeated with its key', async (hub) => {
    const { pay } = await hub.pointsOf(300);
    await hub.down('loyalty-platform');
    const down = await pay();
    expect(down).toMatchObject({ status: 503, body: { code: 'dependency_unavailable', dependency: 'loyalty-platform' } });
    expect(await hub.payment(down.body.paymentId)).toMatchObject({ state: 'failed', declineCode: 'loyalty_unavailable' });
    expect(await hub.outstanding()).toBe(hub.total);
    await hub.noFaults();
    expect((await pay()).status).toBe(201);
    expect((await pay()).headers['idempotent-replayed']).toBe('true');
    expect([await hub.states(), await hub.balance()]).toEqual([['failed', 'authorised'], 200]);
  });

  test.each([
    [504, { kind: 'lost-response', as: 'timeout' }],
    [502, { kind: 'lost-response', as: 'reset' }],
    [409, { kind: 'status', status: 409, code: 'idempotency_in_progress' }],
  ])('Points that are spent without an answer (%i) leave the payment pending until a retry', async (hub, status, fault) => {
    const { pay } = await hub.pointsOf(300);
    await hub.fault('unanswered', { ...LOST, fault });
    const first = await pay();
    expect([first.status, (await hub.payment(first.body.paymentId)).state]).toEqual([status, 'pending']);
    expect(await pay()).toMatchObject({ status: 201, body: { state: 'authorised', id: first.body.paymentId } });
    await hub.advance('PT16M');
    expect([await hub.states(), await hub.balance()]).toEqual([['authorised'], 200]);
  });

  test('Points are returned when their payment was reversed while pending: the approval is voided', async (hub) => {
    const { pay } = await hub.pointsOf(300);
    await hub.fault('lost', LOST);
    const { paymentId } = (await pay()).body;
    await hub.cancel(hub.orderId);
    await hub.settle();
    expect(await hub.payment(paymentId)).toMatchObject({ state: 'pending', version: 2 });
    expect(await pay()).toMatchObject({ status: 201, body: { id: paymentId, state: 'voided' } });
    expect(await hub.balance()).toBe(500);
  });

  const crashes = (['payment-hub', 'loyalty-platform'] as const).flatMap((application) =>
    [1, 2, 3].flatMap((commit) => (['before', 'after'] as const).map((when) => ({ application, commit, when }))),
  );

  crashTest.each(crashes)('Points pay or are returned, without a retry, when $application dies $when its commit $commit', async (crash) => {
    const estate = await crashingEstate();
    const { ok } = estate;
    const basket = { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] };
    const { id: basketId } = await ok('ecommerce-platform', 'POST', '/baskets', basket);
    await ok('ecommerce-platform', 'POST', `/baskets/${basketId}/checkout`, { shippingAddress: ADDRESS });
    const { id: orderId } = await ok('oms', 'POST', '/orders', { basketId });
    const { redemption } = await ok('loyalty-platform', 'POST', '/members/loy_ada/redeem', { points: 300, orderId });
    estate.crashAt(crash);
    const payment = { orderId, tender: { type: 'loyalty', token: redemption.id }, amount: eur(300) };
    await estate.ask('payment-hub', 'POST', '/payments/authorizations', payment, 'once').catch(() => undefined);
    await estate.advance(40 * 60_000);
    estate.crashAt(undefined);
    const order = await ok('oms', 'GET', `/orders/${orderId}`);
    const { pointsBalance } = await ok('loyalty-platform', 'GET', '/members/loy_ada/balance');
    const [state] = order.payments.map((one: { state: string }) => one.state);
    expect([state, pointsBalance]).toEqual(state === 'authorised' ? ['authorised', 200] : [state && 'failed', 500]);
    expect((await estate.verify()).flatMap(({ violations }) => violations)).toEqual([]);
    expect((await estate.ledger()).parked).toEqual([]);
    await estate.close();
  });
});

test.each(paymentLifeCycle.states)(
  'A payment that is %s releases or refunds its amount when its order is cancelled',
  async (hub, state) => {
    const { id } = (await walks['payment']?.states[state]?.(hub)) ?? { id: '' };
    const { version, orderId, amount } = await hub.payment(id);
    await hub.cancel(orderId);
    await hub.advance('PT2M');
    const [undone, refunded] = ['voided', 'fully-refunded'];
    const ends: Partial<Record<State, string>> = {
      ...{ pending: undone, 'requires-action': undone, authorised: undone, captured: refunded, 'partially-refunded': refunded },
    };
    const reversed = await hub.payment(id);
    expect(reversed.state).toBe(ends[state] ?? state);
    if (ends[state] === undefined) expect(reversed.version).toBe(version);
    if (ends[state] === refunded) expect(reversed.refundedAmount).toEqual(amount);
    if (state === 'pending') {
      expect((await hub.eventsOf(id)).slice(2)).toEqual([
        'payment-authorized 3: pending → authorised',
        'ext.payment-changed 4: authorised → voided',
      ]);
    }
  },
);

test('An authorisation is voided as an orphan when the OMS does not reverse it, but not while the OMS is down', async (hub) => {
  const { body } = await hub.authorise(giftCard(), 5000);
  await hub.fault('no-reversal', { match: { api: 'reverse-payment' }, fault: { kind: 'status', status: 500 } });
  await hub.fault('oms-down', { match: { api: 'get-payable' }, fault: { kind: 'outage' } });
  await hub.cancel(hub.orderId);
  await hub.advance('PT15M');
  expect((await hub.payment(body.id)).state).toBe('authorised');
  await hub.control('delete-fault', { params: { name: 'oms-down' } });
  await hub.advance('PT6M');
  expect((await hub.payment(body.id)).state).toBe('voided');
  expect((await hub.authoriseFor((await hub.anOrder()).orderId, giftCard(), 5000)).status).toBe(201);
});

describe('The Payment Hub as the OMS calls it', () => {
  const test = testIn(() => startInside(paymentHub, oms));
  const order = { orderId: 'ord_1', channel: 'web', state: 'draft', total: eur(10_000) } as const;
  const asked = (id: string, orderId: string, amount: number) =>
    ({ id, orderId, amount: eur(amount), tender: giftCard() }) as PaymentRequest;

  test('Refund Payment takes a reference from applications only', async (inside) => {
    const refund = await inside.call('POST', '/payments/pay_1/refunds', { amount: eur(1), reference: 'mine' });
    expect(refund).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer: '/reference' }] } });
  });

  test.each<[string, string, (work: UnitOfWork, id: string) => Promise<unknown>]>([
    [
      'for one order',
      'Conflict: guard: order-covers/ord_known',
      async (work, id) => {
        expect(await syncOrderCover(work, { ...order, orderId: 'ord_known' })).toBe(0);
        openPending(work, asked(id, 'ord_known', 6000), 'provider-answer');
      },
    ],
    [
      'as the first payments of an order',
      'Conflict: version: payable-orders/ord_1',
      async (work, id) => {
        await syncOrderCover(work, order);
        openPending(work, asked(id, 'ord_1', 1000), 'provider-answer');
      },
    ],
    [
      'with one gift card for two orders',
      'Conflict: guard: gift-card-balances/gift_50',
      async (work, id) => {
        await syncOrderCover(work, { ...order, orderId: `ord_of_${id}` });
        openPayment(work, asked(id, `ord_of_${id}`, 3000), { is: 'approved' });
      },
    ],
  ])('Of two payments %s that both read enough room, one commits', async (inside, _, conflict, open) => {
    await inside.commitAs('payment-hub', (work) => syncOrderCover(work, { ...order, orderId: 'ord_known' }));
    const outcomes = await inside.overlapping('payment-hub', ...['pay_1', 'pay_2'].map((id) => (work: UnitOfWork) => open(work, id)));
    expect(outcomes.toSorted()).toEqual([conflict, 'committed']);
    if (conflict.endsWith('ord_1')) {
      expect(await inside.counters('payment-hub', 'order-covers', 'ord_1')).toEqual({ payable: 10_000, committed: 1000, payments: 1 });
    }
  });
});
