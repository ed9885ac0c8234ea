import { describe, expect, test } from '@jest/globals';
import * as crm from '../../services/crm/service.ts';
import { checkoutIdOf, checkouts } from '../../services/ecommerce-platform/collections.ts';
import * as ecommercePlatform from '../../services/ecommerce-platform/service.ts';
import * as inventoryService from '../../services/inventory-service/service.ts';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import { voucherUses } from '../../services/promotion-engine/collections.ts';
import * as promotionEngine from '../../services/promotion-engine/service.ts';
import * as sim from '../../services/sim/service.ts';
import { convertBasket } from '../../shared/catalog/commerce/internal.ts';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { startInside } from '../support/inside.ts';

const ELSEWHERE = { ...ADDRESS, line1: '2 Mill Lane', city: 'Cork' };

async function aLockedBasket(rehearsal: TestRehearsal, more: object = {}) {
  const lines = [{ sku: 'mug-blue', qty: 1 }];
  const { id } = await rehearsal.basket({ lines, customerId: 'cus_ben' });
  return rehearsal.checkedOut(id, { ...more });
}

const checkOut = (rehearsal: TestRehearsal, id: string, more: object = {}) =>
  rehearsal.call('checkout-basket-api', { params: { id }, body: { shippingAddress: ADDRESS, ...more } });

describe('A second Checkout of a basket without an order', () => {
  test('with another address and shipping method applies them, and its order is sent there', async () => {
    await using rehearsal = await newRehearsal();
    const locked = await aLockedBasket(rehearsal);
    const { status, body } = await checkOut(rehearsal, locked.id, { shippingAddress: ELSEWHERE, shippingMethod: 'EXPRESS' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: 'locked', version: locked.version + 1, shippingAddress: ELSEWHERE, shippingMethod: 'EXPRESS' });
    expect([body.reservationId, body.expiresAt]).toEqual([locked.reservationId, locked.expiresAt]);
    expect(body.totals.total.amount - locked.totals.total.amount).toBe(500);
    const order = await rehearsal.draft(locked.id);
    expect(order).toMatchObject({ shippingAddress: ELSEWHERE, shippingMethod: 'EXPRESS', totals: body.totals });
    expect(await rehearsal.events({ type: 'inventory-reserved' })).toHaveLength(1);
    expect(await rehearsal.events({ type: 'checkout-started' })).toHaveLength(1);
    await rehearsal.verify();
  });

  test('with other vouchers is priced again, and without vouchers is priced without discounts', async () => {
    await using rehearsal = await newRehearsal();
    const locked = await aLockedBasket(rehearsal, { shippingMethod: 'EXPRESS' });
    const cheaper = (await checkOut(rehearsal, locked.id, { voucherCodes: ['welcome10', 'EXPIRED'] })).body;
    expect(cheaper.vouchers).toMatchObject([
      { code: 'WELCOME10', status: 'applied' },
      { code: 'EXPIRED', status: 'rejected' },
    ]);
    expect(cheaper).toMatchObject({ shippingMethod: 'EXPRESS', reservationId: locked.reservationId });
    expect(cheaper.totals.total.amount).toBeLessThan(locked.totals.total.amount);
    const same = await checkOut(rehearsal, locked.id, { voucherCodes: ['WELCOME10', 'expired'] });
    expect(same).toMatchObject({ status: 200, body: cheaper });
    expect(await checkOut(rehearsal, locked.id)).toMatchObject({ status: 200, body: cheaper });
    const without = (await checkOut(rehearsal, locked.id, { voucherCodes: [] })).body;
    expect([without.vouchers, without.totals]).toEqual([[], locked.totals]);
    await rehearsal.verify();
  });

  test('with another customer or contact assigns the basket to that customer, unless blocked', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await aLockedBasket(rehearsal);
    expect((await checkOut(rehearsal, id, { customerId: 'cus_ada' })).body).toMatchObject({
      customerId: 'cus_ada',
      loyalty: { balance: 500 },
    });
    expect(await checkOut(rehearsal, id, { customerId: 'cus_mallory' })).toMatchObject({ status: 409, body: { code: 'customer_blocked' } });
    const anonymous = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    const contact = { email: 'nadia@people.example' };
    const first = (await checkOut(rehearsal, anonymous.id, { contact })).body;
    expect(await checkOut(rehearsal, anonymous.id, { contact })).toMatchObject({ status: 200, body: first });
    const known = await checkOut(rehearsal, anonymous.id, { contact: { email: 'ada@people.example' } });
    expect(known).toMatchObject({ status: 200, body: { customerId: 'cus_ada' } });
    await rehearsal.verify();
  });

  test('with placeOrder places the order with the new values', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await aLockedBasket(rehearsal, { voucherCodes: ['WELCOME10'] });
    const { status, body } = await checkOut(rehearsal, id, { shippingAddress: ELSEWHERE, voucherCodes: [], placeOrder: true });
    expect([status, body.state]).toEqual([200, 'converted']);
    expect(await rehearsal.order(body.orderId)).toMatchObject({
      shippingAddress: ELSEWHERE,
      totals: body.totals,
    });
    await rehearsal.verify();
  });

  test('with vouchers is refused while the Promotion Engine is down, and changes nothing', async () => {
    await using rehearsal = await newRehearsal();
    const locked = await aLockedBasket(rehearsal);
    await rehearsal.down('promotion-engine');
    expect((await checkOut(rehearsal, locked.id, { shippingAddress: ELSEWHERE, voucherCodes: ['WELCOME10'] })).status).toBe(503);
    expect(await rehearsal.object('basket', locked.id)).toEqual(locked);
    expect((await rehearsal.call('create-order-api', { body: { basketId: locked.id } })).status).toBe(201);
    await rehearsal.verify();
  });
});

describe('A second Checkout of a basket whose hold was released by hand', () => {
  const changes = [
    ['other values', { shippingMethod: 'EXPRESS' }],
    ['placeOrder', { placeOrder: true }],
    ['both', { shippingMethod: 'EXPRESS', placeOrder: true }],
  ] as const;

  async function withoutHold(rehearsal: TestRehearsal) {
    const locked = await aLockedBasket(rehearsal);
    await rehearsal.api('release-reservation-api', { params: { id: locked.reservationId } });
    return locked;
  }

  test.each(changes)('with %s is refused and names the remedy', async (_, more) => {
    await using rehearsal = await newRehearsal();
    const locked = await withoutHold(rehearsal);
    const { status, body } = await checkOut(rehearsal, locked.id, more);
    expect([status, body.code, body.objectType, body.id]).toEqual([409, 'reservation_expired', 'basket', locked.id]);
    expect(body).toMatchObject({ reservationId: locked.reservationId, skus: [{ sku: 'mug-blue', requested: 1 }], retryable: false });
    expect(body.detail).toContain('reserve again');
    expect(await checkOut(rehearsal, locked.id)).toMatchObject({ status: 200, body: locked });
    await rehearsal.verify();
  });

  test.each(changes)('with %s succeeds with the hold that was taken again', async (_, more) => {
    await using rehearsal = await newRehearsal();
    const { id: basketId } = await withoutHold(rehearsal);
    const { id } = await rehearsal.api('reserve-inventory-api', { body: { basketId } });
    const { status, body } = await checkOut(rehearsal, basketId, more);
    expect([status, body.reservationId]).toEqual([200, id]);
    const order = await rehearsal.draft(basketId);
    expect(order.lines).toMatchObject([{ reservationId: id }]);
    await rehearsal.verify();
  });

  test('is refused when the hold that was taken again has other units', async () => {
    await using rehearsal = await newRehearsal();
    const { id: basketId } = await withoutHold(rehearsal);
    await rehearsal.api('reserve-inventory-api', { body: { basketId, items: [{ sku: 'mug-green', qty: 1 }] } });
    expect(await checkOut(rehearsal, basketId, { placeOrder: true })).toMatchObject({ status: 409, body: { code: 'reservation_expired' } });
    await rehearsal.verify();
  });
});

test('A second Checkout does not wait for the SIM: while that is down, the hold counts as it is known', async () => {
  await using rehearsal = await newRehearsal();
  const { id, reservationId } = await aLockedBasket(rehearsal);
  await rehearsal.fault('sim-down', { match: { application: 'sim' }, fault: { kind: 'outage' } });
  expect(await checkOut(rehearsal, id, { shippingMethod: 'EXPRESS', placeOrder: true })).toMatchObject({
    ...{ status: 200, body: { state: 'converted', reservationId } },
  });
  await rehearsal.noFaults();
  await rehearsal.verify();
});

describe('A second Checkout of a basket that has become an order', () => {
  test.each([
    ['another address', { shippingAddress: ELSEWHERE }, { shippingAddress: ADDRESS }],
    ['another shipping method', { shippingMethod: 'EXPRESS' }, { shippingMethod: 'STANDARD' }],
    ['another voucher', { voucherCodes: ['VIP'] }, { voucherCodes: ['WELCOME10'] }],
    ['another customer', { customerId: 'cus_ada' }, { customerId: 'cus_ben' }],
  ])('with %s is refused and names the standing values', async (_, more, standing) => {
    await using rehearsal = await newRehearsal();
    const { id } = await aLockedBasket(rehearsal, { voucherCodes: ['WELCOME10'] });
    const order = await rehearsal.draft(id);
    const { status, body } = await checkOut(rehearsal, id, more);
    expect([status, body.code, body.objectType, body.id, body.orderId]).toEqual([409, 'conflicting_repeat', 'basket', id, order.id]);
    expect(body.standing).toEqual(standing);
    for (const same of [{}, { shippingMethod: 'STANDARD' }, { voucherCodes: ['welcome10'], placeOrder: true }]) {
      expect(await checkOut(rehearsal, id, same)).toMatchObject({ status: 200, body: { state: 'converted', orderId: order.id } });
    }
    await rehearsal.verify();
  });
});

describe('The voucher uses of a changed checkout', () => {
  async function shop() {
    const inside = await startInside(ecommercePlatform, crm, sim, inventoryService, promotionEngine, loyaltyPlatform);
    const used = async (code: string) => (await inside.counters('promotion-engine', voucherUses.name, code))['used'] ?? 0;
    const lines = [{ sku: 'shelf-wall', qty: 2 }];
    const { id } = (await inside.call('POST', '/baskets', { channel: 'web', customerId: 'cus_ben', lines })).body;
    const check = (voucherCodes: readonly string[]) =>
      inside.call('POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS, voucherCodes });
    const before = [await used('WELCOME10'), await used('MIN100')];
    const taken = async () => [(await used('WELCOME10')) - (before[0] ?? 0), (await used('MIN100')) - (before[1] ?? 0)];
    return { inside, id, check, taken, [Symbol.asyncDispose]: () => inside[Symbol.asyncDispose]() };
  }

  test('match the vouchers of the basket', async () => {
    await using scene = await shop();
    await scene.check(['WELCOME10']);
    expect(await scene.taken()).toEqual([1, 0]);
    await scene.check(['MIN100']);
    expect(await scene.taken()).toEqual([0, 1]);
    await scene.check(['MIN100', 'WELCOME10']);
    expect(await scene.taken()).toEqual([1, 1]);
    await scene.check([]);
    expect(await scene.taken()).toEqual([0, 0]);
  });

  test('stay when the change fails half-way', async () => {
    await using scene = await shop();
    await scene.check(['WELCOME10']);
    const lost = { match: { api: 'record-voucher-use' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 2 } as const;
    await scene.inside.fault('lost', lost);
    expect((await scene.check(['MIN100'])).status).toBe(504);
    await scene.inside.advance(60_000);
    expect(await scene.taken()).toEqual([1, 0]);
    expect((await scene.check(['WELCOME10'])).body).toMatchObject({ vouchers: [{ code: 'WELCOME10', status: 'applied' }] });
  });

  test('match those of an order that is placed at the same time', async () => {
    await using scene = await shop();
    await scene.check(['WELCOME10']);
    await scene.inside.fault('slow', { match: { api: 'record-voucher-use' }, fault: { kind: 'latency', ms: 600 }, times: 1 });
    const changing = scene.check(['MIN100']);
    const convert = () => scene.inside.as('oms')(convertBasket, { params: { id: scene.id }, body: { orderId: 'ord_1' } });
    await eventually('the change is under way', async () => {
      const { phase } = await scene.inside.stored('ecommerce-platform', checkouts, checkoutIdOf(scene.id));
      return phase === 'changing';
    });
    await expect(convert()).rejects.toMatchObject({ code: 'invalid_state_transition', retryable: true });
    expect((await changing).body).toMatchObject({ vouchers: [{ code: 'MIN100', status: 'applied' }] });
    expect(await convert()).toMatchObject({ state: 'converted', vouchers: [{ code: 'MIN100' }] });
    expect(await scene.taken()).toEqual([0, 1]);
  });
});
