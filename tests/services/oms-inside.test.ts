import { describe, expect, test } from '@jest/globals';
import * as crm from '../../services/crm/service.ts';
import { baskets } from '../../services/ecommerce-platform/collections.ts';
import * as ecommercePlatform from '../../services/ecommerce-platform/service.ts';
import { orders } from '../../services/oms/collections.ts';
import { expireDraftDue } from '../../services/oms/due-work.ts';
import { type Basket, orderFromBasket } from '../../services/oms/order/from-basket.ts';
import { beginIntent } from '../../services/oms/order/pending-action.ts';
import * as oms from '../../services/oms/service.ts';
import * as paymentHub from '../../services/payment-hub/service.ts';
import * as promotionEngine from '../../services/promotion-engine/service.ts';
import * as sim from '../../services/sim/service.ts';
import { createOrder } from '../../shared/catalog/order/apis.ts';
import { getPayable, listCustomerOrders } from '../../shared/catalog/order/internal.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import type { Fresh } from '../../shared/work/unit-of-work.ts';
import { type Inside, startInside } from '../support/inside.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });

const aBasket = (members: Partial<Basket> = {}): Fresh<Basket> => ({
  ...{ id: 'bsk_1', channel: 'web', currency: 'EUR', vouchers: [] },
  lines: [{ lineId: 'line-1', sku: 'mug-blue', qty: 2, unitPrice: eur(1299), discount: eur(0), tax: eur(486), lineTotal: eur(2598) }],
  totals: { subtotal: eur(2598), discount: eur(0), shipping: eur(490), tax: eur(578), total: eur(3088) },
  ...members,
});

const converted = async (estate: Inside, members: Partial<Basket> = {}): Promise<Basket> => {
  const at = instant(await estate.now());
  return { ...aBasket(members), state: 'converted', orderId: 'ord_1', version: 3, createdAt: at, updatedAt: at, ...members };
};

const aDraft = (estate: Inside) =>
  estate.commitAs('oms', async (work) => {
    const at = instant(work.now);
    const basket = { ...aBasket(), state: 'converted' as const, orderId: 'ord_1', version: 3, createdAt: at, updatedAt: at };
    return work.create(orders, 'create', orderFromBasket(basket, { orderNumber: '260301-000000', validatedAt: at }));
  });

const refusal = (promise: Promise<unknown>): Promise<Problem> =>
  promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (problem: Problem) => problem,
  );

describe('Create Order with a basket in the request', () => {
  test('stores its order without calling another application', async () => {
    await using estate = await startInside(oms);
    const basket = await converted(estate, { customerId: 'cus_mallory' });
    const order = await estate.as('ecommerce-platform')(createOrder, { body: { basketId: 'bsk_1', basket } });
    expect(order).toMatchObject({ id: 'ord_1', state: 'draft', basketId: 'bsk_1', totals: basket.totals, payments: [] });
  });

  test('refuses another basket, and one that is not converted', async () => {
    await using estate = await startInside(oms);
    const call = estate.as('ecommerce-platform');
    const basket = await converted(estate);
    const other = await refusal(call(createOrder, { body: { basketId: 'bsk_2', basket } }));
    expect(other.message).toContain('bsk_1');
    const locked = await refusal(call(createOrder, { body: { basketId: 'bsk_1', basket: { ...basket, state: 'locked' } } }));
    expect(locked.message).toContain('converted');
    expect(await estate.events()).toEqual([]);
  });
});

describe('Create Order', () => {
  test('refuses a customer who was blocked since the checkout, but not once the basket is bound to an order', async () => {
    await using estate = await startInside(oms, ecommercePlatform, crm, paymentHub);
    await estate.commitAs('ecommerce-platform', async (work) => {
      const basket = work.create(baskets, 'create', aBasket({ customerId: 'cus_mallory' }));
      return work.transition(baskets, basket, 'checkout');
    });
    const refused = await estate.call('POST', '/orders', { basketId: 'bsk_1' });
    expect([refused.status, refused.body.code, refused.body.id]).toEqual([409, 'customer_blocked', 'cus_mallory']);
    expect(await estate.stored('ecommerce-platform', baskets, 'bsk_1')).toMatchObject({ state: 'locked' });
    await estate.commitAs('ecommerce-platform', async (work) => {
      const basket = await work.get(baskets, 'bsk_1');
      if (!basket) throw new Error('the basket is there');
      return work.transition(baskets, basket, 'convert', { orderId: 'ord_bound' });
    });
    const stored = await estate.call('POST', '/orders', { basketId: 'bsk_1' });
    expect([stored.status, stored.body.id]).toEqual([201, 'ord_bound']);
  });
});

describe('List Customer Orders', () => {
  test('lists at most 20 orders of this customer, newest first', async () => {
    await using estate = await startInside(oms);
    const ordered = async (index: number, customerId: string) => {
      const basket = await converted(estate, { id: `bsk_${index}`, orderId: `ord_${index}`, customerId });
      await estate.as('ecommerce-platform')(createOrder, { body: { basketId: basket.id, basket } });
    };
    for (let index = 1; index <= 21; index++) await ordered(index, 'cus_ada');
    await ordered(22, 'cus_ben');
    const { items } = await estate.as('clienteling-app')(listCustomerOrders, { query: { customerId: 'cus_ada' } });
    expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => `ord_${21 - index}`));
    expect(items[0]).not.toHaveProperty('voucherCodes');
    expect(await estate.as('clienteling-app')(listCustomerOrders, { query: { customerId: 'cus_nobody' } })).toEqual({ items: [] });
  });
});

describe('Get Payable', () => {
  test('reports state, total and customer', async () => {
    await using estate = await startInside(oms);
    const basket = await converted(estate, { customerId: 'cus_ada', loyaltyAccountId: 'loy_ada' });
    await estate.as('ecommerce-platform')(createOrder, { body: { basketId: 'bsk_1', basket } });
    const payable = await estate.as('payment-hub')(getPayable, { params: { id: 'ord_1' } });
    const bought = { channel: 'web', customerId: 'cus_ada', loyaltyAccountId: 'loy_ada' };
    expect(payable).toEqual({
      ...{ orderId: 'ord_1', state: 'draft', total: eur(3088), required: eur(3088), basketId: 'bsk_1' },
      ...bought,
    });
    expect((await refusal(estate.as('payment-hub')(getPayable, { params: { id: 'ord_2' } }))).code).toBe('not_found');
  });
});

describe('A cancellation that was interrupted after its intent', () => {
  const intended = async () => {
    const estate = await startInside(oms, paymentHub, sim, promotionEngine);
    const draft = await aDraft(estate);
    await estate.commitAs('oms', async (work) => {
      const found = await work.get(orders, draft.id);
      if (found) await beginIntent(work, found, 'cancel', { cancelReason: 'first' });
    });
    return estate;
  };

  test('blocks Confirm Order meanwhile', async () => {
    await using estate = await intended();
    const { status, body } = await estate.call('POST', '/orders/ord_1/confirm');
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: 'invalid_state_transition',
      action: 'confirm',
      retryable: true,
      pendingAction: { action: 'cancel' },
    });
  });

  test.each([{}, { reason: 'first' }])('is finished by a repeat with the body %j, under the first reason', async (said) => {
    await using estate = await intended();
    const { status, body } = await estate.call('POST', '/orders/ord_1/cancel', said);
    expect([status, body.state, body.cancelReason, body.pendingAction]).toEqual([200, 'cancelled', 'first', undefined]);
  });

  test('refuses another reason for now, since it may still be withdrawn', async () => {
    await using estate = await intended();
    const { status, body } = await estate.call('POST', '/orders/ord_1/cancel', { reason: 'second' });
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'invalid_state_transition', retryable: true, pendingAction: { action: 'cancel' } });
    expect(await estate.stored('oms', orders, 'ord_1')).toMatchObject({ state: 'draft', cancelReason: 'first' });
  });

  test('is finished by due work, which also undoes the order at other applications', async () => {
    await using estate = await intended();
    await estate.advance(60_000);
    const order = await estate.stored('oms', orders, 'ord_1');
    expect(order).toMatchObject({ state: 'cancelled', cancelReason: 'first' });
    expect(order.undo).toBeUndefined();
  });

  test('delays the expiry of the draft', async () => {
    await using estate = await intended();
    await estate.commitAs('oms', async (work) => work.schedule(expireDraftDue, 'ord_1', work.now, {}));
    await estate.advance(120_000);
    const events = await estate.events('order/ord_1');
    const cancelled = events.filter(({ type }) => type.endsWith('order-cancelled'));
    expect(cancelled.map(({ data }) => data.object.cancelReason)).toEqual(['first']);
  });
});
