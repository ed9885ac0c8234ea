import { expect, test } from '@jest/globals';
import { ADDRESS, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';

const inventory = ({ call }: TestRehearsal, headers: Record<string, string> = {}) =>
  call('get-inventory-api', { params: { sku: 'mug-blue' }, headers });

test('Each rehearsal sells its last lamp, and has no basket, event or hop of another rehearsal', async () => {
  await using one = await newRehearsal();
  await using other = await newRehearsal();
  for (const rehearsal of [one, other]) await rehearsal.checkedOut({ sku: 'lamp-last-one', qty: 1 });
  const { id } = await one.basket();
  expect((await other.call('checkout-basket-api', { params: { id }, body: { shippingAddress: ADDRESS } })).status).toBe(404);
  expect((await other.events()).map(({ subject }) => subject)).not.toContain(`basket/${id}`);
  expect((await other.journal()).filter(({ path, status }) => path.includes(id) && status < 400)).toEqual([]);
});

test('Each rehearsal has its own clock and faults, without effect on others', async () => {
  await using one = await newRehearsal();
  await using other = await newRehearsal();
  await one.advance('P30D');
  expect((await one.now()) - (await other.now())).toBeGreaterThan(29 * 24 * 3_600_000);
  await one.down('sim');
  expect([(await inventory(one)).status, (await inventory(other)).status]).toEqual([503, 200]);
});

test('A token of a rehearsal is refused in another rehearsal, and after the rehearsal is deleted', async () => {
  const one = await newRehearsal();
  await using other = await newRehearsal();
  expect((await inventory(one, { 'x-rehearsal': other.name })).status).toBe(403);
  await one.control('delete-rehearsal', { params: { name: one.name } });
  expect((await inventory(one)).status).toBe(401);
  await expect(one.control('delete-rehearsal', { params: { name: one.name } })).rejects.toThrow('404');
});

test('A reset under load removes data, events, due work, faults and journal, and keeps the credentials', async () => {
  await using rehearsal = await newRehearsal();
  let stop = false;
  let orders = 0;
  const load = Array.from({ length: 8 }, async () => {
    const body = { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] };
    while (!stop) {
      const basket = await rehearsal.call('create-basket-api', { body });
      if (basket.status !== 201) continue;
      const checkout = { params: { id: basket.body.id }, body: { shippingAddress: ADDRESS, placeOrder: true } };
      if ((await rehearsal.call('checkout-basket-api', checkout)).status === 200) orders += 1;
    }
  });
  await rehearsal.fault('slow', { match: { application: 'sim' }, fault: { kind: 'latency', ms: 5 } });
  const worlds = new Set<string>();
  for (let n = 1; n <= 5; n++) {
    await eventually('orders are placed', async () => orders >= 2 * n);
    worlds.add((await rehearsal.control('reset-rehearsal')).world);
  }
  stop = true;
  await Promise.all(load);
  expect(worlds.size).toBe(5);

  const { world } = await rehearsal.control('reset-rehearsal');
  expect([await rehearsal.events({ ext: true }), await rehearsal.faults(), await rehearsal.journal()]).toEqual([[], [], []]);
  expect(Math.abs((await rehearsal.now()) - Date.now())).toBeLessThan(5_000);
  expect(await rehearsal.reserved('mug-blue')).toBe(0);
  const { id } = await rehearsal.basket();
  expect(await rehearsal.events({ type: 'basket-created' })).toMatchObject([{ subject: `basket/${id}`, world }]);
  await rehearsal.verify();
});
