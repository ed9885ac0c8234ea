import { describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import * as oms from '../../services/oms/service.ts';
import { openPayment } from '../../services/payment-hub/authorization/new-payment.ts';
import { payments } from '../../services/payment-hub/collections.ts';
import { syncOrderCover } from '../../services/payment-hub/funds/order-cover.ts';
import { syncReturnCover } from '../../services/payment-hub/funds/return-cover.ts';
import * as paymentHub from '../../services/payment-hub/service.ts';
import { transactions } from '../../services/pos/collections.ts';
import * as pos from '../../services/pos/service.ts';
import type { Basket as BasketSchema } from '../../shared/catalog/commerce/objects.ts';
import type { Payable } from '../../shared/catalog/order/objects.ts';
import { authorizePayment, capturePayment, refundPayment } from '../../shared/catalog/payment/apis.ts';
import { listPayments, reversePayment } from '../../shared/catalog/payment/internal.ts';
import { instant } from '../../shared/domain/time.ts';
import { newRehearsal } from '../support/estate.ts';
import { type Inside, startInside } from '../support/inside.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

type Basket = z.output<typeof BasketSchema>;
type OrderToPay = z.output<typeof Payable>;

const SALE: OrderToPay = { orderId: 'ord_sale', channel: 'pos', state: 'draft', total: eur(5000) };
const EXCHANGE: OrderToPay = {
  ...{ orderId: 'ord_exchange', channel: 'web', state: 'draft', total: eur(5000) },
  returns: [{ returnId: 'ret_1', refundAmount: eur(3000) }],
};

/** Calls of a till to the Payment Hub, for an order that only the till knows yet. */
const atTill = (inside: Inside) => (tender: { type: 'cash' | 'card' | 'bnpl'; token?: string }, amount: number) =>
  inside.as('pos')(authorizePayment, { body: { orderId: SALE.orderId, tender, amount: eur(amount), payable: SALE } });

/** Calls of the OMS to the Payment Hub, for an order paid with a return. */
const credit = (inside: Inside, amount: number, more: object = {}) =>
  inside.as('oms')(authorizePayment, {
    body: {
      ...{ orderId: EXCHANGE.orderId, tender: { type: 'exchange-credit' }, amount: eur(amount), payable: EXCHANGE, returnId: 'ret_1' },
      ...more,
    },
  });

/** A checkout at the till that lists these payments. */
const aSale = (inside: Inside, state: 'open' | 'voided', tenders: readonly string[]) =>
  inside.commitAs('pos', async (work) => {
    const at = instant(work.now);
    const stamped = { version: 1, createdAt: at, updatedAt: at };
    const totals = { subtotal: eur(5000), discount: eur(0), shipping: eur(0), tax: eur(0), total: eur(5000) };
    const basket: Basket = {
      ...{ id: 'bsk_sale', ...stamped, state: 'locked', channel: 'pos', currency: 'EUR', lines: [], vouchers: [] },
      totals,
    };
    const amounts = { amount: eur(1000), capturedAmount: eur(0), refundedAmount: eur(0) };
    work.put(transactions, {
      ...{ id: SALE.orderId, createdAt: at, updatedAt: at, state, storeId: 'store-01', laneId: 'lane-1', basket, asked: [] },
      tenders: tenders.map((id) => ({ id, version: 1, state: 'authorised', tender: { type: 'cash' }, ...amounts })),
    });
  });

const stateOf = async (inside: Inside, id: string): Promise<string> => (await inside.stored('payment-hub', payments, id)).state;

describe('Authorize Payment', () => {
  test.each(['cash', 'exchange-credit'])('refuses %s from outside', async (type) => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.api('create-order-api', { body: { transactionId: id } });
    const refused = await rehearsal.call('authorize-payment-api', { body: { orderId: id, tender: { type } } });
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer: '/tender/type' }] } });
    expect(refused.body.errors[0].detail).toMatch(/card.*gift-card.*bnpl.*loyalty/);
    const named = await rehearsal.call('authorize-payment-api', { body: { orderId: id, tender: card(), returnId: 'ret_1' } });
    expect([named.status, named.body.errors[0].pointer]).toEqual([422, '/returnId']);
  });

  test('accepts cash of a till at once and without an expiry', async () => {
    await using inside = await startInside(paymentHub, pos);
    const cash = await atTill(inside)({ type: 'cash' }, 2000);
    expect(cash).toMatchObject({ state: 'authorised', tender: { type: 'cash' }, amount: eur(2000), authorizedAmount: eur(2000) });
    expect(cash).not.toHaveProperty('authorizationExpiresAt');
    expect(cash).not.toHaveProperty('takenAt');
    expect((await inside.events(`payment/${cash.id}`)).map(({ type }) => type)).toEqual(['com.unified-commerce.payment-authorized']);
    await aSale(inside, 'open', [cash.id]);
    await inside.advance(30 * DAY);
    expect(await stateOf(inside, cash.id)).toBe('authorised');
    expect(await inside.as('oms')(capturePayment, { params: { id: cash.id }, body: {} })).toMatchObject({ state: 'captured' });
    const { body } = await inside.call('POST', `/payments/${cash.id}/refunds`, { amount: eur(500) });
    expect(body).toMatchObject({ state: 'partially-refunded', refundedAmount: eur(500) });
  });

  test('for a card at a till ends after a week like other authorisations', async () => {
    await using inside = await startInside(paymentHub, pos);
    const { id } = await atTill(inside)({ type: 'card', token: 'tok_visa' }, 2000);
    await aSale(inside, 'open', [id]);
    await inside.advance(7 * DAY);
    expect(await stateOf(inside, id)).toBe('voided');
  });

  test('at a till never promises more than the total of the sale', async () => {
    await using inside = await startInside(paymentHub);
    const take = atTill(inside);
    await take({ type: 'cash' }, 3000);
    expect(await take({ type: 'bnpl' }, 1500)).toMatchObject({ state: 'pending' });
    await expect(take({ type: 'card', token: 'tok_visa' }, 501)).rejects.toMatchObject({
      code: 'overpayment',
      context: { outstanding: eur(500) },
    });
    await expect(take({ type: 'card', token: 'tok_decline_insufficient_funds' }, 500)).rejects.toMatchObject({ code: 'payment_declined' });
    await expect(take({ type: 'card', token: 'tok_timeout' }, 500)).rejects.toMatchObject({ code: 'dependency_timeout' });
    const { items } = await inside.as('pos')(listPayments, { query: { orderId: SALE.orderId } });
    expect(items.map(({ tender, state }) => [tender.type, state])).toEqual([
      ['cash', 'authorised'],
      ['bnpl', 'pending'],
      ['card', 'failed'],
      ['card', 'pending'],
    ]);
    for (const { id } of items.toReversed()) await inside.as('pos')(reversePayment, { params: { id }, body: {} });
    await inside.advance(16 * MINUTE);
    const after = await inside.as('pos')(listPayments, { query: { orderId: SALE.orderId } });
    expect(after.items.map(({ state }) => state)).toEqual(['voided', 'voided', 'failed', 'failed']);
  });
});

describe('A payment taken by a till', () => {
  test.each([
    ['of a transaction that the POS does not know', undefined, 'voided'],
    ['of a transaction that was voided', 'voided', 'voided'],
    ['that its transaction does not list', 'unlisted', 'voided'],
    ['that its transaction lists', 'open', 'authorised'],
  ] as const)('%s is 15 minutes later: %s', async (_, sale, expected) => {
    await using inside = await startInside(paymentHub, pos, oms);
    const { id } = await atTill(inside)({ type: 'cash' }, 1000);
    // The till has been told of the payment, and did not know its sale.
    await inside.advance(MINUTE);
    if (sale) await aSale(inside, sale === 'voided' ? 'voided' : 'open', sale === 'unlisted' ? ['pay_other'] : [id]);
    await inside.advance(13 * MINUTE);
    expect(await stateOf(inside, id)).toBe('authorised');
    await inside.advance(2 * MINUTE);
    expect(await stateOf(inside, id)).toBe(expected);
    const outstanding = await atTill(inside)({ type: 'cash' }, 9999).catch(({ context }) => context.outstanding);
    expect(outstanding).toEqual(eur(expected === 'voided' ? 5000 : 4000));
  });

  test('is neither voided while the POS does not answer, nor when the POS lists it', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.fault('slow', { match: { api: 'authorize-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    await rehearsal.pay(id, CASH, 1000);
    await rehearsal.settle();
    const [{ subject }] = await rehearsal.events({ type: 'payment-authorized' });
    const paymentId = subject.replace('payment/', '');
    await rehearsal.down('pos');
    await rehearsal.advance('PT15M');
    expect((await rehearsal.object('payment', paymentId)).state).toBe('authorised');
    await rehearsal.noFaults();
    await rehearsal.advance('PT5M');
    const listed = (await rehearsal.call('add-payment-api', { params: { id }, body: { tender: CASH, amount: eur(99_999) } })).body;
    const { state } = await rehearsal.object('payment', paymentId);
    // The till learned of it after all and lists it; then it stays.
    expect([state, listed.outstanding]).toEqual(['authorised', eur(1598)]);
  });

  test('from outside is left to the OMS when its order was made of the transaction by hand', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.sale();
    await rehearsal.api('create-order-api', { body: { transactionId: id } });
    const paid = await rehearsal.authorisation(id, 1000);
    await rehearsal.advance('PT20M');
    expect((await rehearsal.object('payment', paid.id)).state).toBe('authorised');
    await rehearsal.api('cancel-order-api', { params: { id } });
    expect((await rehearsal.object('payment', paid.id)).state).toBe('voided');
  });
});

describe('An exchange credit', () => {
  test('pays with the value of a return once, and gives it back on a void', async () => {
    await using inside = await startInside(paymentHub);
    const paid = await credit(inside, 2000);
    expect(paid).toMatchObject({ state: 'authorised', returnId: 'ret_1', tender: { type: 'exchange-credit' } });
    await expect(credit(inside, 1001)).rejects.toMatchObject({
      code: 'refund_exceeds_captured',
      context: { objectType: 'return', id: 'ret_1', refundableAmount: eur(1000) },
    });
    await inside.as('oms')(reversePayment, { params: { id: paid.id }, body: {} });
    expect(await credit(inside, 3000)).toMatchObject({ state: 'authorised' });
  });

  test('gives back its uncaptured and its refunded amounts', async () => {
    await using inside = await startInside(paymentHub);
    const { id } = await credit(inside, 3000);
    await inside.call('POST', `/payments/authorizations/${id}/capture`, { amount: eur(2500) });
    await inside.call('POST', `/payments/${id}/refunds`, { amount: eur(400) });
    expect(await inside.counters('payment-hub', 'return-covers', 'ret_1')).toEqual({ worth: 3000, used: 2100 });
  });

  test.each([
    ['without its return', { returnId: undefined }, 'dependency_error'],
    ['of a return that the order does not list', { returnId: 'ret_2' }, 'not_found'],
    ['as a card', { tender: { type: 'card', token: 'tok_visa' } }, 'dependency_error'],
  ])('is not taken %s', async (_, more, code) => {
    await using inside = await startInside(paymentHub);
    await expect(credit(inside, 1000, more)).rejects.toMatchObject({ code });
    expect(await inside.events()).toEqual([]);
  });

  test('is granted once for two requests that both read enough room: the guard lets one commit', async () => {
    await using inside = await startInside(paymentHub);
    await inside.commitAs('payment-hub', async (work) => {
      await syncOrderCover(work, EXCHANGE);
      await syncReturnCover(work, EXCHANGE, 'ret_1');
    });
    const one = (id: string) => async (work: Parameters<typeof syncReturnCover>[0]) => {
      await syncOrderCover(work, EXCHANGE);
      expect(await syncReturnCover(work, EXCHANGE, 'ret_1')).toEqual({ returnId: 'ret_1', left: 3000 });
      const asked = { id, orderId: EXCHANGE.orderId, tender: { type: 'exchange-credit' }, amount: eur(2000), returnId: 'ret_1' } as const;
      openPayment(work, asked, { is: 'approved' });
    };
    const outcomes = await inside.overlapping('payment-hub', one('pay_1'), one('pay_2'));
    expect(outcomes.toSorted()).toEqual(['Conflict: guard: return-covers/ret_1', 'committed']);
  });
});

describe('A refund for a return', () => {
  const payable: OrderToPay = { ...SALE, state: 'return-in-progress', returns: EXCHANGE.returns };
  const aCaptured = async (inside: Inside, amount: number): Promise<string> => {
    const { id } = await atTill(inside)({ type: 'cash' }, amount);
    await inside.as('oms')(capturePayment, { params: { id }, body: {} });
    return id;
  };
  const refund = (inside: Inside, id: string, amount: number, more: object = {}) =>
    inside.as('oms')(refundPayment, { params: { id }, body: { amount: eur(amount), returnId: 'ret_1', payable, ...more } });

  test('names the return, and the refunds of a return over all payments are at most its value', async () => {
    await using inside = await startInside(paymentHub);
    const [one, two] = [await aCaptured(inside, 2500), await aCaptured(inside, 2500)];
    const first = await refund(inside, one, 2000, { reason: 'Returned' });
    expect(first).toMatchObject({ state: 'partially-refunded', refunds: [{ amount: eur(2000), reason: 'Returned', returnId: 'ret_1' }] });
    await expect(refund(inside, two, 1001)).rejects.toMatchObject({
      code: 'refund_exceeds_captured',
      context: { objectType: 'return', id: 'ret_1', refundableAmount: eur(1000) },
    });
    // The payment has less left than the value of the return.
    await expect(refund(inside, one, 501)).rejects.toMatchObject({ context: { objectType: 'payment', refundableAmount: eur(500) } });
    expect(await refund(inside, two, 1000)).toMatchObject({ refundedAmount: eur(1000) });
    await expect(refund(inside, two, 1)).rejects.toMatchObject({ context: { refundableAmount: eur(0) } });
    // Goodwill does not count.
    const { status } = await inside.call('POST', `/payments/${two}/refunds`, { amount: eur(1500) });
    expect(status).toBe(201);
  });

  test('repeated under its reference answers the same refund', async () => {
    await using inside = await startInside(paymentHub);
    const id = await aCaptured(inside, 5000);
    const paid = await refund(inside, id, 3000, { reference: 'return/ret_1/0' });
    expect(await refund(inside, id, 3000, { reference: 'return/ret_1/0' })).toEqual(paid);
    expect(await inside.counters('payment-hub', 'return-covers', 'ret_1')).toEqual({ worth: 3000, used: 3000 });
  });

  test('pays nothing more when the return is now worth less than was refunded for it', async () => {
    await using inside = await startInside(paymentHub);
    const id = await aCaptured(inside, 5000);
    await refund(inside, id, 2000);
    const less = { ...payable, returns: [{ returnId: 'ret_1', refundAmount: eur(1000) }] };
    await expect(refund(inside, id, 1, { payable: less })).rejects.toMatchObject({ context: { refundableAmount: eur(0) } });
    expect(await refund(inside, id, 1000)).toMatchObject({ refundedAmount: eur(3000) });
  });

  test('is refused for a return that the order does not list, and for an amount payable to another order', async () => {
    await using inside = await startInside(paymentHub, oms);
    const id = await aCaptured(inside, 5000);
    await expect(refund(inside, id, 1, { returnId: 'ret_2' })).rejects.toMatchObject({
      code: 'not_found',
      context: { objectType: 'return', id: 'ret_2' },
    });
    await expect(refund(inside, id, 1, { payable: EXCHANGE })).rejects.toMatchObject({ code: 'dependency_error' });
    const unknown = await inside.call('POST', `/payments/${id}/refunds`, { amount: eur(1), returnId: 'ret_1' });
    expect([unknown.status, unknown.body.objectType]).toEqual([404, 'order']);
    expect(await stateOf(inside, id)).toBe('captured');
  });
});
