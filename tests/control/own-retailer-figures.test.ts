import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Nearby, payablePoints } from '../../shared/catalog/nearby.ts';
import { Retailer, type WindowName } from '../../shared/catalog/retailer.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { onMonday } from '../support/steps/collection.ts';
import { CASH, card, eur } from '../support/steps/tender.ts';

const manual = { warehouse: 'manual', carrier: 'manual', returns: 'manual' } as const;
const withRetailer = (retailer: object) => newRehearsal(manual, { retailer: { ...retailer } });
const basketState = (rehearsal: TestRehearsal, id: string) => async () => (await rehearsal.api('get-basket-api', { params: { id } })).state;
const orderState = (rehearsal: TestRehearsal, id: string) => async () => (await rehearsal.order(id)).state;
const objectState = (rehearsal: TestRehearsal, type: string, id: string) => async () => (await rehearsal.object(type, id)).state;

/** Begins the wait. @returns a reader of what the wait changes */
type Begin = (rehearsal: TestRehearsal) => Promise<() => Promise<unknown>>;
type Row = readonly [begin: Begin, within: unknown, after: unknown, length?: string];

const paymentState: Begin = async (rehearsal) =>
  objectState(rehearsal, 'payment', (await rehearsal.authorisation((await rehearsal.draft()).id)).id);
const pendingState: Begin = async (rehearsal) => {
  const body = { orderId: (await rehearsal.draft()).id, tender: card('tok_timeout') };
  const { paymentId } = (await rehearsal.call('authorize-payment-api', { body })).body;
  return objectState(rehearsal, 'payment', paymentId);
};
const uncoveredState: Begin = async (rehearsal) => {
  const { id, payments } = await rehearsal.confirmed();
  await rehearsal.api('void-payment-api', { params: { id: payments[0]?.id ?? '' } });
  return orderState(rehearsal, id);
};
const points: Begin = async (rehearsal) => {
  const params = { id: 'loy_ada' };
  const { id: basketId } = await rehearsal.basket();
  await rehearsal.api('redeem-points-api', { params, body: { points: 100, basketId } });
  return async () => (await rehearsal.api('get-member-balance-api', { params })).pointsBalance;
};
const announcedState: Begin = async (rehearsal) => {
  const order = await rehearsal.completed();
  await rehearsal.progress({ returns: 'time' });
  return async () => {
    const { id } = await rehearsal.announced(order);
    await rehearsal.advance('PT2H');
    return (await rehearsal.returnState(id)) === 'rejected' ? 'rejected' : 'accepted';
  };
};
const exchangeState: Begin = async (rehearsal) =>
  objectState(rehearsal, 'return', await rehearsal.inspected(await rehearsal.completed(), 1, { resolution: 'exchange' }));
const parcelState: Begin = async (rehearsal) => {
  const { shipmentId } = await rehearsal.dispatchedOrder();
  await rehearsal.scanned(shipmentId, 'collect');
  return async () => (await rehearsal.track(shipmentId)).body.state;
};
const disputeState: Begin = async (rehearsal) => {
  const { payments } = await rehearsal.completed();
  const id = payments[0]?.id ?? '';
  await rehearsal.control('open-dispute', { params: { id }, body: { reason: 'general' } });
  return async () => (await rehearsal.object('payment', id)).disputes?.[0]?.state;
};
const customerState: Begin = async (rehearsal) => {
  const { id } = await rehearsal.api('create-customer-api', { body: { firstName: 'Olive', lastName: 'Marsh', phone: '+353209299999' } });
  await rehearsal.api('log-interaction-api', { body: { customerId: id, type: 'visit' } });
  return async () => (await rehearsal.api('get-customer-api', { params: { id } })).state;
};

const windows: Readonly<Record<WindowName, Row>> = {
  checkoutHold: [async (rehearsal) => basketState(rehearsal, (await rehearsal.checkedOut()).id), 'locked', 'open'],
  basketIdle: [async (rehearsal) => basketState(rehearsal, (await rehearsal.basket()).id), 'open', 'abandoned'],
  draftOrder: [async (rehearsal) => orderState(rehearsal, (await rehearsal.draft()).id), 'draft', 'cancelled'],
  pendingPayment: [pendingState, 'pending', 'failed'],
  authorisation: [paymentState, 'authorised', 'voided', 'P1D'],
  uncoveredOrder: [uncoveredState, 'confirmed', 'cancelled'],
  redemption: [points, 400, 500],
  return: [announcedState, 'accepted', 'rejected'],
  exchange: [exchangeState, 'inspected', 'refunded'],
  carrierSilence: [parcelState, 'collected', 'lost'],
  dispute: [disputeState, 'open', 'lost'],
  atRisk: [customerState, 'active', 'at-risk', 'P95D'],
  churned: [customerState, 'at-risk', 'churned', 'P200D'],
};

const MINUTE_MS = 60_000;

test.each(Object.entries(windows))(
  'The window %s has the length that the retailer sets',
  async (name, [begin, within, after, length = 'PT3H']) => {
    await using rehearsal = await withRetailer({ windows: { draftOrder: 'P9D', [name]: length } });
    const read = await begin(rehearsal);
    await rehearsal.advance(`PT${(durationMs(length) - MINUTE_MS) / 1_000}S`);
    expect(await read()).toBe(within);
    await rehearsal.advance('PT2M');
    expect(await read()).toBe(after);
    await rehearsal.verify();
  },
);

test('A sale at the till is voided after the idle time of the retailer', async () => {
  await using rehearsal = await withRetailer({ windows: { basketIdle: 'PT3H' } });
  const [first, second] = [await rehearsal.sale(), await rehearsal.sale()];
  const pay = async ({ id }: { readonly id: string }) => (await rehearsal.pay(id, CASH, 100)).status;
  await rehearsal.advance('PT2H59M');
  expect(await pay(first)).toBe(201);
  await rehearsal.advance('PT2M');
  expect(await pay(second)).toBe(409);
});

test('The prices of shipping are the prices of the retailer', async () => {
  await using rehearsal = await withRetailer({ shipping: { STANDARD: 100, EXPRESS: 250, freeFrom: 2_598 } });
  const shipping = async (qty: number, shippingMethod: 'STANDARD' | 'EXPRESS') =>
    (await rehearsal.checkedOut({ sku: 'mug-blue', qty }, { shippingMethod })).totals.shipping.amount;
  expect([await shipping(1, 'STANDARD'), await shipping(1, 'EXPRESS'), await shipping(2, 'STANDARD')]).toEqual([100, 250, 0]);
});

test('A dispute costs the fee of the retailer', async () => {
  await using rehearsal = await withRetailer({ disputeFee: 700 });
  const { payments } = await rehearsal.completed();
  const params = { id: payments[0]?.id ?? '' };
  const { disputes } = await rehearsal.control('open-dispute', { params, body: { reason: 'general' } });
  expect(disputes?.[0]?.fee).toEqual({ amount: 700, currency: 'EUR' });
  await rehearsal.verify();
});

test('A receipt has the day of its store, and an order number the day of the retailer', async () => {
  const locations = [{ id: 'store-02', timeZone: 'Pacific/Honolulu' }];
  await using rehearsal = await newRehearsal(manual, { retailer: { timeZone: 'Asia/Tokyo' }, locations });
  await rehearsal.control('advance-clock', { body: { to: '2027-03-01T23:30:00.000Z' } });
  const sold = async (storeId: string) => {
    const { id, totals } = await rehearsal.sale({ storeId });
    const { body } = await rehearsal.pay(id, CASH, totals.total.amount);
    return [body.receipt.number.split('-').at(-2), (await rehearsal.order(id)).orderNumber.slice(0, 6)];
  };
  expect([await sold('store-01'), await sold('store-02')]).toEqual([
    ['20270302', '270302'],
    ['20270301', '270302'],
  ]);
  expect((await rehearsal.draft()).orderNumber).toMatch(/^270302-/);
});

test('The points of an order and the tiers follow from the figures of the retailer', async () => {
  await using rehearsal = await withRetailer({ loyalty: { earnPer: 10, tiers: { silver: 640, gold: 890 } } });
  const member = () => rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } });
  expect(await member()).toMatchObject({ pointsBalance: 500, tier: 'silver', nextTierThreshold: 890, pointsToNextTier: 240 });
  await rehearsal.completed();
  expect(await member()).toMatchObject({ pointsBalance: 746, lifetimePoints: 896, tier: 'gold' });
  await rehearsal.verify();
});

test('A point pays the amount that the retailer sets, and a payment takes whole points', async () => {
  await using rehearsal = await withRetailer({ loyalty: { pointWorth: 10 } });
  const balance = async () => (await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } })).pointsBalance;
  const { id } = await rehearsal.draft();
  const related = await rehearsal.control('list-related-objects', { params: { type: 'order', id } });
  const near = { ...related, of: () => [], get: () => related.items.find(({ type }) => type === 'loyalty-account')?.object };
  // 30.88 EUR need 309 of the 500 points.
  expect(payablePoints(await rehearsal.order(id), near as unknown as Nearby)).toBe(309);
  const { redemption } = await rehearsal.api('redeem-points-api', { params: { id: 'loy_ada' }, body: { points: 200, orderId: id } });
  expect(redemption.value).toEqual(eur(2_000));
  // 100 of the 200 points are enough, and 0.05 EUR of the last one pay nothing.
  const points = await rehearsal.authorisation(id, 995, { type: 'loyalty', token: redemption.id });
  expect(await balance()).toBe(400);
  await rehearsal.verify();
  await rehearsal.api('capture-payment-api', { params: { id: points.id }, body: {} });
  const left = async (amount: number) => {
    await rehearsal.api('refund-payment-api', { params: { id: points.id }, body: { amount: eur(amount) } });
    return balance();
  };
  expect([await left(4), await left(1), await left(980), await left(10)]).toEqual([400, 401, 499, 500]);
  await rehearsal.verify();
});

test('The prices of a rehearsal are in the currency of its retailer, also in a row that changes a default one', async () => {
  const products = [{ sku: 'mug-blue', price: { amount: 1_500 } }];
  await using rehearsal = await newRehearsal(manual, { retailer: { currency: 'JPY' }, products });
  const price = async (id: string) => (await rehearsal.api('get-product-api', { params: { id } })).price;
  expect([await price('mug-blue'), await price('espresso-cup')]).toMatchObject([{ amount: 1_500, currency: 'JPY' }, { currency: 'JPY' }]);
  expect((await rehearsal.checkedOut()).totals.total).toEqual({ amount: 3_490, currency: 'JPY' });
  const foreign = { sku: 'mug-blue', price: { amount: 1, currency: 'EUR' } };
  const { body } = await rehearsal.call('create-rehearsal', { body: { data: { retailer: { currency: 'JPY' }, products: [foreign] } } });
  expect(body.errors).toEqual([
    {
      pointer: '/data/products/0/price/currency',
      code: 'unsupported_currency',
      detail:
        'This must be JPY, the currency of the retailer; to sell in EUR, change the currency in retailer.json, or in data.retailer of a rehearsal.',
    },
  ]);
});

test('Goods wait for the days of the retailer, and its stores need their time to have them ready', async () => {
  await using rehearsal = await onMonday({}, { collection: { days: 2, preparation: 'PT30M' } });
  const { items } = await rehearsal.api('list-collection-points-api', { query: {} });
  expect(items[0]).toMatchObject({ locationId: 'store-01', readyBy: '2026-03-02T10:30:00.000Z' });
  expect((await rehearsal.atCounter()).until).toBe('2026-03-04T19:00:00.000Z');
});

test.each([
  ['EUR', '25.98 EUR'],
  ['JPY', '2598 JPY'],
  ['BHD', '2.598 BHD'],
])('A retailer in %s limits orders that are paid at their collection, to the last unit', async (currency, limit) => {
  await using rehearsal = await onMonday({}, { currency, collection: { payLimit: 2_598 } });
  const checkedOut = async (qty: number) => {
    const { id } = await rehearsal.basket({ qty });
    const body = { collection: { locationId: 'store-01' }, payAt: 'collection' };
    return rehearsal.call('checkout-basket-api', { params: { id }, body });
  };
  expect(await checkedOut(2)).toMatchObject({ status: 200, body: { payAt: 'collection' } });
  const { status, body } = await checkedOut(3);
  expect([status, body.errors?.[0]?.detail]).toEqual([422, expect.stringContaining(`at most ${limit} can be paid`)]);
});

test.each([
  ['CHF', 5, 2_600],
  ['JPY', 10, 2_600],
  ['BHD', 5, 2_600],
  ['EUR', 1, undefined],
])('A retailer in %s with coins of %i rounds what is due in cash', async (currency, cashRounding, due) => {
  await using rehearsal = await withRetailer({ currency, cashRounding });
  const { id, totals, outstandingInCash } = await rehearsal.sale();
  expect([totals.total.amount, outstandingInCash?.amount]).toEqual([2_598, due]);
  const body = { tender: CASH, amount: { amount: 3_000, currency } };
  const { change } = await rehearsal.api('add-payment-api', { params: { id }, body });
  expect(change?.amount).toBe(3_000 - (due ?? 2_598));
  await rehearsal.verify();
});

test.each(['EUR', 'JPY', 'BHD'])(
  'A retailer in %s whose prices are without tax adds the rate of the place to the last unit',
  async (currency) => {
    const taxRates = [{ country: 'IE', rate: 8.8125 }];
    await using rehearsal = await withRetailer({ currency, taxIncluded: false, taxRates, shipping: { STANDARD: 0 } });
    const { totals } = await rehearsal.checkedOut();
    // 25.98 × 8.8125 % = 2.2895
    expect([totals.tax.amount, totals.total.amount]).toEqual([229, 2_827]);
    await rehearsal.verify();
  },
);

test('Several locations serve a line only of a retailer that splits lines', async () => {
  const most = async (retailer: object) => {
    await using rehearsal = await withRetailer(retailer);
    const { maxPerLine } = await rehearsal.api('check-availability-api', { params: { sku: 'desk-two-nodes' } });
    await rehearsal.verify();
    return maxPerLine;
  };
  expect([await most({}), await most({ splitLines: true })]).toEqual([3, 6]);
});

test('Lost goods wait for a replacement for the time of the retailer, and are refunded immediately without it', async () => {
  const lost = async (retailer: object) => {
    await using rehearsal = await withRetailer(retailer);
    const { orderId, shipmentId } = await rehearsal.dispatchedOrder();
    await rehearsal.lost(shipmentId);
    const read = orderState(rehearsal, orderId);
    const states = [await read()];
    for (const by of ['PT2H59M', 'PT2M']) {
      await rehearsal.advance(by);
      states.push(await read());
    }
    await rehearsal.verify();
    return states;
  };
  expect(await lost({})).toEqual(['cancelled', 'cancelled', 'cancelled']);
  expect(await lost({ replaceLostWithin: 'PT3H' })).toEqual(['in-fulfilment', 'in-fulfilment', 'cancelled']);
});

test('The figures of a retailer are all tested in this file', () => {
  const { id, currency, timeZone, cashRounding, taxIncluded, taxRates, splitLines, shipping, disputeFee, loyalty, collection, ...others } =
    Retailer.parse({});
  expect([
    id,
    currency,
    timeZone,
    cashRounding,
    taxIncluded,
    taxRates,
    splitLines,
    disputeFee,
    Object.keys(shipping),
    Object.keys(loyalty),
  ]).toEqual([
    'retailer',
    'EUR',
    'UTC',
    1,
    true,
    [],
    false,
    2_000,
    ['STANDARD', 'EXPRESS', 'freeFrom'],
    ['earnPer', 'pointWorth', 'tiers'],
  ]);
  expect(Object.keys(collection)).toEqual(['days', 'preparation', 'payLimit']);
  expect(Object.keys(others)).toEqual(['windows']);
  expect(Object.keys(Retailer.shape)).toContain('replaceLostWithin');
  expect(Object.keys(others.windows).toSorted()).toEqual(Object.keys(windows).toSorted());
});

interface JsonSchema {
  readonly default?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

const rowsOf = ({ properties = {} }: JsonSchema, path: readonly string[] = []): readonly string[] =>
  Object.entries(properties).flatMap(([name, member]) => {
    const figure = [...path, name];
    if (member.properties) return rowsOf(member, figure);
    return name === 'id' ? [] : [`| \`${figure.join('.')}\` | ${member.default ?? '–'} | ${member.description} |`];
  });

test('The guide to your retailer lists each figure with its default and its meaning', async () => {
  const page = await readFile(new URL('../../docs/how-to/your-retailer.md', import.meta.url), 'utf8');
  expect(page).toContain(rowsOf(z.toJSONSchema(Retailer, { io: 'input' }) as JsonSchema).join('\n'));
});
