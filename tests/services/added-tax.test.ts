import { describe, expect, test } from '@jest/globals';
import { ADDRESS, newRehearsal } from '../support/estate.ts';
import { onMonday } from '../support/steps/collection.ts';
import { payingAtCounter } from '../support/steps/pay-at-counter.ts';
import { card } from '../support/steps/tender.ts';

const usd = (amount: number) => ({ amount, currency: 'USD' });

const RATES = [
  { country: 'US', region: 'NY', rate: 8.875 },
  { country: 'US', rate: 5 },
  { country: 'US', category: 'food', rate: 0 },
  { country: 'IE', rate: 10 },
];
/** A retailer of prices without tax, in a world where mugs cost 12.99 and marmalade 5.20. */
const WITHOUT_TAX = { currency: 'USD', taxIncluded: false, taxRates: RATES };
const FOOD = [{ sku: 'marmalade-orange', taxCategory: 'food' }];
const american = () =>
  newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' }, { retailer: WITHOUT_TAX, products: FOOD });
type American = Awaited<ReturnType<typeof american>>;

const addressIn = (country: string, region?: string) => ({ ...ADDRESS, country, region, postalCode: '10001' });
const NEW_YORK = addressIn('US', 'NY');
const CALIFORNIA = addressIn('US', 'CA');

interface Priced {
  readonly totals: {
    readonly tax: { readonly amount: number };
    readonly total: { readonly amount: number };
    readonly taxes?: readonly {
      readonly rate: number;
      readonly taxable: { readonly amount: number };
      readonly tax: { readonly amount: number };
    }[];
  };
}
const taxesOf = ({ totals }: Priced) => totals.taxes?.map(({ rate, taxable, tax }) => [rate, taxable.amount, tax.amount]);
const sumsOf = ({ totals }: Priced) => [totals.tax.amount, totals.total.amount];

const GOODS = {
  lines: [
    { sku: 'mug-blue', qty: 3 },
    { sku: 'marmalade-orange', qty: 1 },
  ],
};

/** An order of three mugs and one marmalade, sent to New York: 44.17 of goods, shipping 4.90, and tax. */
async function ordered(rehearsal: American, address: object = NEW_YORK) {
  const { id } = await rehearsal.basket(GOODS);
  return rehearsal.api('checkout-basket-api', { params: { id }, body: { shippingAddress: address, placeOrder: true } as never });
}

/** The order of `ordered`, confirmed and delivered. */
async function delivered(rehearsal: American) {
  const { orderId = '' } = await ordered(rehearsal);
  await rehearsal.api('authorize-payment-api', { body: { orderId, tender: card() } });
  return rehearsal.completedOrder(orderId);
}

/** Picks and packs a fulfillment order, but of one SKU only some units. */
async function packedWithout({ api, call }: Pick<American, 'api' | 'call'>, fulfillmentOrderId: string, sku: string, found = 0) {
  const { id, lines } = await api('create-picking-order-api', { body: { fulfillmentOrderId } });
  await api('update-picking-status-api', { params: { id }, body: { status: 'started' } });
  const short = lines.map((line) => ({ orderLineId: line.orderLineId, pickedQty: line.sku === sku ? found : line.qty }));
  await call('update-picking-status-api', { params: { id }, body: { status: 'short', lines: short } });
  if (short.some(({ pickedQty }) => pickedQty > 0)) await api('update-picking-status-api', { params: { id }, body: { status: 'packed' } });
}

describe('Prices without tax', () => {
  test('get no tax while the place is unknown, an estimate for a destination, and the tax of the address at checkout', async () => {
    await using rehearsal = await american();
    const lines = [...GOODS.lines];
    const unknown = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines } });
    expect([unknown.taxStatus, sumsOf(unknown), taxesOf(unknown)]).toEqual(['unknown', [0, 4_417], []]);
    const destination = { country: 'US', region: 'ny' };
    const estimated = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines, destination } });
    // 38.97 × 8.875 % = 3.4586
    expect([estimated.taxStatus, sumsOf(estimated), estimated.destination]).toEqual(['estimated', [346, 4_763], destination]);
    const more = await rehearsal.addLine(estimated.id, { sku: 'mug-blue', qty: 1 });
    expect([more.body.taxStatus, sumsOf(more.body)]).toEqual(['estimated', [461, 6_177]]);
    const params = { id: estimated.id };
    const final = await rehearsal.api('checkout-basket-api', { params, body: { shippingAddress: CALIFORNIA } });
    expect([final.taxStatus, sumsOf(final), taxesOf(final)]).toEqual([
      'final',
      [260, 5_976],
      [
        [5, 5_196, 260],
        [0, 520, 0],
      ],
    ]);
    await rehearsal.advance('PT15M1S');
    const reopened = await rehearsal.api('get-basket-api', { params });
    expect([reopened.state, reopened.taxStatus, sumsOf(reopened)]).toEqual(['open', 'estimated', [461, 6_177]]);
    await rehearsal.verify();
  });

  test('get an estimate for the first address of a customer', async () => {
    await using rehearsal = await american();
    const { addresses } = await rehearsal.api('get-customer-api', { params: { id: 'cus_ada' } });
    const basket = await rehearsal.basket(GOODS);
    expect([addresses[0]?.country, basket.destination?.country, basket.taxStatus]).toEqual(['IE', 'IE', 'estimated']);
    // 10 % of 38.97 for mugs and of 5.20 for food: Ireland has no rate for food, and the product has 0 %.
    expect(taxesOf(basket)).toEqual([
      [10, 3_897, 390],
      [0, 520, 0],
    ]);
  });

  test('get the tax of each line after its discount and of shipping, on basket, order and payments', async () => {
    await using rehearsal = await american();
    const basket = await ordered(rehearsal);
    // Goods 38.97 and 5.20; shipping 4.90 split to 4.32 and 0.58: 3.46 + 0.38 of tax.
    expect(taxesOf(basket)).toEqual([
      [8.875, 4_329, 384],
      [0, 578, 0],
    ]);
    expect([sumsOf(basket), basket.totals.shippingTax, basket.totals.taxIncluded]).toEqual([[384, 5_291], usd(38), false]);
    expect(basket.lines.map(({ unitPrice, tax, taxRate, lineTotal }) => [unitPrice.amount, tax.amount, taxRate, lineTotal.amount])).toEqual(
      [
        [1_299, 346, 8.875, 4_243],
        [520, 0, 0, 520],
      ],
    );
    const order = await rehearsal.order(basket.orderId ?? '');
    expect(order.totals).toEqual(basket.totals);
    expect(order.lines.map(({ taxRate }) => taxRate)).toEqual([8.875, 0]);
    const { amount } = await rehearsal.api('authorize-payment-api', { body: { orderId: order.id, tender: card() } });
    expect(amount).toEqual(usd(5_291));
    await rehearsal.verify();
  });

  test('follow the address of a changed checkout', async () => {
    await using rehearsal = await american();
    const { id } = await rehearsal.basket(GOODS);
    const at = async (shippingAddress: object) => {
      const basket = await rehearsal.api('checkout-basket-api', { params: { id }, body: { shippingAddress } as never });
      return basket.totals.taxes?.map(({ rate }) => rate);
    };
    expect([await at(NEW_YORK), await at(CALIFORNIA), await at(addressIn('IE'))]).toEqual([
      [8.875, 0],
      [5, 0],
      [10, 0],
    ]);
    // Where no rate applies, the product decides.
    expect(await at(addressIn('FR'))).toEqual([23, 0]);
  });

  test('are refunded with their tax, in proportion and to the last minor unit', async () => {
    await using rehearsal = await american();
    const order = await delivered(rehearsal);
    const values: unknown[] = [];
    for (const qty of [1, 1, 1]) {
      const { id, refundAmount, refundTax } = await rehearsal.announced(order, qty);
      values.push([refundAmount.amount, refundTax?.amount]);
      await rehearsal.moved(id, 'approve', 'receive', 'inspect');
    }
    // A third of 42.43 each, with a third of the tax of 3.46.
    expect(values).toEqual([
      [1_414, 115],
      [1_414, 115],
      [1_415, 116],
    ]);
    const { payments } = await rehearsal.order(order.id);
    expect(payments[0]?.refundedAmount).toEqual(usd(4_243));
    await rehearsal.verify();
  });

  test('are refunded with their tax for units that no location has', async () => {
    await using rehearsal = await american();
    const { id } = await rehearsal.basket({
      lines: [
        { sku: 'lamp-last-one', qty: 1 },
        { sku: 'mug-blue', qty: 1 },
      ],
    });
    const body = { shippingAddress: NEW_YORK, placeOrder: true };
    const { orderId = '', lines } = await rehearsal.api('checkout-basket-api', { params: { id }, body });
    await rehearsal.api('authorize-payment-api', { body: { orderId, tender: card() } });
    await rehearsal.confirmed(orderId);
    await rehearsal.settle();
    for (const { id: fulfillmentOrderId } of (await rehearsal.order(orderId)).fulfillmentOrders ?? []) {
      await packedWithout(rehearsal, fulfillmentOrderId, 'lamp-last-one');
    }
    await rehearsal.advance('PT1H');
    const { payments, totals } = await rehearsal.order(orderId);
    const [lamp] = lines;
    expect(lamp?.tax.amount).toBeGreaterThan(0);
    expect(payments.map(({ capturedAmount, refundedAmount }) => [capturedAmount, refundedAmount])).toEqual([
      [totals.total, lamp?.lineTotal],
    ]);
    await rehearsal.verify();
  });

  test('are taxed at a till by the place of its store, with lines of tax on the receipt', async () => {
    await using rehearsal = await american();
    const sale = await rehearsal.sale(GOODS);
    expect([sumsOf(sale), sale.totals.taxes?.map(({ rate }) => rate)]).toEqual([
      [390, 4_807],
      [10, 0],
    ]);
    const paid = await rehearsal.api('add-payment-api', { params: { id: sale.id }, body: { tender: card(), amount: sale.totals.total } });
    const { receipt } = paid;
    expect(receipt?.totals).toEqual(sale.totals);
    expect(receipt?.lines.map(({ tax, taxRate, lineTotal }) => [tax?.amount, taxRate, lineTotal.amount])).toEqual([
      [390, 10, 4_287],
      [0, 0, 520],
    ]);
    await rehearsal.verify();
  });

  test('are taxed at a till by its store also in a basket that was estimated elsewhere', async () => {
    await using rehearsal = await american();
    const destination = { country: 'US', region: 'NY' };
    const { id } = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [...GOODS.lines], destination } });
    const sale = await rehearsal.sale({ basketId: id });
    expect(sumsOf(sale)).toEqual([390, 4_807]);
    await rehearsal.verify();
  });

  test('are taxed for a collection by the place of its store', async () => {
    await using rehearsal = await onMonday({}, WITHOUT_TAX);
    const { id } = await rehearsal.api('create-basket-api', {
      body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 3 }], destination: { country: 'US', region: 'NY' } },
    });
    const body = { collection: { locationId: 'store-01' } };
    const collected = await rehearsal.api('checkout-basket-api', { params: { id }, body });
    expect([taxesOf(collected), collected.totals.shippingTax]).toEqual([[[10, 3_897, 390]], undefined]);
  });

  test('leave a receipt whose lines and tax add up without units that the store lacked', async () => {
    await using rehearsal = await payingAtCounter({}, WITHOUT_TAX);
    const { orderId, fulfillmentOrderId } = await rehearsal.confirmedToPay([...GOODS.lines], { shortage: 'cancel' });
    await packedWithout(rehearsal, fulfillmentOrderId, 'mug-blue', 2);
    await rehearsal.api('dispatch-fulfillment-order-api', { params: { id: fulfillmentOrderId } });
    await rehearsal.settle();
    const opened = (await rehearsal.openTill(orderId)).body;
    // Two of three mugs, 28.58 of 42.87, and the marmalade at the rate of Ireland.
    expect(opened.outstanding).toEqual(usd(2_858 + 572));
    const { receipt } = await rehearsal.api('add-payment-api', {
      params: { id: orderId },
      body: { tender: card(), amount: opened.outstanding },
    });
    expect(receipt?.totals).toMatchObject({ subtotal: usd(3_118), discount: usd(0), tax: usd(312), total: usd(3_430) });
    expect(receipt && taxesOf(receipt)).toEqual([[10, 3_118, 312]]);
    await rehearsal.verify();
  });

  test('count with their tax for the limit of orders that are paid at their collection', async () => {
    await using rehearsal = await onMonday({}, { ...WITHOUT_TAX, collection: { payLimit: 4_286 } });
    const { id } = await rehearsal.basket({ qty: 3 });
    const body = { collection: { locationId: 'store-01' }, payAt: 'collection' };
    const { status, body: refused } = await rehearsal.call('checkout-basket-api', { params: { id }, body });
    expect([status, refused.errors[0].detail]).toEqual([422, expect.stringContaining('The order costs 42.87 USD')]);
  });
});

describe('The rates of a retailer', () => {
  const refused = async (retailer: object) => {
    await using rehearsal = await newRehearsal();
    const { status, body } = await rehearsal.call('create-rehearsal', { body: { data: { retailer } } });
    return [status, body.errors?.map(({ pointer, code, detail }: Record<string, string>) => [pointer, code, detail])];
  };

  test.each([
    [
      'twice for a place',
      {
        taxIncluded: false,
        taxRates: [
          { country: 'US', region: 'NY', rate: 1 },
          { country: 'US', region: 'ny', rate: 2 },
        ],
      },
      '/data/retailer/taxRates/1',
      'one rate',
    ],
    ['of prices that include tax', { taxRates: [{ country: 'US', rate: 1 }] }, '/data/retailer/taxRates', 'taxIncluded to false'],
    [
      'of a country in words',
      { taxIncluded: false, taxRates: [{ country: 'Ireland', rate: 1 }] },
      '/data/retailer/taxRates/0/country',
      'IE for Ireland',
    ],
    [
      'with five decimals',
      { taxIncluded: false, taxRates: [{ country: 'IE', rate: 1.00001 }] },
      '/data/retailer/taxRates/0/rate',
      'at most 4 decimals',
    ],
    ['above 100 %', { taxIncluded: false, taxRates: [{ country: 'IE', rate: 101 }] }, '/data/retailer/taxRates/0/rate', ''],
    [
      'beyond the most',
      { taxIncluded: false, taxRates: Array.from({ length: 201 }, (_, rate) => ({ country: 'IE', region: `r${rate}`, rate: 1 })) },
      '/data/retailer/taxRates',
      '200',
    ],
  ])('are refused %s', async (_, retailer, pointer, detail) => {
    expect(await refused(retailer)).toEqual([422, [[pointer, expect.any(String), expect.stringContaining(detail)]]]);
  });
});

test('A retailer whose prices include tax accepts a destination, and its answers have no added tax', async () => {
  await using rehearsal = await newRehearsal({ warehouse: 'manual' });
  const body = { channel: 'web' as const, lines: [{ sku: 'mug-blue', qty: 2 }], destination: { country: 'US' } };
  const basket = await rehearsal.api('create-basket-api', { body });
  const { taxStatus, totals, lines } = basket;
  expect([taxStatus, totals.taxIncluded, totals.taxes, totals.shippingTax, lines[0]?.taxRate]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(sumsOf(basket)).toEqual([486, 2_598]);
});

describe('A change of an order whose prices are without tax', () => {
  interface Case {
    readonly qty?: number;
    readonly to: object;
    /** What changes of products between the confirmation and the change of the order, by SKU. */
    readonly meanwhile?: Record<string, { readonly taxRate: number; readonly taxCategory: string }>;
    readonly change: (lines: readonly { readonly lineId: string; readonly sku: string }[]) => object;
  }

  /** An order of three mugs and some marmalade, confirmed and changed. */
  async function change(rehearsal: American, { qty = 1, to, meanwhile = {}, change: body }: Case) {
    const { id: basketId } = await rehearsal.basket({ lines: [GOODS.lines[0], { sku: 'marmalade-orange', qty }] } as never);
    const checkout = { shippingAddress: to, placeOrder: true } as never;
    const { orderId: id = '' } = await rehearsal.api('checkout-basket-api', { params: { id: basketId }, body: checkout });
    await rehearsal.api('authorize-payment-api', { body: { orderId: id, tender: card() } });
    const before = await rehearsal.api('confirm-order-api', { params: { id } });
    for (const [sku, product] of Object.entries(meanwhile)) {
      await rehearsal.control('change-product-by-hand', { params: { id: sku }, body: product });
    }
    const answer = await rehearsal.call('change-order-api', { params: { id }, body: body(before.lines) as never });
    await rehearsal.settle();
    await rehearsal.verify();
    return { before: sumsOf(before), answer };
  }

  test('taxes the remaining units, and never costs more with the shipping that is no longer free', async () => {
    await using rehearsal = await american();
    const fewer = (lines: Parameters<Case['change']>[0]) => ({
      lines: lines.filter(({ sku }) => sku === 'marmalade-orange').map(({ lineId }) => ({ lineId, qty: 2 })),
    });
    const { before, answer } = await change(rehearsal, { qty: 3, to: NEW_YORK, change: fewer });
    // 38.97 + 15.60 and 8.875 % of 38.97; then 38.97 + 10.40, shipping of 4.90 less 0.04, and 8.875 % of 38.97 and 3.84
    expect([before, sumsOf(answer.body)]).toEqual([
      [346, 5_803],
      [380, 5_803],
    ]);
  });

  test('to an address with a lower rate gives the difference back', async () => {
    await using rehearsal = await american();
    const { before, answer } = await change(rehearsal, { to: NEW_YORK, change: () => ({ shippingAddress: CALIFORNIA }) });
    // 8.875 % of 38.97 and 4.32 of shipping, then 5 %
    expect([before, sumsOf(answer.body), answer.body.changes.at(-1).refund]).toEqual([[384, 5_291], [217, 5_124], usd(167)]);
    expect(answer.body.lines.map(({ taxRate }: { taxRate: number }) => taxRate)).toEqual([5, 0]);
  });

  test('to an address with a higher rate is refused, because it costs more', async () => {
    await using rehearsal = await american();
    const { answer } = await change(rehearsal, { to: CALIFORNIA, change: () => ({ shippingAddress: NEW_YORK }) });
    expect([answer.status, answer.body.errors]).toEqual([422, [expect.objectContaining({ code: 'costs_more' })]]);
  });

  test('keeps the rate and the category that a product had at the checkout', async () => {
    await using rehearsal = await american();
    // The retailer has no rate for this place: the mugs have the rate of their product, 23 %.
    const { before, answer } = await change(rehearsal, {
      to: addressIn('GB'),
      meanwhile: { 'mug-blue': { taxRate: 9, taxCategory: 'food' } },
      change: (lines) => ({ lines: lines.filter(({ sku }) => sku === 'mug-blue').map(({ lineId }) => ({ lineId, qty: 2 })) }),
    });
    // 23 % of 38.97 and of 4.32 of the shipping; then of 25.98 and of 4.08
    expect([before, taxesOf(answer.body), sumsOf(answer.body)]).toEqual([
      [995, 5_902],
      [
        [23, 3_006, 692],
        [0, 602, 0],
      ],
      [692, 4_300],
    ]);
  });

  test('to another street of the same place keeps the price', async () => {
    await using rehearsal = await american();
    const { before, answer } = await change(rehearsal, {
      to: NEW_YORK,
      change: () => ({ shippingAddress: { ...NEW_YORK, line1: '7 Shop Street' } }),
    });
    expect([answer.status, sumsOf(answer.body)]).toEqual([200, before]);
  });
});
