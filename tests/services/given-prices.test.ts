import { describe, expect } from '@jest/globals';
import { onMonday } from '../support/steps/collection.ts';
import { givenOrder } from '../support/steps/given.ts';
import { ADDRESS } from '../support/steps/order.ts';
import { eur } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(onMonday);

const create = (body: unknown) => ({ body: body as never });

describe('Create Order with given prices', () => {
  test('The order keeps the given prices, and splits what is given for the whole order to the last cent', async ({
    call,
    order,
    stockOf,
  }) => {
    const { status, body } = await call('create-order-api', create(givenOrder('#1')));
    expect([status, body]).toMatchObject([
      201,
      {
        state: 'draft',
        priceSource: 'given',
        channel: 'web',
        customerId: 'cus_ada',
        reference: { source: 'web-shop', id: '#1' },
        shippingMethod: 'STANDARD',
        totals: { subtotal: eur(4_554), discount: eur(201), shipping: eur(333), tax: eur(876), total: eur(4_686) },
        lines: [
          { sku: 'mug-blue', qty: 3, unitPrice: eur(1_000), discount: eur(166), tax: eur(530), lineTotal: eur(2_834) },
          { sku: 'espresso-cup', qty: 2, unitPrice: eur(777), discount: eur(35), tax: eur(284), lineTotal: eur(1_519) },
        ],
      },
    ]);
    expect(body).not.toHaveProperty('basketId');
    expect((await stockOf('mug-blue'))['dc-01']?.[1]).toBe(3);
    expect(await order(body.id)).toMatchObject({ paymentStatus: 'unpaid', totals: body.totals });
  });

  test('The order is confirmed, shipped and returned at its prices, and the refunds add up to the last cent', async (rehearsal) => {
    const { api, authorisation, completedOrder, order } = rehearsal;
    const { id } = await api('create-order-api', create(givenOrder('#2')));
    await authorisation(id);
    await completedOrder(id);
    const done = await order(id);
    expect(done).toMatchObject({ state: 'completed', paymentStatus: 'paid', earningAmount: eur(4_353) });
    const amounts = [];
    for (let unit = 0; unit < 3; unit++) {
      const lines = [{ orderLineId: done.lines[0]?.lineId ?? '', qty: 1, reason: 'too small' }];
      const made = await api('create-return-api', { body: { orderId: id, lines, locationId: 'store-01', dropOff: 'store' } as never });
      amounts.push(made.refundAmount.amount);
    }
    expect(amounts).toEqual([944, 945, 945]);
  });

  test('A repeat returns the order at any time, and another content is refused', async ({ call, advance }) => {
    const first = await call('create-order-api', create(givenOrder('#3')));
    await advance('P3D');
    const again = await call('create-order-api', create(givenOrder('#3')));
    expect([again.status, again.body]).toMatchObject([200, { id: first.body.id, state: 'cancelled' }]);
    const other = await call('create-order-api', create(givenOrder('#3', { total: eur(4_687), shipping: eur(334) })));
    expect([other.status, other.body]).toMatchObject([
      409,
      { code: 'conflicting_repeat', id: first.body.id, differs: ['shipping', 'total'] },
    ]);
  });

  test('Of concurrent requests with one reference, one creates the order, and its stock is reserved once', async ({ call, stockOf }) => {
    const replies = await Promise.all([1, 2, 3].map(() => call('create-order-api', create(givenOrder('#4')))));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect((await stockOf('espresso-cup'))['dc-01']?.[1]).toBe(2);
  });

  test('An order without stock is refused with its SKUs, and its reference is free again', async ({ call }) => {
    const sold = { lines: [{ sku: 'vase-sold-out', qty: 1, unitPrice: eur(4_353) }], discount: undefined };
    const { status, body } = await call('create-order-api', create(givenOrder('#5', sold)));
    expect([status, body]).toMatchObject([409, { code: 'insufficient_stock', skus: [{ sku: 'vase-sold-out', requested: 1 }] }]);
    expect((await call('create-order-api', create(givenOrder('#5')))).status).toBe(201);
  });

  test('A contact identifies the customer of the order', async ({ call, api }) => {
    const body = givenOrder('#6', { customerId: undefined, contact: { email: 'Ada@people.example' } });
    const created = await call('create-order-api', create(body));
    const fresh = await call(
      'create-order-api',
      create({ ...body, reference: { source: 'web-shop', id: '#7' }, contact: { email: 'new@people.example' } }),
    );
    expect([created.body.customerId, fresh.status]).toEqual(['cus_ada', 201]);
    expect(await api('get-customer-api', { params: { id: fresh.body.customerId } })).toMatchObject({
      state: 'identified',
      email: 'new@people.example',
    });
  });

  test('The goods of an order with given prices are collected in a store', async ({ call, stockAt }) => {
    const body = givenOrder('#8', { shippingAddress: undefined, collection: { locationId: 'store-01', person: 'Ben Collector' } });
    const created = await call('create-order-api', create(body));
    expect([created.status, created.body]).toMatchObject([
      201,
      { collection: { locationId: 'store-01', readyBy: '2026-03-02T12:00:00.000Z' } },
    ]);
    expect(created.body).not.toHaveProperty('shippingMethod');
    expect(await stockAt('mug-blue')).toMatchObject({ reserved: 3 });
  });

  test('An expired reservation is taken again by Confirm Order', async ({ api, advance, authorisation, stockOf }) => {
    const { id } = await api('create-order-api', create(givenOrder('#9')));
    await advance('PT16M');
    expect((await stockOf('mug-blue'))['dc-01']?.[1]).toBe(0);
    await authorisation(id);
    expect(await api('confirm-order-api', { params: { id } })).toMatchObject({ state: 'confirmed' });
    expect((await stockOf('mug-blue'))['dc-01']?.[1]).toBe(3);
  });

  test('Cancel Order releases the stock of the draft, and refunds a confirmed order in full', async ({
    api,
    cancel,
    authorisation,
    stockOf,
    paid,
    settle,
  }) => {
    const draft = await api('create-order-api', create(givenOrder('#10')));
    await cancel(draft.id);
    expect((await stockOf('mug-blue'))['dc-01']?.[1]).toBe(0);
    const { id } = await api('create-order-api', create(givenOrder('#11')));
    const payment = await authorisation(id);
    await api('capture-payment-api', { params: { id: payment.id } });
    await api('confirm-order-api', { params: { id } });
    await cancel(id);
    await settle();
    expect(await paid(id)).toEqual([['fully-refunded', 0]]);
  });
});

describe('Create Order refuses given prices', () => {
  const line = { sku: 'mug-blue', qty: 3, unitPrice: eur(1_000) };
  const rows: [string, object, string, RegExp][] = [
    ['a total that differs by one cent', { total: eur(4_685) }, '/total/amount', /are 46\.86 EUR/],
    ['a negative price', { lines: [{ ...line, unitPrice: eur(-1) }] }, '/lines/0/unitPrice/amount', /from 0 to/],
    ['more digits than the currency', { total: { amount: 46.86, currency: 'EUR' } }, '/total/amount', /1299 is 12\.99 EUR/],
    ['another currency', { shipping: { amount: 333, currency: 'GBP' } }, '/shipping/currency', /must be EUR/],
    ['an unknown SKU', { lines: [{ ...line, sku: 'nothing' }], discount: undefined, total: eur(3_333) }, '/lines/0/sku', /List Products/],
    [
      'a product that no customer has seen',
      { lines: [{ ...line, sku: 'rug-hall' }], discount: undefined, total: eur(3_333) },
      '/lines/0/sku',
      /List Products/,
    ],
    ['a SKU twice', { lines: [line, line] }, '/lines/1/sku', /one line/],
    ['a discount above its line', { lines: [{ ...line, discount: eur(3_001) }] }, '/lines/0/discount/amount', /are 30\.00 EUR/],
    ['a lineTotal that is not the sum', { lines: [{ ...line, lineTotal: eur(2_999) }] }, '/lines/0/lineTotal/amount', /are 30\.00 EUR/],
    ['a discount above all lines', { discount: eur(4_455) }, '/discount/amount', /at most/],
    [
      'a tax above its line',
      { lines: [{ ...line, tax: eur(3_001) }], discount: undefined, total: eur(3_333) },
      '/lines/0/tax/amount',
      /contained/,
    ],
    [
      'taxes that exceed the tax of the order',
      { lines: [{ ...line, tax: eur(877) }], discount: undefined, total: eur(3_333) },
      '/tax/amount',
      /8\.77 EUR/,
    ],
    ['a tax above the order', { tax: eur(4_687) }, '/tax/amount', /at most 46\.86 EUR/],
    [
      'an amount above all bounds',
      { lines: [{ sku: 'mug-blue', qty: 9_999, unitPrice: eur(999_999_999_999) }] },
      '/lines/0/unitPrice/amount',
      /Split/,
    ],
    ['no reference', { reference: undefined }, '/reference', /never creates it twice/],
    ['no priceSource', { priceSource: undefined }, '/priceSource', /given/],
    ['no total', { total: undefined }, '/total', /shipping/],
    ['no address', { shippingAddress: undefined }, '/shippingAddress', /collection/],
    ['an address and a store', { collection: { locationId: 'store-01' } }, '/collection', /not both/],
    [
      'a store without collection',
      { shippingAddress: undefined, collection: { locationId: 'dc-01' } },
      '/collection/locationId',
      /cannot collect/,
    ],
    ['a customer and a contact', { contact: { email: 'x@people.example' } }, '/contact', /not both/],
    ['a return that pays', { exchangeForReturnId: 'ret_1' }, '/exchangeForReturnId', /cannot be an exchange/],
    ['no line', { lines: [] }, '/lines', /./],
    ['more lines than a basket has', { lines: Array(201).fill(line) }, '/lines', /./],
  ];
  test.each(rows)('%s', async ({ call, stockOf }, _case, more, pointer, remedy) => {
    const { status, body } = await call('create-order-api', create(givenOrder('#20', more)));
    expect([status, body.errors?.[0]]).toMatchObject([422, { pointer, detail: expect.stringMatching(remedy) }]);
    expect((await stockOf('mug-blue'))['dc-01']?.[1]).toBe(0);
  });

  test('members of an order with lines for an order from a basket', async ({ call, checkedOut }) => {
    const { id: basketId } = await checkedOut();
    const { status, body } = await call('create-order-api', create({ basketId, total: eur(1), priceSource: 'given' }));
    expect([status, body.errors.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([422, ['/priceSource', '/total']]);
  });

  test.each([
    ['payAt', 'collection', /for a payment at the counter, create the order from a basket/],
    ['voucherCodes', ['WELCOME10'], /discounts in discount/],
    ['shortage', 'cancel', /come from other locations/],
    ['placeOrder', true, /Create Order creates the order/],
  ])('a member of a checkout, with what to do: %s', async ({ call, checkedOut }, member, value, remedy) => {
    const { id: basketId } = await checkedOut();
    const more = { [member]: value, unheard: 1 } as object;
    for (const order of [givenOrder('#22', more), { basketId, ...more }]) {
      const { status, body } = await call('create-order-api', create(order));
      expect([status, body.errors]).toMatchObject([
        422,
        [
          { pointer: '/unheard', code: 'unknown_member', detail: 'This member is unknown.' },
          { pointer: `/${member}`, code: 'unknown_member', detail: expect.stringMatching(remedy) },
        ],
      ]);
    }
  });

  test.each([
    ['reference', { source: 'web-shop', id: '#23' }, /give it to Create Order after the checkout/],
    ['total', eur(1), /Create Order with lines/],
  ])('a member of Create Order at a checkout, with what to do: %s', async ({ call, basket }, member, value, remedy) => {
    const { id } = await basket();
    const body = { shippingAddress: ADDRESS, [member]: value } as never;
    const refused = await call('checkout-basket-api', { params: { id }, body });
    expect([refused.status, refused.body.errors]).toMatchObject([422, [{ pointer: `/${member}`, detail: expect.stringMatching(remedy) }]]);
  });

  test('a blocked customer', async ({ call, control }) => {
    await control('move-customer-by-hand', { params: { id: 'cus_ada', verb: 'block' } });
    const { status, body } = await call('create-order-api', create(givenOrder('#21')));
    expect([status, body.code]).toEqual([409, 'customer_blocked']);
  });

  test('While the SIM is down nothing is stored, and the stock that it may have reserved is released', async ({
    call,
    fault,
    advance,
    stockOf,
    settle,
  }) => {
    await fault('lost', { match: { application: 'sim', api: 'reserve-inventory-api' }, fault: { kind: 'lost-response' }, times: 1 });
    const body = givenOrder('#22');
    const { status } = await call('create-order-api', create(body));
    expect(status).toBeGreaterThanOrEqual(500);
    await advance('PT31S');
    await settle();
    expect((await stockOf('mug-blue'))['dc-01']?.[1]).toBe(0);
    expect((await call('create-order-api', create(body))).status).toBe(201);
  });
});
