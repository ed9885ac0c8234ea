import { expect, test as plainTest } from '@jest/globals';
import { DEMO_CREDENTIALS, EstateRehearsal } from '../../rehearsal/estate-rehearsal.ts';
import { estate, newRehearsal } from '../support/estate.ts';
import { kettle } from '../support/kettle.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const access = { gateway: estate.gateway, credentials: DEMO_CREDENTIALS };
const data = {
  products: [kettle, { sku: 'mug-blue', price: { amount: 999 } }],
  stock: [{ sku: 'kettle', onHand: { 'dc-01': 5 } }],
  giftCards: [{ token: 'gift_mine', balance: eur(700) }],
  vouchers: [{ code: 'WELCOME10', $remove: true }],
};
const priceOf = async (rehearsal: EstateRehearsal, sku: string) =>
  (await rehearsal.api('get-product-api', { params: { id: sku } })).price.amount;

plainTest('A rehearsal has its own data, a reset keeps it, and other rehearsals do not have it', async () => {
  await using rehearsal = await EstateRehearsal.create(access, { data });
  await using other = await EstateRehearsal.create(access);
  const counted = { products: 2, stock: 1, giftCards: 1, vouchers: 1 };
  for (const round of ['created', 'reset']) {
    expect([round, await priceOf(rehearsal, 'kettle'), await priceOf(rehearsal, 'mug-blue')]).toEqual([round, 4900, 999]);
    const read = await rehearsal.control('read-rehearsal', { params: { name: rehearsal.name } });
    expect(read.data).toEqual(counted);
    const stock = await rehearsal.control('list-stock', { query: { sku: 'kettle' } });
    expect(stock.items.find(({ locationId }) => locationId === 'dc-01')).toMatchObject({ onHand: 5 });
    const { settled } = await rehearsal.settle();
    expect([settled, (await rehearsal.control('verify')).holds]).toEqual([true, true]);
    await rehearsal.control('reset-rehearsal');
  }
  expect(await priceOf(other, 'mug-blue')).toBe(1299);
  expect((await other.call('get-product-api', { params: { id: 'kettle' } })).status).toBe(404);
  expect((await other.control('read-rehearsal', { params: { name: other.name } })).data).toBeUndefined();
});

plainTest('A store without units in own data has no safety stock until a count finds units', async () => {
  const stock = [{ sku: 'pot-terracotta', onHand: { 'store-01': 0 } }];
  await using rehearsal = await EstateRehearsal.create(access, { data: { stock } });
  const levelAfter = async (onHand: number) => {
    const params = { sku: 'pot-terracotta', locationId: 'store-01' };
    const { locations } = await rehearsal.control('count-stock-by-hand', { params, body: { onHand } });
    return locations.find(({ locationId }) => locationId === 'store-01');
  };
  expect((await rehearsal.control('verify')).holds).toBe(true);
  expect(await levelAfter(0)).toMatchObject({ onHand: 0, safetyStock: 0, atp: 0 });
  expect(await levelAfter(5)).toMatchObject({ onHand: 5, safetyStock: 2, atp: 3 });
});

test('The creation of a rehearsal names the default rows that do not fit its data', async (rehearsal) => {
  const name = `${rehearsal.name}-fewer`;
  const fewer = { products: [{ sku: 'lamp-last-one', $remove: true }] };
  const { leftOut } = await rehearsal.control('create-rehearsal', { body: { name, data: fewer } });
  expect(leftOut).toContain('Default rows of stock.json that do not fit your data and are left out: lamp-last-one');
  await rehearsal.control('delete-rehearsal', { params: { name } });
});

plainTest('The refusal of unknown names in own data is short, and compares few of them', async () => {
  await using rehearsal = await newRehearsal();
  const refusalOf = async (data: Readonly<Record<string, unknown>>) => {
    const { status, body } = await rehearsal.call('create-rehearsal', { body: { name: 'h', data } });
    expect([status, JSON.stringify(body).length < 20_000]).toEqual([422, true]);
    return (body.errors as { detail: string }[]).map(({ detail }) => detail);
  };
  const letters = 'product'.repeat(130_000);
  expect(await refusalOf({ [letters]: [] })).toEqual([
    expect.stringMatching(/^There is no file of data named (?:product)+p?r?o?…; choose one of /),
  ]);
  const near = await refusalOf(Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`products${n}`, []])));
  expect([near.length, near.filter((detail) => detail.includes('did you mean products?')).length]).toEqual([20, 5]);
  const rows = Array.from({ length: 900 }, (_, n) => ({ sku: `mug-blu${n}`, name: 'x' }));
  const added = await refusalOf({ products: rows });
  expect([added.length, added.filter((detail) => detail.includes('did you mean "mug-blue"?')).length]).toEqual([20, 5]);
  expect(await refusalOf({ products: [{ sku: letters, $remove: true }] })).toEqual([expect.stringMatching(/^There is no row "product/)]);
});

test('Own data is refused with all of its mistakes, and no rehearsal is created', async (rehearsal) => {
  const name = `${rehearsal.name}-bad`;
  const bad = {
    products: [{ sku: 'mug-blue', price: { amount: '9' } }, { sku: 'kettle', price: eur(1) }, 7],
    stock: [{ sku: 'mug-blue', onHand: { 'dc-01': -1 } }],
    credentials: [{ name: 'mine' }],
    product: [],
  };
  const refused = await rehearsal.call('create-rehearsal', { body: { name, data: bad } });
  expect(refused).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  const errors: readonly Record<'pointer' | 'code' | 'detail', string>[] = refused.body.errors;
  expect(errors.map(({ pointer, code }) => `${pointer} ${code}`).toSorted()).toEqual([
    '/data/credentials unknown_member',
    '/data/product unknown_member',
    '/data/products/0/price/amount invalid_type',
    '/data/products/1/sku required',
    '/data/products/2 overlay',
    '/data/stock/0/onHand/dc-01 too_small',
  ]);
  expect(errors.find(({ pointer }) => pointer === '/data/product')?.detail).toMatch(/did you mean products\?$/);
  expect((await rehearsal.call('read-rehearsal', { params: { name } })).status).toBe(404);
});

test.each<[what: string, own: object, pointer: string, code: string, detail?: string]>([
  ['a stock of no product', { stock: [{ sku: 'nothing', onHand: { 'dc-01': 1 } }] }, '/data/stock/0/sku', 'does_not_fit'],
  ['a price of zero', { products: [{ sku: 'mug-blue', price: { amount: 0 } }] }, '/data/products/0/price/amount', 'does_not_fit'],
  ['a GTIN of another product', { products: [{ sku: 'mug-blue', gtin: '9521001000147' }] }, '/data/products/0/gtin', 'does_not_fit'],
  ['a service without scans', { carrierScans: [{ service: 'EXPRESS', $remove: true }] }, '/data/carrierScans', 'does_not_fit'],
  ['a removal of no row', { vouchers: [{ code: 'GONE', $remove: true }] }, '/data/vouchers/0/code', 'overlay'],
  ['one row twice', { vouchers: [1, 2].map((used) => ({ code: 'VIP', used })) }, '/data/vouchers/1/code', 'overlay'],
  ['a negative balance', { giftCards: [{ token: 'gift_5', balance: eur(-1) }] }, '/data/giftCards/0/balance/amount', 'does_not_fit'],
  ['a list that is an object', { products: {} }, '/data/products', 'invalid_type', 'This must be a list, not an object.'],
  ['a retailer that is a list', { retailer: [] }, '/data/retailer', 'invalid_type', 'This must be an object, not a list.'],
  [
    'a GTIN of 12 digits',
    { products: [{ sku: 'mug-blue', gtin: '952100100007' }] },
    '/data/products/0/gtin',
    'invalid_format',
    'This must be 13 digits.',
  ],
  ['dollars', { products: [{ sku: 'mug-blue', price: { currency: 'USD' } }] }, '/data/products/0/price/currency', 'unsupported_currency'],
])('Own data with %s is refused', async (rehearsal, _what, own, pointer, code, detail = '') => {
  const refused = await rehearsal.call('create-rehearsal', { body: { data: own } as never });
  expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer, code, detail: expect.stringContaining(detail) }] } });
});

plainTest.each([
  ['{"data":{"products":[{"sku":"mug-blue","__proto__":{"price":1}}]}}', '/data/products/0/__proto__'],
  ['{"data":{"__proto__":[]}}', '/data/__proto__'],
  ['{"data":{"\\u005f_proto__":[]}}', '/data/__proto__'],
  ['{"data":{"giftCards":[{"token":"__proto__","balance":{"amount":1,"currency":"EUR"}}]}}', '/data/giftCards/0/token'],
  ['{"data":{"locations":[{"id":"__proto__"}]}}', '/data/locations/0/id'],
])('The name of the prototype in the own data %s is refused', async (body, pointer) => {
  const response = await fetch(`${estate.gateway}/_control/rehearsals`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DEMO_CREDENTIALS.admin}`, 'content-type': 'application/json' },
    body,
  });
  expect([response.status, await response.json()]).toMatchObject([
    422,
    { errors: expect.arrayContaining([{ pointer }].map(expect.objectContaining)) },
  ]);
});

test('Own data above the size of a body is refused', async (rehearsal) => {
  const description = 'x'.repeat(1_100_000);
  const refused = await rehearsal.call('create-rehearsal', { body: { data: { products: [{ ...kettle, description }] } } });
  expect(refused).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
});
