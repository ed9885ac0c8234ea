import { expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';

const eur = (amount: number) => ({ amount, currency: 'EUR' });

test('A change of a price shows at the next checkout, is one event, and leaves orders alone', async () => {
  await using rehearsal = await newRehearsal();
  const placed = await rehearsal.confirmed();
  const basket = await rehearsal.basket({ lines: [{ sku: 'mug-blue', qty: 2 }] });
  const changed = await rehearsal.control('change-product-by-hand', { params: { id: 'mug-blue' }, body: { price: { amount: 1000 } } });
  expect(changed).toMatchObject({ id: 'prd_mug-blue', price: eur(1000), name: 'Blue stoneware mug', state: 'active', version: 2 });
  const { body: checkedOut } = await rehearsal.checkOut(basket.id);
  expect(checkedOut).toMatchObject({ lines: [{ unitPrice: eur(1000) }], totals: { subtotal: eur(2000) } });
  expect((await rehearsal.order(placed.id)).totals).toEqual(placed.totals);
  const events = await rehearsal.events({ subject: 'product/prd_mug-blue', ext: true });
  expect(events).toMatchObject([{ type: 'com.unified-commerce.ext.product-changed', data: { object: { price: eur(1000) } } }]);
  const hops = await rehearsal.journal();
  expect(hops.some(({ api }) => api === 'change-product')).toBe(true);
  await rehearsal.verify();
});

test('A repeated change of a product changes nothing, and null removes a member', async () => {
  await using rehearsal = await newRehearsal();
  const change = (body: Record<string, unknown>) => rehearsal.control('change-product-by-hand', { params: { id: 'prd_mug-blue' }, body });
  expect((await change({ compareAtPrice: eur(1500) })).version).toBe(2);
  expect((await change({ compareAtPrice: eur(1500) })).version).toBe(2);
  expect(await change({ compareAtPrice: null, attributes: { colour: null } })).not.toHaveProperty('compareAtPrice');
  const { attributes, compareAtPrice } = await rehearsal.object('product', 'prd_mug-blue');
  expect([Object.keys(attributes), compareAtPrice]).toEqual([['material', 'capacityMl', 'dishwasherSafe'], undefined]);
});

test.each<readonly [body: Record<string, unknown>, pointer: string, code: string]>([
  [{ price: { amount: 0 } }, '/price/amount', 'does_not_fit'],
  [{ price: { amount: 'x' } }, '/price/amount', 'invalid_type'],
  [{ price: null }, '/price', 'required'],
  [{ price: eur(1.5) }, '/price/amount', 'invalid_type'],
  [{ price: { currency: 'USD' } }, '/price/currency', 'unsupported_currency'],
  [{ gtin: '9521001000070' }, '/gtin', 'does_not_fit'],
  [{ gtin: '9521001000147' }, '/gtin', 'gtin_of_another'],
  [{ name: ' ' }, '/name', 'does_not_fit'],
  [{ name: 'x'.repeat(10_001) }, '/name', 'custom'],
  [{ compareAtPrice: eur(1) }, '/compareAtPrice', 'does_not_fit'],
  [{ state: 'archived' }, '/state', 'unknown_member'],
  [{ sku: 'mug' }, '/sku', 'unknown_member'],
  [{ colour: 'red' }, '/colour', 'unknown_member'],
  [{ media: [{ type: 'sound', url: 'x' }] }, '/media/0/type', 'invalid_value'],
])('A change of a product to %j is refused at %s', async (body, pointer, code) => {
  await using rehearsal = await newRehearsal();
  const refused = await rehearsal.call('change-product-by-hand', { params: { id: 'mug-blue' }, body });
  expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  expect((refused.body as { errors?: readonly unknown[] }).errors).toContainEqual(expect.objectContaining({ pointer, code }));
  expect((await rehearsal.object('product', 'prd_mug-blue')).version).toBe(1);
});

test('A change of an unknown or archived product is refused', async () => {
  await using rehearsal = await newRehearsal();
  const change = (id: string) => rehearsal.call('change-product-by-hand', { params: { id }, body: { name: 'Another' } });
  expect(await change('nothing')).toMatchObject({ status: 404, body: { code: 'not_found', objectType: 'product' } });
  expect(await change('prd_almanac-old')).toMatchObject({ status: 409, body: { code: 'invalid_state_transition' } });
});
