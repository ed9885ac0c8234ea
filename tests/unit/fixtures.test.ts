import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { afterAll, expect, test } from '@jest/globals';
import { loadFixtures } from '../../fixtures/load.ts';
import { customerLifeCycle } from '../../shared/catalog/customer/objects.ts';
import { Retailer } from '../../shared/catalog/retailer.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { aFolder } from '../support/folder.ts';
import { eur } from '../support/steps/tender.ts';

type Change = (text: string) => string | Buffer;
type Case = readonly [mistake: string, change: Change, changed?: string];

const now = Date.parse('2026-03-01T10:00:00.000Z');
const source = new URL('../../fixtures/', import.meta.url);
const fixtures = (await loadFixtures()).at(now);
const folder = await aFolder();
afterAll(folder.remove);

const copy = () => cp(source, folder.path, { recursive: true });
const loadCopy = () => loadFixtures(folder.url);
async function loadWith(file: string, change: Change) {
  await copy();
  const text = await readFile(folder.at(file), 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error('This case changes nothing.');
  await folder.write(file, changed);
  return loadCopy();
}

test('The priorities of the locations in the fixtures put warehouses before stores', () => {
  const byPriority = fixtures.locations.toSorted((a, b) => a.priority - b.priority);
  expect(byPriority.map(({ id }) => id)).toEqual(['dc-01', 'dc-02', 'store-01', 'store-02', 'store-03']);
  expect(byPriority.map(({ type }) => type)).toEqual(['warehouse', 'warehouse', 'store', 'store', 'store']);
});

test('The fixtures have customers in every state', () =>
  expect(new Set(fixtures.customers.map(({ state }) => state))).toEqual(new Set(customerLifeCycle.states)));

test('The fixtures have a running promotion of every kind', () => {
  const instant = new Date(now).toISOString();
  const running = fixtures.promotions.filter(({ activeFrom, activeTo }) => activeFrom <= instant && instant < activeTo);
  expect(running.map(({ kind }) => kind)).toEqual(['percent-off', 'buy-x-pay-y', 'amount-off', 'tier-percent', 'basket-threshold']);
});

test('The durations of the fixtures shift with the starting instant, and nothing else changes', async () => {
  const set = await loadFixtures();
  const later = set.at(now + durationMs('P1D'));
  const [ada, adaLater] = [fixtures, later].map(({ customers }) => customers.find(({ id }) => id === 'cus_ada'));
  expect([ada?.lastActivityAt, adaLater?.lastActivityAt]).toEqual(['2026-02-17T10:00:00.000Z', '2026-02-18T10:00:00.000Z']);
  expect(set.at(now)).toEqual(fixtures);
  expect(later.stock).toEqual(fixtures.stock);
});

test('The fixtures may have instants instead of durations, in any form of RFC 3339', async () => {
  const set = await loadWith('customers.json', edit(0, { createdAt: '2025-01-01t02:30:00+05:30' }));
  expect(set.at(now).customers[0]).toMatchObject({ id: 'cus_ada', createdAt: '2024-12-31T21:00:00.000Z' });
});

test('A store in the fixtures may open when its previous hours end', async () => {
  const hours = { mon: ['18:00-24:00'], tue: ['00:00-02:00', '02:00-03:00'] };
  const set = await loadWith('locations.json', edit(2, { openingHours: hours }));
  expect(set.at(now).locations[2]?.openingHours).toMatchObject(hours);
});

test('Every object of the fixtures has version 1 and a past creation time', () => {
  for (const { version, createdAt } of [...fixtures.products, ...fixtures.customers, ...fixtures.loyaltyAccounts]) {
    expect([version, Date.parse(createdAt) < now]).toEqual([1, true]);
  }
});

const edit = (row: number, members: object) => (text: string) =>
  JSON.stringify((JSON.parse(text) as object[]).map((one, index) => (index === row ? { ...one, ...members } : one)));
const ledger = (entry: object) => edit(0, { entries: [entry] });
const swap = (from: string, to: string) => (text: string) => text.replace(from, to);
const without = (row: number) => (text: string) => JSON.stringify((JSON.parse(text) as object[]).toSpliced(row, 1));
const latin1 = (text: string) => Buffer.from(text.replace('"name": "', '"name": "für '), 'latin1');
const secondSecret = swap('[', `[{"name":"b","kind":"signature","secret":"whsec_${'A'.repeat(32)}","scopes":["catalog"]},`);

/** The refused file, its pointer and message, the change, and the changed file if it is another one. */
const cases: readonly Case[] = [
  ['vouchers.json / – it is not UTF-8; save it in this encoding.', latin1],
  ['vouchers.json / – it nests deeper than 64 levels.', () => '['.repeat(50_000) + ']'.repeat(50_000)],
  ['vouchers.json / – this must be a list, not an object.', () => '{}'],
  ['vouchers.json /3/used – it is above usageLimit.', edit(3, { used: 101 })],
  ['products.json /1/name – this is not text: it has NUL or half of a surrogate pair.', edit(1, { name: 'Mug\0' })],
  ['products.json / – it is not JSON, from line ', (text) => `${text}]`],
  ['products.json /0/minage – this member is unknown.', edit(0, { minage: 18 })],
  ['products.json /1/price/amount – this must be a whole number, not 12.99.', edit(1, { price: eur(12.99) })],
  ['products.json /1/price – this member is required.', edit(1, { price: undefined })],
  ['products.json /1/price/amount – this must be from 1 to 999999999.', edit(1, { price: eur(0) })],
  ['products.json /0/gtin – the last digit is not the check digit', edit(0, { gtin: '9521001000078' })],
  ['products.json /0/compareAtPrice – it is not above', edit(0, { compareAtPrice: eur(1299) })],
  ['products.json /0/price/currency – this must be EUR', (text) => text.replaceAll('"EUR"', '"USD"')],
  ['stock.json /0/onHand/\ufffd – this is not text', swap('"dc-01"', String.raw`"\ud800"`)],
  ['stock.json /3/onHand/dc-09 – there is no location "dc-09".', edit(3, { onHand: { 'dc-09': 1 } })],
  ['stock.json /0/onHand – it names no location', edit(0, { onHand: {} })],
  ['stock.json /0/safetyStock/dc-02', edit(0, { onHand: { 'dc-01': 1 }, safetyStock: { 'dc-02': 1 } })],
  ['customers.json /1/email – the same as in row 0.', edit(1, { email: 'ADA@people.example' })],
  ['customers.json /1/loyaltyAccountId – loyalty-accounts.json has no account "loy_ben"', edit(1, { loyaltyAccountId: 'loy_ben' })],
  ['customers.json /0/lastActivityAt – active customers were active in the last 90 days.', edit(0, { lastActivityAt: '-P91D' })],
  ['customers.json /9/state – an anonymous customer', edit(9, { phone: '+353209100099' })],
  ['customers.json /0/lastActivityAt – this must be a duration from the start', edit(0, { lastActivityAt: '-P1M' })],
  ['products.json /0/sku – stock.json has no row for "mug-blue"; add one, with 0 if it is sold out.', without(0), 'stock.json'],
  ['stock.json /0/sku – there is no product "mug-blue".', without(0), 'products.json'],
  ['locations.json /1/priority – the same as in row 0.', edit(1, { priority: 1 })],
  ['locations.json /0/openingHours – only a store has it.', edit(0, { openingHours: { mon: ['09:00-18:00'] } })],
  ['locations.json /2/collection – customers collect only in a store with openingHours.', edit(2, { openingHours: undefined })],
  ['locations.json /2/openingHours – the store is never open.', edit(2, { openingHours: {} })],
  [
    'locations.json /2/openingHours/mon/0 – it closes before it opens; split hours over midnight: until 24:00, and from 00:00',
    edit(2, { openingHours: { mon: ['22:00-02:00'] } }),
  ],
  ['locations.json /2/openingHours/mon/1 – it opens before the', edit(2, { openingHours: { mon: ['09:00-13:00', '12:00-18:00'] } })],
  ['locations.json /2/openingHours/mon/0 – this must be two times of a day', edit(2, { openingHours: { mon: ['9-18'] } })],
  ['locations.json /2/closedDays/0 – this must be a day such as', edit(2, { closedDays: ['25.12.'] })],
  ['loyalty-accounts.json /0/customerId – customers.json has no "cus_ada"', edit(0, { loyaltyAccountId: undefined }), 'customers.json'],
  ['loyalty-accounts.json /0/pointsBalance – the entries add up to 500.', edit(0, { pointsBalance: 501 })],
  ['loyalty-accounts.json /0/tier – 650 lifetime points make bronze.', edit(0, { tier: 'gold' })],
  ['loyalty-accounts.json /0/nextTierThreshold – the next tier starts at 1000.', edit(0, { nextTierThreshold: 5000 })],
  ['loyalty-accounts.json /0/entries/0/points – the balance becomes negative.', ledger({ type: 'redeem', points: -1, at: '-P1D' })],
  ['loyalty-accounts.json /0/entries/0/points – redeem entries have negative points', ledger({ type: 'redeem', points: 1, at: '-P1D' })],
  ['loyalty-accounts.json /0/entries/0/at – entries are in order of time', ledger({ type: 'earn', points: 1, at: 'P1D' })],
  ['promotions.json /1/skus/1 – there is no product "gone".', edit(1, { skus: ['chocolate-dark', 'gone'] })],
  ['promotions.json /0/activeTo – it ends before it begins.', edit(0, { activeTo: '-P31D' })],
  ['carrier-scans.json / – there is no row for the service EXPRESS.', without(1)],
  ['carrier-scans.json /0/scans/0/scan – a parcel that is label-created cannot deliver.', swap('"scan": "collect"', '"scan": "deliver"')],
  ['carrier-scans.json /0/scans/1/after – it is earlier than the previous scan.', swap('"after": "PT6H"', '"after": "PT1H"')],
  ['carrier-scans.json /0/scans/0/after – "P1M" is not a duration', swap('"after": "PT2H"', '"after": "P1M"')],
  ['carrier-scans.json /0/estimatedDelivery – it ends before it begins.', edit(0, { estimatedDelivery: { from: 'P2D', to: 'P1D' } })],
  ['warehouse-steps.json / – the steps are started, picked,', without(2)],
  ['warehouse-steps.json /2/after – it is earlier than the previous step.', edit(2, { after: 'PT20M' })],
  ['credentials.json /3/secret – a webhook secret is whsec_ and 24', edit(3, { secret: 'whsec_short' })],
  ['credentials.json /4 – there is already a webhook secret', secondSecret],
  ['credentials.json / – nobody could use the control plane', without(2)],
  ['credentials.json /1/scopes – only a bearer and an oauth-client can have the scope control.', edit(1, { scopes: ['control'] })],
  ['credentials.json /4/name – the name of an oauth-client is sent as client_id', edit(4, { name: 'reh_mine' })],
  ['credentials.json /0/expiresIn – only the tokens of an oauth-client expire.', edit(0, { expiresIn: 60 })],
  ['credentials.json /0/secret – it has the form of a credential of a rehearsal', edit(0, { secret: `reh_default_${'a'.repeat(20)}` })],
  ...['tökén', 'a b', 'a\nb'].map((secret): Case => ['credentials.json /0/secret – it takes visible ASCII without', edit(0, { secret })]),
];

test.each(cases.map(([mistake, change, changed]) => ({ mistake, change, changed })))(
  'The fixtures refuse $mistake',
  async ({ mistake, change, changed }) => {
    const [file = '', ...rest] = mistake.split(' ');
    await expect(loadWith(changed ?? file, change)).rejects.toThrow(`/${file} cannot be used: ${rest.join(' ')}`);
  },
);

test('The fixtures accept a byte order mark', () => expect(loadWith('products.json', (text) => `\ufeff${text}`)).resolves.toBeDefined());

test('The figures of our retailer are the defaults, and a folder without retailer.json has them', async () => {
  await copy();
  await rm(folder.at('retailer.json'));
  expect((await loadCopy()).at(now).retailer).toEqual(Retailer.parse({}));
});

test('The fixtures take a part of the figures of a retailer, and refuse prices in another currency than the currency of the retailer', async () => {
  const part = (await loadWith('retailer.json', () => '{"shipping":{"EXPRESS":1500}}')).at(now).retailer;
  expect(part).toEqual(Retailer.parse({ shipping: { EXPRESS: 1_500 } }));
  const foreign =
    '/0/price/currency – this must be JPY, the currency of the retailer; to sell in EUR, change the currency in retailer.json, or in data.retailer of a rehearsal.';
  await expect(loadWith('retailer.json', () => '{"currency":"JPY"}')).rejects.toThrow(`/products.json cannot be used: ${foreign}`);
  const window = '/windows/return – this must be a positive duration such as PT10M or P2D, at most P3650D.';
  await expect(loadWith('retailer.json', () => '{"windows":{"return":"P1M"}}')).rejects.toThrow(`/retailer.json cannot be used: ${window}`);
  const unknown = '/shiping – this member is unknown.';
  await expect(loadWith('retailer.json', () => '{"shiping":{}}')).rejects.toThrow(`/retailer.json cannot be used: ${unknown}`);
});

test('The fixtures report all mistakes of a file, each in one line', async () => {
  const wrong = edit(0, { sku: 'mug blue', taxRate: 'high', media: null, price: { amount: '12', currency: 'euro' }, colour: 'red' });
  const error = await loadWith('products.json', wrong).catch((thrown: Error) => thrown);
  expect(String(error).replace('FixtureError: ', '').split('\n').toSorted()).toEqual(
    [
      '/0/colour – this member is unknown.',
      '/0/media – this must be a list, not null.',
      '/0/price/amount – this must be a whole number, not text.',
      '/0/price/currency – this must be a currency of ISO 4217 with 0, 2 or 3 decimals, such as EUR, JPY or BHD.',
      '/0/sku – this must have only letters, digits, dots, hyphens and underscores, and not only dots.',
      '/0/taxRate – this must be a number, not text.',
    ].map((line) => `${folder.at('products.json')} cannot be used: ${line}`),
  );
});

test('The fixtures report a folder in place of a file', async () => {
  const stock = folder.at('stock.json');
  await copy();
  await rm(stock);
  await mkdir(stock);
  await expect(loadCopy()).rejects.toThrow(`${stock} cannot be used: / – it is a folder`);
  await rm(stock, { recursive: true });
});

test.each([
  ['products.json', Array(3_000).fill({})],
  ['products.overlay.json', Array(3_000).fill({ sku: 'mug-blue', price: 1 })],
  ['stock.csv', `sku,onHand.dc-01\n${'mug,x\n'.repeat(3_000)}`],
  ['stock.csv', `sku,location,onHand\n${'mug,,1\n'.repeat(3_000)}`],
])('The check of a folder ends after a thousand mistakes in %s', async (file, content) => {
  await using own = await aFolder();
  await own.write(file, content);
  const refusal = await loadFixtures(own.url).then(
    () => 'loaded',
    ({ message }: Error) => message,
  );
  expect(refusal.split('\n').at(-1)).toBe('The check ended after 1000 mistakes.');
});
