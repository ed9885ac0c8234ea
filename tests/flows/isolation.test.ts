import { describe, expect, test } from '@jest/globals';
import { ADDRESS, eventually, newRehearsal } from '../support/estate.ts';

const basketOf = (sku: string) => ({ channel: 'web' as const, customerId: 'cus_ada', lines: [{ sku, qty: 1 }] });

describe('Rehearsals', () => {
  test('are isolated: the last lamp is sold once in each', async () => {
    await using one = await newRehearsal();
    await using other = await newRehearsal();
    for (const rehearsal of [one, other]) {
      const { id } = await rehearsal.api('create-basket-api', { body: basketOf('lamp-last-one') });
      await rehearsal.checkedOut(id);
    }
    const { id } = await one.api('create-basket-api', { body: basketOf('mug-blue') });
    expect((await other.call('checkout-basket-api', { params: { id }, body: { shippingAddress: ADDRESS } })).status).toBe(404);
    expect((await other.events()).map(({ subject }) => subject)).not.toContain(`basket/${id}`);
    expect(await other.journal()).not.toEqual(
      expect.arrayContaining([expect.objectContaining({ path: `/baskets/${id}/checkout`, status: 200 })]),
    );
  });

  test('have clocks and faults of their own', async () => {
    await using one = await newRehearsal();
    await using other = await newRehearsal();
    await one.advance('P30D');
    expect((await one.now()) - (await other.now())).toBeGreaterThan(29 * 24 * 3_600_000);
    await one.down('sim');
    expect((await one.call('get-inventory-api', { params: { sku: 'mug-blue' } })).status).toBe(503);
    expect((await other.call('get-inventory-api', { params: { sku: 'mug-blue' } })).status).toBe(200);
  });

  test('accept only their own tokens, and none after their deletion', async () => {
    const one = await newRehearsal();
    await using other = await newRehearsal();
    const crossed = await one.call('get-inventory-api', { params: { sku: 'mug-blue' }, headers: { 'x-rehearsal': other.name } });
    expect(crossed.status).toBe(403);
    const { bearer } = one.credentials;
    await one[Symbol.asyncDispose]();
    const late = await other.call('get-inventory-api', {
      params: { sku: 'mug-blue' },
      headers: { authorization: `Bearer ${bearer}`, 'x-rehearsal': one.name },
      as: 'none',
    });
    expect(late.status).toBe(401);
  });
});

describe('A reset', () => {
  test('under load removes data, events, due work, faults and journal, and resets the clock', async () => {
    await using rehearsal = await newRehearsal();
    let stop = false;
    let orders = 0;
    const load = Array.from({ length: 8 }, async () => {
      while (!stop) {
        const basket = await rehearsal.call('create-basket-api', { body: basketOf('mug-blue') });
        if (basket.status !== 201) continue;
        const placed = await rehearsal.call('checkout-basket-api', {
          params: { id: basket.body.id },
          body: { shippingAddress: ADDRESS, placeOrder: true },
        });
        if (placed.status === 200) orders += 1;
      }
    });
    await rehearsal.fault('slow', { match: { application: 'sim' }, fault: { kind: 'latency', ms: 5 } });
    const rehearsalsSeen = new Set<string>();
    for (let n = 1; n <= 5; n++) {
      await eventually('orders come in', async () => orders >= 2 * n);
      rehearsalsSeen.add((await rehearsal.client.control('reset-rehearsal')).world);
    }
    stop = true;
    await Promise.all(load);
    expect(rehearsalsSeen.size).toBe(5);

    const { world } = await rehearsal.client.control('reset-rehearsal');
    expect(await rehearsal.events({ ext: true })).toEqual([]);
    expect(await rehearsal.faults()).toEqual([]);
    expect(await rehearsal.journal()).toEqual([]);
    expect(Math.abs((await rehearsal.now()) - Date.now())).toBeLessThan(5_000);
    const { body } = await rehearsal.call('get-inventory-api', { params: { sku: 'mug-blue' } });
    expect(body.locations.every(({ reserved }: { reserved: number }) => reserved === 0)).toBe(true);
    const first = await rehearsal.api('create-basket-api', { body: basketOf('mug-blue') });
    const [created] = await rehearsal.events({ type: 'basket-created' });
    expect(created).toMatchObject({ subject: `basket/${first.id}`, world });
    await rehearsal.verify();
  });

  test('keeps the credentials of the rehearsal', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.client.control('reset-rehearsal');
    expect((await rehearsal.call('get-inventory-api', { params: { sku: 'mug-blue' } })).status).toBe(200);
  });
});
