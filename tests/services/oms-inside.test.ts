import { describe, expect } from '@jest/globals';
import * as crm from '../../services/crm/service.ts';
import { baskets } from '../../services/ecommerce-platform/collections.ts';
import * as ecommercePlatform from '../../services/ecommerce-platform/service.ts';
import { type Basket, orderFromBasket } from '../../services/oms/baskets.ts';
import { orders } from '../../services/oms/collections.ts';
import { expireDraftDue } from '../../services/oms/due-work.ts';
import { beginIntent } from '../../services/oms/pending-action.ts';
import * as oms from '../../services/oms/service.ts';
import * as paymentHub from '../../services/payment-hub/service.ts';
import * as promotionEngine from '../../services/promotion-engine/service.ts';
import * as sim from '../../services/sim/service.ts';
import { createOrder } from '../../shared/catalog/order/apis.ts';
import { listCustomerOrders } from '../../shared/catalog/order/internal.ts';
import { instant } from '../../shared/domain/time.ts';
import type { Fresh } from '../../shared/work/unit-of-work.ts';
import { type Inside, startInside } from '../support/inside.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const aBasket = (members: Partial<Basket> = {}): Fresh<Basket> => ({
  ...{ id: 'bsk_1', channel: 'web', currency: 'EUR', vouchers: [] },
  lines: [{ lineId: 'line-1', sku: 'mug-blue', qty: 2, unitPrice: eur(1299), discount: eur(0), tax: eur(486), lineTotal: eur(2598) }],
  totals: { subtotal: eur(2598), discount: eur(0), shipping: eur(490), tax: eur(578), total: eur(3088) },
  ...members,
});

const converted = (now: number, members: Partial<Basket> = {}): Basket & { orderId: string } => {
  const at = instant(now);
  return { ...aBasket(), state: 'converted', orderId: 'ord_1', version: 3, createdAt: at, updatedAt: at, ...members };
};

/** Stores the order of a converted basket, as the eCommerce Platform does. */
const placed = async (inside: Inside, members: Partial<Basket> = {}) => {
  const basket = converted(await inside.now(), members);
  return inside.as('ecommerce-platform')(createOrder, { body: { basketId: basket.id, basket } });
};

describe('Internal calls of the OMS', () => {
  testIn(() => startInside(oms, ecommercePlatform, crm, paymentHub))(
    'Create Order refuses a customer who was blocked since the checkout, but not once the basket is bound to an order',
    async (inside) => {
      await inside.commitAs('ecommerce-platform', async (work) =>
        work.transition(baskets, work.create(baskets, 'create', aBasket({ customerId: 'cus_mallory' })), 'checkout'),
      );
      const refused = await inside.call('POST', '/orders', { basketId: 'bsk_1' });
      expect(refused).toMatchObject({ status: 409, body: { code: 'customer_blocked', id: 'cus_mallory' } });
      expect(await inside.stored('ecommerce-platform', baskets, 'bsk_1')).toMatchObject({ state: 'locked' });
      await inside.commitAs('ecommerce-platform', async (work) => {
        const basket = await work.get(baskets, 'bsk_1');
        if (!basket) throw new Error('the basket is there');
        return work.transition(baskets, basket, 'convert', { orderId: 'ord_bound' });
      });
      expect(await inside.call('POST', '/orders', { basketId: 'bsk_1' })).toMatchObject({ status: 201, body: { id: 'ord_bound' } });
    },
  );

  testIn(() => startInside(oms))('List Customer Orders lists at most 20 orders of this customer, newest first', async (inside) => {
    for (let index = 1; index <= 22; index++) {
      await placed(inside, { id: `bsk_${index}`, orderId: `ord_${index}`, customerId: index < 22 ? 'cus_ada' : 'cus_ben' });
    }
    const listed = async (customerId: string) => (await inside.as('clienteling-app')(listCustomerOrders, { query: { customerId } })).items;
    const items = await listed('cus_ada');
    expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => `ord_${21 - index}`));
    expect(items[0]).not.toHaveProperty('voucherCodes');
    expect(await listed('cus_nobody')).toEqual([]);
  });
});

describe('A cancellation that was interrupted after its intent', () => {
  const intended = async () => {
    const inside = await startInside(oms, paymentHub, sim, promotionEngine);
    await inside.commitAs('oms', async (work) => {
      const order = orderFromBasket(converted(work.now), { orderNumber: '260301-000000', validatedAt: instant(work.now) });
      return work.create(orders, 'create', order);
    });
    await inside.commitAs('oms', async (work) => {
      const found = await work.get(orders, 'ord_1');
      if (found) await beginIntent(work, found, 'cancel', { cancelReason: 'first' });
    });
    return inside;
  };
  const test = testIn(intended);

  test.each([
    ['Confirm Order', '/orders/ord_1/confirm', {}],
    ['Cancel Order for another reason', '/orders/ord_1/cancel', { reason: 'second' }],
  ])('An interrupted cancellation blocks %s for now, since it may still be withdrawn', async (inside, _, path, body) => {
    const blocked = { code: 'invalid_state_transition', retryable: true, pendingAction: { action: 'cancel' } };
    expect(await inside.call('POST', path, body)).toMatchObject({ status: 409, body: blocked });
    expect(await inside.stored('oms', orders, 'ord_1')).toMatchObject({ state: 'draft', cancelReason: 'first' });
  });

  test('An interrupted cancellation delays the expiry of the draft', async (inside) => {
    await inside.commitAs('oms', async (work) => work.schedule(expireDraftDue, 'ord_1', work.now, {}));
    await inside.advance(120_000);
    const cancelled = (await inside.events('order/ord_1')).filter(({ type }) => type.endsWith('order-cancelled'));
    expect(cancelled.map(({ data }) => data.object.cancelReason)).toEqual(['first']);
  });
});
