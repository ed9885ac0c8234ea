import { describe, expect } from '@jest/globals';
import type { z } from 'zod';
import * as oms from '../../services/oms/service.ts';
import { openPayment } from '../../services/payment-hub/authorization.ts';
import { payments } from '../../services/payment-hub/collections.ts';
import { syncOrderCover, syncReturnCover } from '../../services/payment-hub/funds.ts';
import * as paymentHub from '../../services/payment-hub/service.ts';
import { transactions } from '../../services/pos/collections.ts';
import * as pos from '../../services/pos/service.ts';
import type { Basket as BasketSchema } from '../../shared/catalog/commerce/objects.ts';
import type { Payable } from '../../shared/catalog/order/objects.ts';
import { authorizePayment, capturePayment } from '../../shared/catalog/payment/apis.ts';
import { instant } from '../../shared/domain/time.ts';
import { newRehearsal } from '../support/estate.ts';
import { type Inside, startInside } from '../support/inside.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

type Basket = z.output<typeof BasketSchema>;
type OrderToPay = z.output<typeof Payable>;

/** An order that the till has not submitted yet. */
const SALE: OrderToPay = { orderId: 'ord_sale', channel: 'pos', state: 'draft', total: eur(5000) };
const RETURNS = [{ returnId: 'ret_1', refundAmount: eur(3000) }];
/** An order that is paid with a return. */
const EXCHANGE: OrderToPay = { orderId: 'ord_exchange', channel: 'web', state: 'draft', total: eur(5000), returns: RETURNS };

type Tender = { type: 'cash' | 'card' | 'bnpl'; token?: string };
const VISA = card();

const pay = (inside: Inside, tender: Tender, amount: number) =>
  inside.as('pos')(authorizePayment, { body: { orderId: SALE.orderId, tender, amount: eur(amount), payable: SALE } });

const capture = (inside: Inside, id: string) => inside.as('oms')(capturePayment, { params: { id }, body: {} });

/** A checkout at the till that lists these payments. */
const aSale = (inside: Inside, state: 'open' | 'voided', tenders: readonly string[]) =>
  inside.commitAs('pos', async (work) => {
    const at = instant(work.now);
    const stamped = { version: 1, createdAt: at, updatedAt: at };
    const totals = { subtotal: eur(5000), discount: eur(0), shipping: eur(0), tax: eur(0), total: eur(5000) };
    const empty = { lines: [], vouchers: [], totals };
    const basket: Basket = { id: 'bsk_sale', ...stamped, state: 'locked', channel: 'pos', currency: 'EUR', ...empty };
    const amounts = { amount: eur(1000), authorizedAmount: eur(1000), capturedAmount: eur(0), refundedAmount: eur(0) };
    work.put(transactions, {
      ...{ id: SALE.orderId, createdAt: at, updatedAt: at, state, storeId: 'store-01', laneId: 'lane-1', basket, asked: [] },
      tenders: tenders.map((id) => ({ id, version: 1, state: 'authorised', tender: { type: 'cash' }, ...amounts })),
    });
  });

const stateOf = async (inside: Inside, id: string): Promise<string> => (await inside.stored('payment-hub', payments, id)).state;

describe('Tenders of a till', () => {
  test.each(['cash', 'exchange-credit'])('Authorize Payment refuses %s from outside', async (rehearsal, type) => {
    const { id: orderId } = await rehearsal.sale();
    await rehearsal.api('create-order-api', { body: { transactionId: orderId } });
    const refused = await rehearsal.call('authorize-payment-api', { body: { orderId, tender: { type } } });
    expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer: '/tender/type' }] } });
    expect(refused.body.errors[0].detail).toMatch(/card.*gift-card.*bnpl.*loyalty/);
    const named = await rehearsal.call('authorize-payment-api', { body: { orderId, tender: card(), returnId: 'ret_1' } });
    expect(named).toMatchObject({ status: 422, body: { errors: [{ pointer: '/returnId' }] } });
    const priced = await rehearsal.call('authorize-payment-api', { body: { orderId, tender: card(), payable: {} } });
    expect(priced).toMatchObject({ status: 422, body: { errors: [{ pointer: '/payable' }] } });
  });

  test('A payment of a till is not voided while the POS is down, nor when the POS lists it later', async (rehearsal) => {
    const { id } = await rehearsal.sale();
    await rehearsal.fault('lost', { match: { api: 'authorize-payment-api' }, fault: { kind: 'lost-response' }, times: 1 });
    await rehearsal.pay(id, CASH, 1000);
    const [{ subject }] = await rehearsal.events({ type: 'payment-authorized' });
    const state = async () => (await rehearsal.object('payment', subject.replace('payment/', ''))).state;
    await rehearsal.down('pos');
    await rehearsal.advance('PT15M');
    expect(await state()).toBe('authorised');
    await rehearsal.noFaults();
    await rehearsal.advance('PT5M');
    const { outstanding } = (await rehearsal.pay(id, card(), 99_999)).body;
    expect([await state(), outstanding]).toEqual(['authorised', eur(1598)]);
  });

  test('A payment by a client for an order that a client made of a transaction is left to the OMS', async (rehearsal) => {
    const { id } = await rehearsal.sale();
    await rehearsal.api('create-order-api', { body: { transactionId: id } });
    await rehearsal.authorisation(id, 1000);
    await rehearsal.advance('PT20M');
    expect((await rehearsal.order(id)).payments).toMatchObject([{ state: 'authorised' }]);
    expect((await rehearsal.cancel(id)).body.payments).toMatchObject([{ state: 'voided' }]);
  });
});

describe('Payments of applications', () => {
  const test = testIn(() => startInside(paymentHub, pos, oms));

  test('Cash of a till is authorised immediately and without an expiry; a card is authorised for a week', async (inside) => {
    const cash = await pay(inside, CASH, 2000);
    expect(cash).toMatchObject({ state: 'authorised', tender: CASH, amount: eur(2000), authorizedAmount: eur(2000) });
    for (const absent of ['authorizationExpiresAt', 'takenAt']) expect(cash).not.toHaveProperty(absent);
    expect((await inside.events(`payment/${cash.id}`)).map(({ type }) => type)).toEqual(['com.unified-commerce.payment-authorized']);
    const byCard = await pay(inside, VISA, 2000);
    await aSale(inside, 'open', [cash.id, byCard.id]);
    await inside.advance(7 * DAY);
    expect([await stateOf(inside, cash.id), await stateOf(inside, byCard.id)]).toEqual(['authorised', 'voided']);
    await inside.advance(23 * DAY);
    expect(await capture(inside, cash.id)).toMatchObject({ state: 'captured' });
    const { body } = await inside.call('POST', `/payments/${cash.id}/refunds`, { amount: eur(500) });
    expect(body).toMatchObject({ state: 'partially-refunded', refundedAmount: eur(500) });
  });

  test.each([
    ['of an unknown transaction', undefined, 'voided'],
    ['of a voided transaction', 'voided', 'voided'],
    ['that its transaction does not list', 'unlisted', 'voided'],
    ['that its transaction lists', 'open', 'authorised'],
  ] as const)('A payment of a till %s (%s) is %s after 15 minutes', async (inside, _, sale, expected) => {
    const { id } = await pay(inside, CASH, 1000);
    // The till received the event of the payment before it stored its sale.
    await inside.advance(MINUTE);
    if (sale) await aSale(inside, sale === 'voided' ? 'voided' : 'open', sale === 'unlisted' ? ['pay_other'] : [id]);
    await inside.advance(13 * MINUTE);
    expect(await stateOf(inside, id)).toBe('authorised');
    await inside.advance(2 * MINUTE);
    expect(await stateOf(inside, id)).toBe(expected);
    const outstanding = await pay(inside, VISA, 9999).catch(({ context }) => context.outstanding);
    expect(outstanding).toEqual(eur(expected === 'voided' ? 5000 : 4000));
  });

  test('Of two exchange credits that both read enough value, one commits', async (inside) => {
    const synced = async (work: Parameters<typeof syncReturnCover>[0]) => {
      await syncOrderCover(work, EXCHANGE);
      return syncReturnCover(work, EXCHANGE, 'ret_1');
    };
    await inside.commitAs('payment-hub', synced);
    const one = (id: string) => async (work: Parameters<typeof syncReturnCover>[0]) => {
      expect(await synced(work)).toEqual({ returnId: 'ret_1', left: 3000 });
      const asked = { id, orderId: EXCHANGE.orderId, tender: { type: 'exchange-credit' }, amount: eur(2000), returnId: 'ret_1' } as const;
      openPayment(work, asked, { is: 'approved' });
    };
    const outcomes = await inside.overlapping('payment-hub', one('pay_1'), one('pay_2'));
    expect(outcomes.toSorted()).toEqual(['Conflict: guard: return-covers/ret_1', 'committed']);
  });
});
