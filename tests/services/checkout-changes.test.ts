import { describe, expect } from '@jest/globals';
import { checkoutIdOf, checkouts } from '../../services/ecommerce-platform/collections.ts';
import { voucherUses } from '../../services/promotion-engine/collections.ts';
import { convertBasket } from '../../shared/catalog/commerce/internal.ts';
import { ADDRESS, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { insideCall } from '../support/steps/inside-call.ts';
import { startShop } from '../support/steps/shop.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const ELSEWHERE = { shippingAddress: { ...ADDRESS, line1: '2 Mill Lane', city: 'Cork' } };
const EXPRESS = { shippingMethod: 'EXPRESS' } as const;
const CODES = { voucherCodes: ['WELCOME10'] };
const PLACE = { placeOrder: true };

const locked = async (rehearsal: TestRehearsal, more: object = {}) =>
  rehearsal.checkedOut((await rehearsal.basket({ qty: 1, customerId: 'cus_ben' })).id, { ...more });

test('A second Checkout Basket applies another address and shipping method, and the order is sent there', async (rehearsal) => {
  const { id, version, reservationId, expiresAt, totals } = await locked(rehearsal);
  const { body } = await rehearsal.checkOut(id, { ...ELSEWHERE, ...EXPRESS });
  const changed = { ...ELSEWHERE, ...EXPRESS };
  expect(body).toMatchObject({ state: 'locked', version: version + 1, ...changed, reservationId, expiresAt });
  expect(body.totals.total.amount - totals.total.amount).toBe(500);
  expect(await rehearsal.draft(id)).toMatchObject({ ...changed, totals: body.totals });
  for (const type of ['inventory-reserved', 'checkout-started']) expect(await rehearsal.events({ type })).toHaveLength(1);
});

test('A second Checkout Basket prices other vouchers, keeps them if it names none, and removes them for an empty list', async (rehearsal) => {
  const { id, reservationId, totals } = await locked(rehearsal, EXPRESS);
  const send = async (more: object) => (await rehearsal.checkOut(id, more)).body;
  const cheaper = await send({ voucherCodes: ['welcome10', 'EXPIRED'] });
  const vouchers = cheaper.vouchers.map(({ code, status }: { code: string; status: string }) => `${code} ${status}`);
  expect(vouchers).toEqual(['WELCOME10 applied', 'EXPIRED rejected']);
  expect(cheaper).toMatchObject({ ...EXPRESS, reservationId });
  expect(cheaper.totals.total.amount).toBeLessThan(totals.total.amount);
  for (const same of [{ voucherCodes: ['WELCOME10', 'expired'] }, {}]) expect(await send(same)).toEqual(cheaper);
  const without = await send({ voucherCodes: [] });
  expect([without.vouchers, without.totals]).toEqual([[], totals]);
});

test('A second Checkout Basket assigns the basket to another customer or contact, unless blocked', async (rehearsal) => {
  const { id } = await locked(rehearsal);
  const ada = { customerId: 'cus_ada', loyalty: { balance: 500 } };
  expect((await rehearsal.checkOut(id, { customerId: 'cus_ada' })).body).toMatchObject(ada);
  const { body: blocked } = await rehearsal.checkOut(id, { customerId: 'cus_mallory' });
  expect(blocked).toMatchObject({ status: 409, code: 'customer_blocked' });
  const lines = [{ sku: 'mug-blue', qty: 1 }];
  const anonymous = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines } });
  const identify = (email: string) => rehearsal.checkOut(anonymous.id, { contact: { email } });
  const { body } = await identify('nadia@people.example');
  expect(await identify('nadia@people.example')).toMatchObject({ status: 200, body });
  expect((await identify('ada@people.example')).body).toMatchObject(ada);
});

test('A second Checkout Basket while the SIM is down uses the stored reservation', async (rehearsal) => {
  const { id, reservationId } = await locked(rehearsal);
  await rehearsal.down('sim');
  expect((await rehearsal.checkOut(id, { ...EXPRESS, ...PLACE })).body).toMatchObject({ state: 'converted', reservationId });
  await rehearsal.noFaults();
});

describe('A second Checkout Basket after the reservation was released by hand', () => {
  const released = async (rehearsal: TestRehearsal) => {
    const basket = await locked(rehearsal);
    await rehearsal.api('release-reservation-api', { params: { id: basket.reservationId } });
    return basket;
  };

  test.each([
    ['other values', EXPRESS],
    ['placeOrder', PLACE],
    ['both', { ...EXPRESS, ...PLACE }],
  ])(
    'A second Checkout Basket with %s is refused after a release by hand until the stock is reserved again',
    async (rehearsal, _, more) => {
      const basket = await released(rehearsal);
      const { id, reservationId } = basket;
      const { body: refused } = await rehearsal.checkOut(id, more);
      expect(refused).toMatchObject({
        status: 409,
        code: 'reservation_expired',
        objectType: 'basket',
        id,
        reservationId,
        retryable: false,
      });
      expect(refused).toMatchObject({ skus: [{ sku: 'mug-blue', requested: 1 }], detail: expect.stringContaining('reserve again') });
      expect(await rehearsal.checkOut(id)).toMatchObject({ status: 200, body: basket });
      const anew = (await rehearsal.reserve({ basketId: id })).body.id;
      expect((await rehearsal.checkOut(id, more)).body).toMatchObject({ reservationId: anew });
      expect((await rehearsal.draft(id)).lines).toMatchObject([{ reservationId: anew }]);
    },
  );

  test('A second Checkout Basket is refused when the new reservation has other units', async (rehearsal) => {
    const { id } = await released(rehearsal);
    await rehearsal.reserve({ basketId: id, items: [{ sku: 'mug-green', qty: 1 }] });
    expect((await rehearsal.checkOut(id, PLACE)).body).toMatchObject({ status: 409, code: 'reservation_expired' });
  });
});

test.each([
  ['another address', ELSEWHERE, { shippingAddress: ADDRESS }],
  ['another shipping method', EXPRESS, { shippingMethod: 'STANDARD' }],
  ['another voucher', { voucherCodes: ['VIP'] }, CODES],
  ['another customer', { customerId: 'cus_ada' }, { customerId: 'cus_ben' }],
])('Checkout Basket with %s is refused once an order exists, and names the existing values', async (rehearsal, _, more, standing) => {
  const { id } = await locked(rehearsal, CODES);
  const { id: orderId } = await rehearsal.draft(id);
  const { body } = await rehearsal.checkOut(id, more);
  expect(body).toMatchObject({ status: 409, code: 'conflicting_repeat', objectType: 'basket', id, orderId });
  expect(body.standing).toEqual(standing);
  for (const same of [{}, { shippingMethod: 'STANDARD' }, { voucherCodes: ['welcome10'], ...PLACE }])
    expect(await rehearsal.checkOut(id, same)).toMatchObject({ status: 200, body: { state: 'converted', orderId } });
});

describe('The voucher uses of a changed checkout', () => {
  const test = testIn(shop);

  async function shop() {
    const inside = await startShop();
    const used = async (code: string) => (await inside.counters('promotion-engine', voucherUses.name, code))['used'] ?? 0;
    const lines = [{ sku: 'shelf-wall', qty: 2 }];
    const { id } = (await insideCall(inside, 'create-basket-api', { body: { channel: 'web', customerId: 'cus_ben', lines } })).body;
    const before = [await used('WELCOME10'), await used('MIN100')];
    return {
      ...inside,
      id,
      check: (...voucherCodes: string[]) =>
        insideCall(inside, 'checkout-basket-api', { params: { id }, body: { shippingAddress: ADDRESS, voucherCodes } }),
      taken: async () => [(await used('WELCOME10')) - (before[0] ?? 0), (await used('MIN100')) - (before[1] ?? 0)],
    };
  }

  test('The voucher uses of a changed checkout match its vouchers', async (estate) => {
    for (const [codes, taken] of [
      [['WELCOME10'], [1, 0]],
      [['MIN100'], [0, 1]],
      [
        ['MIN100', 'WELCOME10'],
        [1, 1],
      ],
      [[], [0, 0]],
    ] as const) {
      await estate.check(...codes);
      expect(await estate.taken()).toEqual(taken);
    }
  });

  test('The voucher uses of a checkout stay when a change of the checkout fails', async (estate) => {
    await estate.check('WELCOME10');
    await estate.fault('lost', { match: { api: 'record-voucher-use' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 2 });
    expect((await estate.check('MIN100')).status).toBe(504);
    await estate.advance(60_000);
    expect(await estate.taken()).toEqual([1, 0]);
    expect((await estate.check('WELCOME10')).body).toMatchObject({ vouchers: [{ code: 'WELCOME10', status: 'applied' }] });
  });

  test('The voucher uses of a changed checkout match the order that is created concurrently', async (estate) => {
    const { id } = estate;
    await estate.check('WELCOME10');
    await estate.fault('slow', { match: { api: 'record-voucher-use' }, fault: { kind: 'latency', ms: 600 }, times: 1 });
    const changing = estate.check('MIN100');
    const convert = () => estate.as('oms')(convertBasket, { params: { id }, body: { orderId: 'ord_1' } });
    const phase = async () => (await estate.stored('ecommerce-platform', checkouts, checkoutIdOf(id))).phase;
    await eventually('the checkout is changing', async () => (await phase()) === 'changing');
    await expect(convert()).rejects.toMatchObject({ code: 'invalid_state_transition', retryable: true });
    expect((await changing).body).toMatchObject({ vouchers: [{ code: 'MIN100', status: 'applied' }] });
    expect(await convert()).toMatchObject({ state: 'converted', vouchers: [{ code: 'MIN100' }] });
    expect(await estate.taken()).toEqual([0, 1]);
  });
});
