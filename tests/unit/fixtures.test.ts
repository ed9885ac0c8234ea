import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { FixtureFile, Fixtures } from '../../fixtures/files.ts';
import { loadFixtures } from '../../fixtures/load.ts';
import { customerLifeCycle } from '../../shared/catalog/customer/objects.ts';
import { durationMs } from '../../shared/domain/duration.ts';

const now = Date.parse('2026-03-01T10:00:00.000Z');
const source = new URL('../../fixtures/', import.meta.url);
let fixtures: Fixtures;

beforeAll(async () => {
  fixtures = (await loadFixtures()).at(now);
});

describe('The initial world', () => {
  const productOf = (sku: string) => fixtures.products.find((product) => product.sku === sku);
  const onHand = (sku: string) => fixtures.stock.find((row) => row.sku === sku)?.onHand;

  test('has about 40 products, 5 locations, 12 customers, 5 promotions and 6 vouchers', () => {
    const { products, locations, customers, promotions, vouchers } = fixtures;
    expect([products, locations, customers, promotions, vouchers].map(({ length }) => length)).toEqual([40, 5, 12, 5, 6]);
  });

  test('tries warehouses before stores', () => {
    const byPriority = [...fixtures.locations].sort((a, b) => a.priority - b.priority);
    expect(byPriority.map(({ id, type }) => [id, type])).toEqual([
      ['dc-01', 'warehouse'],
      ['dc-02', 'warehouse'],
      ['store-01', 'store'],
      ['store-02', 'store'],
      ['store-03', 'store'],
    ]);
  });

  test('has the SKUs that scripts rely on', () => {
    expect(productOf('mug-blue')).toMatchObject({ state: 'active', price: { amount: 1299, currency: 'EUR' }, taxRate: 23 });
    expect(onHand('mug-blue')).toEqual({ 'dc-01': 1000, 'dc-02': 1000, 'store-01': 50, 'store-02': 50, 'store-03': 50 });
    expect(onHand('lamp-last-one')).toEqual({ 'dc-01': 1, 'dc-02': 0, 'store-01': 0, 'store-02': 0, 'store-03': 0 });
    expect(Object.values(onHand('vase-sold-out') ?? {})).toEqual([0, 0, 0, 0, 0]);
    expect(onHand('desk-two-nodes')).toMatchObject({ 'dc-01': 3, 'dc-02': 3, 'store-01': 0 });
    expect(productOf('wine-red')?.minAge).toBe(18);
    expect(productOf('chair-suspended')?.state).toBe('suspended');
    expect(productOf('radio-draft')?.state).toBe('draft');
  });

  test('keeps no safety stock of the SKUs that scripts count', () => {
    for (const sku of ['mug-blue', 'lamp-last-one', 'vase-sold-out', 'desk-two-nodes']) {
      expect(fixtures.stock.find((row) => row.sku === sku)?.safetyStock).toBeUndefined();
    }
  });

  test('has customers in every state, Ada with 500 points among them', () => {
    expect(new Set(fixtures.customers.map(({ state }) => state))).toEqual(new Set(customerLifeCycle.states));
    const stateOf = (id: string) => fixtures.customers.find((customer) => customer.id === id)?.state;
    expect(['cus_ada', 'cus_ben', 'cus_mallory'].map(stateOf)).toEqual(['active', 'registered', 'blocked']);
    expect(fixtures.customers.find(({ id }) => id === 'cus_ada')).toMatchObject({
      email: 'ada@people.example',
      loyaltyAccountId: 'loy_ada',
    });
    expect(fixtures.customers.find(({ id }) => id === 'cus_ben')).not.toHaveProperty('loyaltyAccountId');
    expect(fixtures.loyaltyAccounts.find(({ id }) => id === 'loy_ada')).toMatchObject({
      customerId: 'cus_ada',
      pointsBalance: 500,
      tier: 'bronze',
    });
  });

  test('leaves the plain order of two blue mugs by a bronze member at its full price', () => {
    const total = 2 * 1299;
    for (const promotion of fixtures.promotions) {
      if ('skus' in promotion) expect(promotion.skus).not.toContain('mug-blue');
      if (promotion.kind === 'basket-threshold') expect(promotion.threshold.amount).toBeGreaterThan(total);
      if (promotion.kind === 'tier-percent') expect(promotion.tiers).not.toContain('bronze');
    }
  });

  test('has a promotion of every kind, running now', () => {
    const instant = new Date(now).toISOString();
    const running = fixtures.promotions.filter(({ activeFrom, activeTo }) => activeFrom <= instant && instant < activeTo);
    expect(running.map(({ kind }) => kind)).toEqual(['percent-off', 'buy-x-pay-y', 'amount-off', 'tier-percent', 'basket-threshold']);
  });

  test('has the vouchers that scripts rely on', () => {
    const voucherOf = (code: string) => fixtures.vouchers.find((voucher) => voucher.code === code);
    expect(voucherOf('WELCOME10')).toMatchObject({ discount: { type: 'percent', percent: 10 }, enabled: true });
    expect(Date.parse(voucherOf('EXPIRED')?.activeTo ?? '')).toBeLessThan(now);
    expect(voucherOf('DISABLED')?.enabled).toBe(false);
    expect(voucherOf('USEDUP')).toMatchObject({ usageLimit: 100, used: 100 });
    expect(voucherOf('MIN100')?.minimum).toEqual({ amount: 10_000, currency: 'EUR' });
    expect(voucherOf('VIP')?.tiers).toHaveLength(1);
  });

  test('has the magic tokens, the gift cards and the credentials that scripts rely on', () => {
    const outcomes = Object.fromEntries(fixtures.paymentTokens.map(({ token, outcome }) => [token, outcome]));
    expect(outcomes).toMatchObject({
      tok_visa: 'approve',
      tok_decline_insufficient_funds: 'decline',
      tok_decline_do_not_honor: 'decline',
      tok_timeout: 'timeout',
      tok_async_approve: 'approve-later',
    });
    expect(fixtures.giftCards.map(({ token, balance }) => [token, balance.amount])).toEqual([
      ['gift_50', 5000],
      ['gift_5', 500],
    ]);
    expect(fixtures.credentials.map(({ kind, secret, scopes }) => [kind, secret, ...scopes])).toEqual([
      ['bearer', 'demo-integration-token', 'catalog'],
      ['api-key', 'demo-carrier-key', 'catalog'],
      ['bearer', 'demo-control-token', 'control'],
      ['signature', expect.stringMatching(/^whsec_/), 'catalog'],
    ]);
  });

  test('shifts with its starting instant, and nothing else changes', async () => {
    const set = await loadFixtures();
    const later = set.at(now + durationMs('P1D'));
    const [ada, adaLater] = [fixtures, later].map(({ customers }) => customers.find(({ id }) => id === 'cus_ada'));
    expect(ada?.lastActivityAt).toBe('2026-02-17T10:00:00.000Z');
    expect(adaLater?.lastActivityAt).toBe('2026-02-18T10:00:00.000Z');
    expect(set.at(now)).toEqual(fixtures);
    expect(later.stock).toEqual(fixtures.stock);
  });

  test('may have instants instead of durations, in any form of RFC 3339', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fixtures-'));
    try {
      await cp(source, directory, { recursive: true });
      const file = join(directory, 'customers.json');
      const rows = JSON.parse(await readFile(file, 'utf8')) as { id: string; createdAt?: string }[];
      const ada = rows.find(({ id }) => id === 'cus_ada');
      Object.assign(ada ?? {}, { createdAt: '2025-01-01t02:30:00+05:30' });
      await writeFile(file, JSON.stringify(rows));
      const { customers } = (await loadFixtures(pathToFileURL(`${directory}/`))).at(now);
      expect(customers.find(({ id }) => id === 'cus_ada')?.createdAt).toBe('2024-12-31T21:00:00.000Z');
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test('has version 1 and a creation time for every object', () => {
    for (const row of [...fixtures.products, ...fixtures.customers, ...fixtures.loyaltyAccounts]) {
      expect(row.version).toBe(1);
      expect(Date.parse(row.createdAt)).toBeLessThan(now);
    }
  });
});

describe('Invalid fixtures are refused in one sentence with file and JSON pointer', () => {
  let directory: string;
  const path = (file: string) => join(directory, file);

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fixtures-'));
  });

  afterAll(() => rm(directory, { recursive: true }));

  /** Loads a copy of the fixtures of which one file was changed. */
  async function loadWith(file: FixtureFile, change: (text: string) => string | Buffer): Promise<unknown> {
    await cp(source, directory, { recursive: true });
    const text = await readFile(path(file), 'utf8');
    const changed = change(text);
    if (changed === text) throw new Error('This case changes nothing.');
    await writeFile(path(file), changed);
    return loadFixtures(pathToFileURL(`${directory}/`));
  }

  type Row = Record<string, unknown>;
  const edit = (index: number, members: Row) => (text: string) =>
    JSON.stringify((JSON.parse(text) as Row[]).map((row, position) => (position === index ? { ...row, ...members } : row)));
  const without = (index: number) => (text: string) =>
    JSON.stringify((JSON.parse(text) as Row[]).filter((_, position) => position !== index));
  const entries = (...rows: Row[]) => ({ entries: rows });
  const eur = (amount: number) => ({ amount, currency: 'EUR' });

  const cases: [title: string, file: FixtureFile, change: (text: string) => string | Buffer, message: string][] = [
    [
      'text in another encoding than UTF-8',
      'vouchers.json',
      (text) => Buffer.from(text.replace('"name": "', '"name": "für '), 'latin1'),
      'vouchers.json cannot be used: / – it is not UTF-8; save it in this encoding.',
    ],
    [
      'a name with NUL',
      'products.json',
      edit(1, { name: 'Mug\0' }),
      'products.json cannot be used: /1/name – this is not text: it has NUL or half of a surrogate pair.',
    ],
    [
      'half of a character as name of a member',
      'stock.json',
      (text) => text.replace('"dc-01"', String.raw`"\ud800"`),
      'stock.json cannot be used: /0/onHand/\ufffd – this is not text',
    ],
    [
      'lists within lists without end',
      'vouchers.json',
      () => '['.repeat(50_000) + ']'.repeat(50_000),
      'vouchers.json cannot be used: / – it nests deeper than 64 levels.',
    ],
    ['text that is not JSON', 'products.json', (text) => `${text}]`, 'products.json cannot be used: / – it is not JSON, from line '],
    ['an object where a list is due', 'vouchers.json', () => '{}', 'vouchers.json cannot be used: / – this must be a list, not an object.'],
    ['an unknown member', 'products.json', edit(0, { minage: 18 }), 'products.json cannot be used: /0/minage – this member is unknown.'],
    [
      'an unknown state',
      'customers.json',
      edit(2, { state: 'banned' }),
      'customers.json cannot be used: /2/state – this must be one of anonymous, ',
    ],
    [
      'a price in fractions',
      'products.json',
      edit(1, { price: eur(12.99) }),
      'products.json cannot be used: /1/price/amount – this must be a whole number, not 12.99.',
    ],
    [
      'a product without price',
      'products.json',
      edit(1, { price: undefined }),
      'products.json cannot be used: /1/price – this member is required.',
    ],
    [
      'a product for nothing',
      'products.json',
      edit(1, { price: eur(0) }),
      'products.json cannot be used: /1/price/amount – this must be from 1 to 999999999.',
    ],
    [
      'a price of which a basket has no exact sum',
      'products.json',
      edit(1, { price: eur(10 ** 15) }),
      'products.json cannot be used: /1/price/amount – this must be from 1 to 999999999.',
    ],
    [
      'a gift card that owes',
      'gift-cards.json',
      edit(0, { balance: eur(-5000) }),
      'gift-cards.json cannot be used: /0/balance/amount – this must be from 0 to 999999999999.',
    ],
    [
      'a wrong check digit',
      'products.json',
      edit(0, { gtin: '9521001000078' }),
      'products.json cannot be used: /0/gtin – the last digit is not the check digit',
    ],
    [
      'a GTIN used twice',
      'products.json',
      edit(1, { gtin: '9521001000079' }),
      'products.json cannot be used: /1/gtin – the same as in row 0.',
    ],
    [
      'a product without a text',
      'products.json',
      edit(3, { description: ' ' }),
      'products.json cannot be used: /3/description – it is blank.',
    ],
    [
      'a sale that is none',
      'products.json',
      edit(0, { compareAtPrice: eur(1299) }),
      'products.json cannot be used: /0/compareAtPrice – it is not above',
    ],
    ['a product without stock row', 'stock.json', without(0), 'products.json cannot be used: /0/sku – stock.json has no row for it.'],
    ['stock of no product', 'products.json', without(0), 'stock.json cannot be used: /0/sku – there is no product "mug-blue".'],
    [
      'stock at no location',
      'stock.json',
      edit(3, { onHand: { 'dc-09': 1 } }),
      'stock.json cannot be used: /3/onHand/dc-09 – there is no location "dc-09".',
    ],
    ['stock nowhere', 'stock.json', edit(0, { onHand: {} }), 'stock.json cannot be used: /0/onHand – it names no location'],
    [
      'negative stock',
      'stock.json',
      edit(0, { onHand: { 'dc-01': -1 } }),
      'stock.json cannot be used: /0/onHand/dc-01 – this must be at least 0.',
    ],
    [
      'safety stock where there is no stock',
      'stock.json',
      edit(0, { onHand: { 'dc-01': 1 }, safetyStock: { 'dc-02': 1 } }),
      'stock.json cannot be used: /0/safetyStock/dc-02',
    ],
    [
      'two locations of one priority',
      'locations.json',
      edit(1, { priority: 1 }),
      'locations.json cannot be used: /1/priority – the same as in row 0.',
    ],
    [
      'an e-mail address used twice',
      'customers.json',
      edit(1, { email: 'ADA@people.example' }),
      'customers.json cannot be used: /1/email – the same as in row 0.',
    ],
    [
      'an account that does not exist',
      'customers.json',
      edit(1, { loyaltyAccountId: 'loy_ben' }),
      'customers.json cannot be used: /1/loyaltyAccountId – loyalty-accounts.json has no account "loy_ben" of "cus_ben".',
    ],
    [
      'the account of another customer',
      'customers.json',
      edit(1, { loyaltyAccountId: 'loy_ada' }),
      'customers.json cannot be used: /1/loyaltyAccountId',
    ],
    [
      'an account whose customer does not know it',
      'customers.json',
      edit(0, { loyaltyAccountId: undefined }),
      'loyalty-accounts.json cannot be used: /0/customerId – customers.json has no "cus_ada"',
    ],
    [
      'a card used twice',
      'loyalty-accounts.json',
      edit(1, { cardNumber: '2990000123459' }),
      'loyalty-accounts.json cannot be used: /1/cardNumber – the same',
    ],
    [
      'an active customer who was not',
      'customers.json',
      edit(0, { lastActivityAt: '-P91D' }),
      'customers.json cannot be used: /0/lastActivityAt – active customers were active in the last 90 days.',
    ],
    [
      'an anonymous customer with a phone',
      'customers.json',
      edit(9, { phone: '+353209100099' }),
      'customers.json cannot be used: /9/state – an anonymous customer',
    ],
    [
      'a time in months',
      'customers.json',
      edit(0, { lastActivityAt: '-P1M' }),
      'customers.json cannot be used: /0/lastActivityAt – this must be a duration from the start of the rehearsal such as -P12D',
    ],
    [
      'a balance that the entries do not make',
      'loyalty-accounts.json',
      edit(0, { pointsBalance: 501 }),
      'loyalty-accounts.json cannot be used: /0/pointsBalance – the entries add up to 500.',
    ],
    [
      'a tier that was not reached',
      'loyalty-accounts.json',
      edit(0, { tier: 'gold' }),
      'loyalty-accounts.json cannot be used: /0/tier – 650 lifetime points make bronze.',
    ],
    [
      'a wrong next tier',
      'loyalty-accounts.json',
      edit(0, { nextTierThreshold: 5000 }),
      'loyalty-accounts.json cannot be used: /0/nextTierThreshold – the next tier starts at 1000.',
    ],
    [
      'a ledger below zero',
      'loyalty-accounts.json',
      edit(0, entries({ type: 'redeem', points: -1, at: '-P1D' })),
      'loyalty-accounts.json cannot be used: /0/entries/0/points – the balance becomes negative.',
    ],
    [
      'a redemption that gives',
      'loyalty-accounts.json',
      edit(0, entries({ type: 'redeem', points: 1, at: '-P1D' })),
      'loyalty-accounts.json cannot be used: /0/entries/0/points – redeem entries have negative points',
    ],
    [
      'a ledger out of order',
      'loyalty-accounts.json',
      edit(0, entries({ type: 'earn', points: 1, at: 'P1D' })),
      'loyalty-accounts.json cannot be used: /0/entries/0/at – entries are in order of time',
    ],
    [
      'a promotion of no product',
      'promotions.json',
      edit(1, { skus: ['chocolate-dark', 'gone'] }),
      'promotions.json cannot be used: /1/skus/1 – unknown product.',
    ],
    [
      'a promotion that ends before it begins',
      'promotions.json',
      edit(0, { activeTo: '-P31D' }),
      'promotions.json cannot be used: /0/activeTo – it ends before it begins.',
    ],
    [
      'a promotion of an unknown kind',
      'promotions.json',
      edit(0, { kind: 'magic' }),
      'promotions.json cannot be used: /0/kind – this must be one of percent-off, ',
    ],
    [
      'a voucher used beyond its limit',
      'vouchers.json',
      edit(3, { used: 101 }),
      'vouchers.json cannot be used: /3/used – it is above usageLimit.',
    ],
    [
      'a second currency',
      'gift-cards.json',
      edit(1, { balance: { amount: 500, currency: 'USD' } }),
      'gift-cards.json cannot be used: /1/balance/currency – this must be EUR, the currency of every price.',
    ],
    [
      'prices that are all in a currency in which nothing is sold',
      'products.json',
      (text) => text.replaceAll('"EUR"', '"USD"'),
      'products.json cannot be used: /0/price/currency – this must be EUR, the currency of every price.',
    ],
    [
      'a service that is not carried',
      'carrier-scans.json',
      without(1),
      'carrier-scans.json cannot be used: / – there is no row for the service EXPRESS.',
    ],
    [
      'a scan that the parcel cannot get',
      'carrier-scans.json',
      (text) => text.replace('"scan": "collect"', '"scan": "deliver"'),
      'carrier-scans.json cannot be used: /0/scans/0/scan – a parcel that is label-created cannot deliver.',
    ],
    [
      'a scan before the one before',
      'carrier-scans.json',
      (text) => text.replace('"after": "PT6H"', '"after": "PT1H"'),
      'carrier-scans.json cannot be used: /0/scans/1/after – it is earlier than the previous scan.',
    ],
    [
      'a delay in months',
      'carrier-scans.json',
      (text) => text.replace('"after": "PT2H"', '"after": "P1M"'),
      'carrier-scans.json cannot be used: /0/scans/0/after – "P1M" is not a duration',
    ],
    [
      'a delivery window that ends before it begins',
      'carrier-scans.json',
      edit(0, { estimatedDelivery: { from: 'P2D', to: 'P1D' } }),
      'carrier-scans.json cannot be used: /0/estimatedDelivery – it ends before it begins.',
    ],
    [
      'a warehouse that does not pack',
      'warehouse-steps.json',
      without(2),
      'warehouse-steps.json cannot be used: / – the steps are started, picked,',
    ],
    [
      'a warehouse that packs before it picks',
      'warehouse-steps.json',
      edit(2, { after: 'PT20M' }),
      'warehouse-steps.json cannot be used: /2/after – it is earlier than the previous step.',
    ],
    [
      'a webhook secret that no library reads',
      'credentials.json',
      edit(3, { secret: 'whsec_short' }),
      'credentials.json cannot be used: /3/secret – a webhook secret is whsec_ and 24 to 64 bytes in base64.',
    ],
    [
      'a second webhook secret',
      'credentials.json',
      (text) => text.replace('[', `[{"name":"b","kind":"signature","secret":"whsec_${'A'.repeat(32)}","scopes":["catalog"]},`),
      'credentials.json cannot be used: /4 – there is a webhook secret before it, and one only is used.',
    ],
    [
      'no credential at all',
      'credentials.json',
      () => '[]',
      'credentials.json cannot be used: / – nobody could use the control plane; add a bearer with the scope control.',
    ],
    [
      'no credential of the control plane',
      'credentials.json',
      without(2),
      'credentials.json cannot be used: / – nobody could use the control plane; add a bearer with the scope control.',
    ],
    [
      'a key of the control plane that is no bearer',
      'credentials.json',
      edit(1, { scopes: ['control'] }),
      'credentials.json cannot be used: /1/scopes – only a bearer can have the scope control.',
    ],
    ...['tökén', 'a b', 'a\nb'].map((secret): [string, FixtureFile, (text: string) => string, string] => [
      `a token that no header carries: ${JSON.stringify(secret)}`,
      'credentials.json',
      edit(0, { secret }),
      'credentials.json cannot be used: /0/secret – it takes visible ASCII without blanks, to fit into a header.',
    ]),
    [
      'a token that looks like one of a rehearsal',
      'credentials.json',
      edit(0, { secret: `reh_default_${'a'.repeat(20)}` }),
      'credentials.json cannot be used: /0/secret – it has the form of a credential of a rehearsal',
    ],
    [
      'an unknown scope',
      'credentials.json',
      edit(0, { scopes: ['all'] }),
      'credentials.json cannot be used: /0/scopes/0 – this must be one of catalog, control.',
    ],
  ];

  test.each(cases)('%s', async (_, file, change, message) => {
    await expect(loadWith(file, change)).rejects.toThrow(`/${message}`);
  });

  test('but a byte order mark is not: some editors write it', async () => {
    await expect(loadWith('products.json', (text) => `\ufeff${text}`)).resolves.toBeDefined();
  });

  test('all mistakes of a file, a line each', async () => {
    const wrong = edit(0, { sku: 'mug blue', taxRate: 'high', media: null, price: { amount: '12', currency: 'euro' }, colour: 'red' });
    const error = await loadWith('products.json', wrong).catch((thrown: Error) => thrown);
    expect(String(error).replace('FixtureError: ', '').split('\n').toSorted()).toEqual(
      [
        '/0/colour – this member is unknown.',
        '/0/media – this must be a list, not null.',
        '/0/price/amount – this must be a whole number, not text.',
        '/0/price/currency – this must be EUR, the currency of every price.',
        '/0/sku – this must have only letters, digits, dots, hyphens and underscores, and not only dots.',
        '/0/taxRate – this must be a number, not text.',
      ].map((line) => `${path('products.json')} cannot be used: ${line}`),
    );
  });

  test('a folder in the place of a file', async () => {
    await cp(source, directory, { recursive: true });
    await rm(path('stock.json'));
    await mkdir(path('stock.json'));
    await expect(loadFixtures(pathToFileURL(`${directory}/`))).rejects.toThrow(`${path('stock.json')} cannot be used: / – it is a folder`);
    await rm(path('stock.json'), { recursive: true });
  });

  test('a file that is missing', async () => {
    await cp(source, directory, { recursive: true });
    await rm(path('stock.json'));
    await expect(loadFixtures(pathToFileURL(`${directory}/`))).rejects.toThrow(`${path('stock.json')} cannot be used: / – it is missing`);
  });
});

describe('A duration', () => {
  test.each([
    ['PT15M', 900_000],
    ['P2D', 172_800_000],
    ['-P1W', -604_800_000],
    ['P1DT2H3M4.5S', 93_784_500],
    ['PT0S', 0],
  ])('%s has %d milliseconds', (text, length) => {
    expect(durationMs(text)).toBe(length);
  });

  test.each(['', 'P', '15 minutes', 'P1M', 'P1Y', '2026-03-01'])('is not "%s"', (text) => {
    expect(() => durationMs(text)).toThrow(RangeError);
  });
});
