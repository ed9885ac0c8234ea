import { expect, test } from '@jest/globals';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { eachCrash } from '../support/each-crash.ts';
import { crashSteps } from '../support/steps/crash-steps.ts';
import { ADDRESS } from '../support/steps/order.ts';

/**
 * A client sends its checkout once, while a process is killed at one of its commits. An order keeps stock, vouchers and basket, or they
 * are released, and the next client can check the basket out.
 */
const MINUTE = 60_000;
const CHECKOUT = { shippingAddress: ADDRESS, voucherCodes: ['WELCOME10'] };

const begin = async (estate: CrashingEstate): Promise<string> =>
  (await crashSteps(estate).basket({ lines: ['mug-blue', 'lamp-last-one'].map((sku) => ({ sku, qty: 1 })) })).id;

const basketNow = (estate: CrashingEstate, id: string) => crashSteps(estate).api('get-basket-api', { params: { id } });
const heldUnits = (estate: CrashingEstate) => crashSteps(estate).reserved('lamp-last-one');

const checkOutOnce = (body: object) => async (estate: CrashingEstate, id: string) => {
  await estate.ask('ecommerce-platform', 'POST', `/baskets/${id}/checkout`, body, 'once').catch(() => undefined);
  return id;
};
const checkOutNext = (estate: CrashingEstate, id: string, body: object) =>
  estate.insist('ecommerce-platform', 'POST', `/baskets/${id}/checkout`, body, 'next');

test('A killed checkout leaves an open basket without a reservation, and a new checkout succeeds after its timeout', async () => {
  const end = async (estate: CrashingEstate, id: string) => {
    await estate.advance(20 * MINUTE);
    expect(await basketNow(estate, id)).toMatchObject({ state: 'open' });
    expect(await heldUnits(estate)).toBe(0);
    const { body } = await checkOutNext(estate, id, CHECKOUT);
    expect(body).toMatchObject({ state: 'locked', vouchers: [{ code: 'WELCOME10', status: 'applied' }] });
    expect(await heldUnits(estate)).toBe(1);
  };
  const killed = ['ecommerce-platform', 'sim', 'inventory-service', 'promotion-engine'] as const;
  expect(await eachCrash({ begin, steps: [checkOutOnce(CHECKOUT)], killed, end })).toBeGreaterThanOrEqual(14);
});

test('A killed checkout with placeOrder leaves the order or nothing, never a converted basket without an order', async () => {
  const body = { ...CHECKOUT, placeOrder: true };
  const end = async (estate: CrashingEstate, id: string) => {
    await estate.advance(MINUTE);
    const { state, orderId } = await basketNow(estate, id);
    const orderOf = (order: string) => estate.insist('oms', 'GET', `/orders/${order}`);
    expect(['open', 'converted']).toContain(state);
    if (state === 'converted') expect(await orderOf(orderId)).toMatchObject({ status: 200 });
    const placed = await checkOutNext(estate, id, body);
    expect(placed.body.state).toBe('converted');
    if (state === 'converted') expect(placed.body.orderId).toBe(orderId);
    expect((await orderOf(placed.body.orderId)).body).toMatchObject({ state: 'draft', basketId: id });
  };
  const killed = ['ecommerce-platform', 'oms'] as const;
  expect(await eachCrash({ begin, steps: [checkOutOnce(body)], killed, end })).toBeGreaterThanOrEqual(10);
});
