import { cp } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import type { Fixtures } from '../../fixtures/files.ts';
import { DataRefused, loadFixtures } from '../../fixtures/load.ts';
import { MOST_PROMOTIONS } from '../../shared/catalog/limits.ts';
import { inOneSlice } from '../../shared/domain/breathe.ts';
import { kettle } from '../support/kettle.ts';
import { ownFolder } from '../support/own-folder.ts';
import { eur } from '../support/steps/tender.ts';

const now = Date.parse('2026-03-01T10:00:00.000Z');
const { at, load, refusal } = ownFolder();

const kettleStock = { sku: 'kettle', onHand: { 'dc-01': 5 } };
const productsOf = ({ products }: Fixtures) => Object.fromEntries(products.map((row) => [row.sku, row]));
const skusOf = (rows: readonly { readonly sku: string }[]) => rows.map(({ sku }) => sku);

test('An empty folder has the data of the project', async () => {
  const [set, ours] = await Promise.all([load({}), loadFixtures()]);
  expect([set.at(now), set.leftOut]).toEqual([ours.at(now), []]);
});

test('An overlay changes, removes and adds rows by their key, and keeps all others', async () => {
  const overlay = [
    { sku: 'mug-blue', price: { amount: 999 }, attributes: { colour: null, handle: true } },
    { sku: 'radio-draft', $remove: true },
    kettle,
  ];
  const set = await load({ 'products.overlay.json': overlay, 'stock.overlay.json': [kettleStock, { sku: 'radio-draft', $remove: true }] });
  const before = (await loadFixtures()).at(now);
  const after = set.at(now);
  expect(skusOf(after.products)).toEqual([...skusOf(before.products).filter((sku) => sku !== 'radio-draft'), 'kettle']);
  expect(productsOf(after)['mug-blue']).toMatchObject({ price: eur(999), name: 'Blue stoneware mug' });
  expect(productsOf(after)['mug-blue']?.attributes).toEqual({ material: 'stoneware', capacityMl: 350, dishwasherSafe: true, handle: true });
  expect(productsOf(after)['kettle']).toMatchObject({
    id: 'prd_kettle',
    state: 'active',
    version: 1,
    createdAt: '2025-03-01T10:00:00.000Z',
  });
  expect(after.stock.at(-1)).toEqual(kettleStock);
  expect(set.leftOut).toEqual([]);
});

test('An overlay changes a file of the same folder, and its times stay relative to the start', async () => {
  const set = await load({
    'gift-cards.json': [{ token: 'gift_a', balance: eur(100) }],
    'gift-cards.overlay.json': [{ token: 'gift_a', balance: { amount: 50 } }],
    'vouchers.overlay.json': [{ code: 'WELCOME10', activeTo: 'P2D' }],
  });
  const { giftCards, vouchers } = set.at(now);
  expect(giftCards).toEqual([{ token: 'gift_a', balance: eur(50) }]);
  expect(vouchers.find(({ code }) => code === 'WELCOME10')?.activeTo).toBe('2026-03-03T10:00:00.000Z');
});

test('An overlay with another outcome drops the members that only the former outcome has', async () => {
  const overlay = [{ token: 'tok_visa', outcome: 'decline', declineCode: 'insufficient_funds' }];
  const { paymentTokens } = (await load({ 'payment-tokens.overlay.json': overlay })).at(now);
  expect(paymentTokens.filter(({ token }) => token === 'tok_visa')).toEqual(overlay);
});

test('An overlay of steps keeps their sequence', async () => {
  const { warehouseSteps } = (await load({ 'warehouse-steps.overlay.json': [{ step: 'picked', after: 'PT11M' }] })).at(now);
  expect(warehouseSteps.map(({ step }) => step)).toEqual((await loadFixtures()).at(now).warehouseSteps.map(({ step }) => step));
  expect(warehouseSteps.find(({ step }) => step === 'picked')?.after).toBe('PT11M');
});

test('Promotions beyond the number that an evaluation reads are refused, and the default ones count', async () => {
  const rule = { name: 'Sale', activeFrom: '-P1D', activeTo: 'P1D', stackable: true, kind: 'percent-off', percent: 1, skus: ['mug-blue'] };
  const rows = (count: number) =>
    Array.from({ length: count }, (_, place) => ({ ...rule, id: `prm_own-${place}`, priority: 1_000 + place }));
  const ours = (await loadFixtures()).at(now).promotions.length;
  const set = await loadFixtures();
  const { fixtures } = await set.with({ promotions: rows(MOST_PROMOTIONS - ours) }, now, inOneSlice);
  expect(fixtures.promotions).toHaveLength(MOST_PROMOTIONS);
  const mistakes = [expect.objectContaining({ place: '/data/promotions', reason: expect.stringContaining('1,001 promotions') })];
  await expect(set.with({ promotions: rows(MOST_PROMOTIONS - ours + 1) }, now, inOneSlice)).rejects.toMatchObject({ mistakes });
});

test('Default rows that do not fit replaced products are left out and named', async () => {
  const set = await load({ 'products.json': [kettle], 'stock.json': [kettleStock] });
  const { products, stock, promotions } = set.at(now);
  expect([skusOf(products), skusOf(stock)]).toEqual([['kettle'], ['kettle']]);
  expect(promotions.map(({ kind }) => kind)).toEqual(['tier-percent', 'basket-threshold']);
  expect(set.leftOut.join('\n')).toMatch(/^Default rows of promotions.json that do not fit your data and are left out: \w/m);
});

test('A product that an overlay removes takes its default stock and its place in default promotions with it', async () => {
  const before = (await loadFixtures()).at(now).promotions.find((rule) => 'skus' in rule && rule.skus.length > 1);
  const skus = before && 'skus' in before ? before.skus : [];
  const set = await load({ 'products.overlay.json': [{ sku: skus[0], $remove: true }] });
  const { stock, promotions } = set.at(now);
  expect(skusOf(stock)).not.toContain(skus[0]);
  expect(promotions.find(({ id }) => id === before?.id)).toEqual({ ...before, skus: skus.slice(1) });
  expect(set.leftOut).toContain(`Default rows of stock.json that do not fit your data and are left out: ${skus[0]}`);
});

test('A location that an overlay removes takes its default stock with it, and no product', async () => {
  const set = await load({ 'locations.overlay.json': [{ id: 'store-03', $remove: true }] });
  const { products, stock } = set.at(now);
  expect(products.length).toBe((await loadFixtures()).at(now).products.length);
  expect(stock.filter(({ onHand, safetyStock }) => 'store-03' in onHand || 'store-03' in (safetyStock ?? {}))).toEqual([]);
});

test('A customer whose loyalty account an overlay removes stays a customer', async () => {
  const { customers } = (await load({ 'loyalty-accounts.overlay.json': [{ id: 'loy_ada', $remove: true }] })).at(now);
  expect(customers.find(({ id }) => id === 'cus_ada')).not.toHaveProperty('loyaltyAccountId');
});

test('The stock of a user is refused, not left out, when its product is missing', async () => {
  const contents = {
    'products.overlay.json': [{ sku: 'mug-blue', $remove: true }],
    'stock.overlay.json': [{ sku: 'mug-blue', onHand: { 'dc-01': 1 } }],
  };
  expect(await refusal(contents)).toEqual(['stock.overlay.json /0/sku – there is no product "mug-blue".']);
});

test('All mistakes of all files are reported together', async () => {
  const contents = {
    'products.overlay.json': [{ sku: 'mug-blue', price: { amount: 'x' } }, { sku: 'mug-bleu', price: eur(1) }, { name: 'Mug' }],
    'vouchers.overlay.json': [{ code: 'GONE', $remove: true }],
    'gift-cards.json': [{ token: 'a', balance: eur(-1), owner: 'ada' }],
  };
  expect((await refusal(contents)).toSorted()).toEqual([
    'gift-cards.json /0/owner – this member is unknown.',
    'products.overlay.json /0/price/amount – this must be a whole number, not text.',
    'products.overlay.json /1/sku – a new row must also have gtin, name, description, brand, taxRate, and there is no row "mug-bleu" to change; did you mean "mug-blue"?',
    'products.overlay.json /2/sku – this must be the sku of the row that is changed, removed or added.',
    'vouchers.overlay.json /0/code – there is no row "GONE" to remove.',
  ]);
});

const overlays: readonly (readonly [file: string, overlay: object | string, mistake: string])[] = [
  ['products', [{ sku: 'mug-blue', $remove: 'yes' }], '/0/$remove – this must be true; leave it out to change the row.'],
  [
    'products',
    [{ sku: 'mug-blue', $remove: true, name: 'x' }],
    '/0/$remove – a row that removes another has only its sku and this member.',
  ],
  ['products', [{ sku: 'mug-blue' }, { sku: 'mug-blue' }], '/1/sku – the same as in row 0.'],
  ['products', [null], '/0 – this must be an object.'],
  ['products', [[]], '/0 – this must be an object.'],
  ['products', { sku: 'mug-blue' }, '/ – this must be a list, not an object.'],
  ['products', [{ sku: 7 }], '/0/sku – this must be the sku of the row that is changed, removed or added.'],
  ['products', [{ sku: 'mug-blue', price: null }], '/0/price – this member is required.'],
  ['products', [{ sku: 'mug-blue', gtin: '9521001000147' }], '/0/gtin – the same as in the default row "mug-green".'],
  ['products', [{ sku: 'mug-green', gtin: '9521001000079' }], '/0/gtin – the same as in the default row "mug-blue".'],
  ['products', [{ sku: 'mug-blue', price: eur(1e300) }], '/0/price/amount – this must be at most 9007199254740991.'],
  ['products', '[{"sku":"mug-blue","__proto__":{"price":null}}]', '/0/__proto__ – no member can have this name.'],
  ['products', '[{"sku":"mug-blue","constructor":{}}]', '/0/constructor – this member is unknown.'],
  ['products', '[{"sku":"mug-blue"', '/ – it is not JSON'],
  ['products', Buffer.from('[{"sku":"mug-blue","name":"M\xfcg"}]', 'latin1'), '/ – it is not UTF-8'],
  ['stock', '[{"sku":"mug-blue","onHand":{"__proto__":5}}]', '/0/onHand/__proto__ – no member can have this name.'],
  ['stock', [{ sku: 'mug-blue', onHand: { 'dc-01': 1e9 } }], '/0/onHand/dc-01 – this must be at most 1000000.'],
  ['stock', [{ sku: 'mug-blue', $remove: true }], 'it is accepted'],
  ['promotions', [{ id: 'summer', kind: 'percent-off' }], '/0/id – a new row must also have '],
  ['credentials', [{ name: 'control', $remove: true }], '/0/name – there is no row "control" to remove'],
  ['carrier-scans', [{ service: 'EXPRESS', $remove: true }], '/ – there is no row for the service EXPRESS.'],
  ['customers', [{ id: 'cus_ben', email: 'ADA@people.example' }], '/0/email – the same as in the default row "cus_ada".'],
];

test.each(overlays.map(([file, overlay, mistake]) => ({ file, overlay, mistake })))(
  'An overlay of $file with a mistake is refused or fits: $mistake',
  async ({ file, overlay, mistake }) => {
    const name = `${file}.overlay.json`;
    const [line] = await refusal({ [name]: overlay });
    expect(line).toContain(mistake.startsWith('it is') ? mistake : `${name} ${mistake}`);
  },
);

const names: readonly (readonly [file: string, mistake: string])[] = [
  ['product.json', 'no file of the data has this name; did you mean products.json?'],
  ['customers.csv', 'only products and stock can be CSV; write customers.json.'],
  ['retailer.jsn', 'no file of the data has this name; did you mean retailer.json?'],
  ['stock.overlay.csv', 'an overlay is JSON; write stock.overlay.json.'],
];

test.each(names.map(([file, mistake]) => ({ file, mistake })))('A file $file is refused: $mistake', async ({ file, mistake }) =>
  expect(await refusal({ [file]: '[]' })).toEqual([`${file} / – ${mistake}`]),
);

test('A foreign file is ignored', async () => {
  const foreign = { 'products.xlsx': 'x', 'products.json~': '[', 'tsconfig.json': '{', 'notes.txt': 'x', '.products.json': '{' };
  expect(await refusal(foreign)).toEqual(['it is accepted']);
});

test('The folder of the project with a mistake in its own rows is refused, because none of them are defaults', async () => {
  await cp(new URL('../../fixtures/', import.meta.url), at(), { recursive: true });
  expect(await refusal({ 'products.json': [kettle] })).toContain('stock.json /0/sku – there is no product "mug-blue".');
});

test('At most 1,000 mistakes of own data are collected, first row first', async () => {
  const promotions = Array.from({ length: 3 }, (_, n) => ({
    ...{ id: `p${n}`, name: 'p', kind: 'percent-off', percent: 1, skus: Array.from({ length: 900 }, (_none, m) => `x${m}`) },
    ...{ priority: 100 + n, stackable: false, activeFrom: '-P30D', activeTo: 'P180D' },
  }));
  const { with: changed } = await loadFixtures();
  const refused: unknown = await changed({ promotions }, now, () => undefined).catch((error: unknown) => error);
  if (!(refused instanceof DataRefused)) throw refused;
  expect([refused.mistakes.length, refused.mistakes[0]?.place]).toEqual([1_000, '/data/promotions/0/skus/0']);
  const unknown = Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`x${n}`, 1]));
  const inRows = changed({ stock: promotions.map(({ id }) => ({ sku: id, ...unknown })) }, now, () => undefined);
  const misshaped: unknown = await inRows.catch((error: unknown) => error);
  if (!(misshaped instanceof DataRefused)) throw misshaped;
  // Each row keeps one.
  expect(misshaped.mistakes.length).toBeLessThanOrEqual(1_003);
});
