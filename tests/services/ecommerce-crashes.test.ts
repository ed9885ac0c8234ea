import { describe, expect, test } from '@jest/globals';
import type { CrashingEstate } from '../support/crashing-estate.ts';
import { eachCrash, type Step } from '../support/each-crash.ts';
import { ADDRESS } from '../support/estate.ts';

/**
 * A checkout whose client sends it once, while a process is killed at one of its commits. Stock, vouchers and basket are kept by an
 * order or given back, and the next client can check the basket out.
 */
const MINUTE = 60_000;

async function aBasket(estate: CrashingEstate): Promise<string> {
  const lines = [
    { sku: 'mug-blue', qty: 2 },
    { sku: 'lamp-last-one', qty: 1 },
  ];
  const { body } = await estate.insist('ecommerce-platform', 'POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
  return body.id;
}

const basketNow = async (estate: CrashingEstate, id: string) =>
  (await estate.insist('ecommerce-platform', 'GET', `/internal/baskets/${id}`)).body;

async function heldUnits(estate: CrashingEstate): Promise<number> {
  const { body } = await estate.insist('sim', 'GET', '/inventory/items/lamp-last-one');
  return body.locations.reduce((sum: number, { reserved }: { reserved: number }) => sum + reserved, 0);
}

const checkOutOnce =
  (body: object): Step<string> =>
  async (estate, id) => {
    await estate.ask('ecommerce-platform', 'POST', `/baskets/${id}/checkout`, body, 'once').catch(() => undefined);
    return id;
  };

describe('A checkout that is killed and not repeated', () => {
  test('leaves an open basket, no held stock and a working checkout once its time is over', async () => {
    const body = { shippingAddress: ADDRESS, voucherCodes: ['WELCOME10'] };
    const crashes = await eachCrash({
      begin: aBasket,
      steps: [checkOutOnce(body)],
      killed: ['ecommerce-platform', 'sim', 'inventory-service', 'promotion-engine'],
      end: async (estate, id) => {
        await estate.advance(20 * MINUTE);
        expect(await basketNow(estate, id)).toMatchObject({ state: 'open' });
        expect(await heldUnits(estate)).toBe(0);
        const next = await estate.insist('ecommerce-platform', 'POST', `/baskets/${id}/checkout`, body, 'next');
        expect(next).toMatchObject({ status: 200, body: { state: 'locked', vouchers: [{ code: 'WELCOME10', status: 'applied' }] } });
        expect(await heldUnits(estate)).toBe(1);
      },
    });
    expect(crashes).toBeGreaterThanOrEqual(14);
  });

  test('with placeOrder leaves the order or nothing, never a converted basket without an order', async () => {
    const body = { shippingAddress: ADDRESS, voucherCodes: ['WELCOME10'], placeOrder: true };
    const crashes = await eachCrash({
      begin: aBasket,
      steps: [checkOutOnce(body)],
      killed: ['ecommerce-platform', 'oms'],
      end: async (estate, id) => {
        await estate.advance(MINUTE);
        const { state, orderId } = await basketNow(estate, id);
        expect(['open', 'converted']).toContain(state);
        if (state === 'converted') expect(await estate.insist('oms', 'GET', `/orders/${orderId}`)).toMatchObject({ status: 200 });
        const placed = await estate.insist('ecommerce-platform', 'POST', `/baskets/${id}/checkout`, body, 'next');
        expect(placed).toMatchObject({ status: 200, body: { state: 'converted' } });
        if (state === 'converted') expect(placed.body.orderId).toBe(orderId);
        const order = await estate.insist('oms', 'GET', `/orders/${placed.body.orderId}`);
        expect(order).toMatchObject({ status: 200, body: { state: 'draft', basketId: id } });
      },
    });
    expect(crashes).toBeGreaterThanOrEqual(10);
  });
});
