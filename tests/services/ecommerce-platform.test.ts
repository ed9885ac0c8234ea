import { describe, expect, test } from '@jest/globals';
import * as crm from '../../services/crm/service.ts';
import { checkoutIdOf, checkouts } from '../../services/ecommerce-platform/collections.ts';
import * as ecommercePlatform from '../../services/ecommerce-platform/service.ts';
import * as inventoryService from '../../services/inventory-service/service.ts';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import { voucherUses } from '../../services/promotion-engine/collections.ts';
import * as promotionEngine from '../../services/promotion-engine/service.ts';
import * as sim from '../../services/sim/service.ts';
import { convertBasket, getBasket } from '../../shared/catalog/commerce/internal.ts';
import { ADDRESS, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { type Inside, startInside } from '../support/inside.ts';

const CHECKOUT = { shippingAddress: ADDRESS };

interface Wanted {
  readonly sku: string;
  readonly qty: number;
}

/** A basket with the given lines; of `cus_ada` unless said otherwise. */
async function aBasket(
  rehearsal: TestRehearsal,
  { lines = [{ sku: 'mug-blue', qty: 2 }], ...rest }: { lines?: Wanted[]; customerId?: string } = {},
) {
  return rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', lines, ...rest } });
}

const checkout = (rehearsal: TestRehearsal, basketId: string, more: object = {}, options = {}) =>
  rehearsal.call('checkout-basket-api', { params: { id: basketId }, body: { ...CHECKOUT, ...more }, ...options });

/** Names of the events about an object, additional events included, oldest first. */
async function eventsOf(rehearsal: TestRehearsal, subject: string) {
  const events = await rehearsal.events({ subject, ext: true });
  return events.map(({ type, aggregateversion, data }) => [
    type.replace('com.unified-commerce.', ''),
    aggregateversion,
    data.previousState,
    data.object.state,
  ]);
}

/** Units of a SKU reserved over all locations. */
async function reserved(rehearsal: TestRehearsal, sku: string): Promise<number> {
  const { locations } = await rehearsal.api('get-inventory-api', { params: { sku } });
  return locations.reduce((sum: number, location: { reserved: number }) => sum + location.reserved, 0);
}

/** Waits until a fault has struck a call. */
const underWay = (rehearsal: TestRehearsal, fault: string) =>
  eventually(`the fault ${fault}`, async () => (await rehearsal.faults()).some(({ name, hits }) => name === fault && hits > 0));

const down = (application: string, api?: string) => ({
  match: api === undefined ? { application } : { application, api },
  fault: { kind: 'outage' as const },
});

describe('Get Product', () => {
  test('answers attributes, price, media and availability by id or SKU, without a credential', async () => {
    await using rehearsal = await newRehearsal();
    const bySku = await rehearsal.call('get-product-api', { params: { id: 'mug-blue' } });
    expect(bySku).toMatchObject({
      status: 200,
      headers: { etag: '"1"' },
      body: {
        id: 'prd_mug-blue',
        state: 'active',
        sku: 'mug-blue',
        price: { amount: 1299, currency: 'EUR' },
        taxRate: 23,
        attributes: { colour: 'blue' },
        media: [{ type: 'image' }],
        availability: { status: 'in-stock', atp: 2150 },
      },
    });
    const byId = await rehearsal.call('get-product-api', { params: { id: 'prd_mug-blue' } });
    expect(byId.body).toEqual(bySku.body);
  });

  test('says low for the last unit and out of stock without units', async () => {
    await using rehearsal = await newRehearsal();
    expect((await rehearsal.api('get-product-api', { params: { id: 'lamp-last-one' }, as: 'bearer' })).availability).toEqual({
      status: 'low',
      atp: 1,
    });
    expect((await rehearsal.api('get-product-api', { params: { id: 'vase-sold-out' }, as: 'bearer' })).availability).toEqual({
      status: 'out-of-stock',
      atp: 0,
    });
  });

  test('says unknown while the Inventory Service is down, and answers the rest of the product', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('no-stock', down('inventory-service'));
    const product = await rehearsal.call('get-product-api', { params: { id: 'mug-blue' }, as: 'bearer' });
    expect(product).toMatchObject({ status: 200, body: { sku: 'mug-blue', availability: { status: 'unknown' } } });
    expect(product.body.availability).not.toHaveProperty('atp');
  });

  test.each([
    ['chair-suspended', 'suspended'],
    ['calendar-wall', 'discontinued'],
  ])('shows %s although it is %s', async (sku, state) => {
    await using rehearsal = await newRehearsal();
    expect((await rehearsal.api('get-product-api', { params: { id: sku }, as: 'bearer' })).state).toBe(state);
  });

  test.each(['radio-draft', 'rug-hall', 'speaker-small', 'almanac-old', 'nothing-like-it'])('does not find %s', async (sku) => {
    await using rehearsal = await newRehearsal();
    expect(await rehearsal.call('get-product-api', { params: { id: sku }, as: 'bearer' })).toMatchObject({
      status: 404,
      body: { code: 'not_found', objectType: 'product', id: sku },
    });
  });
});

describe('Create Basket', () => {
  test('opens an empty basket for a customer and answers when it will be abandoned', async () => {
    await using rehearsal = await newRehearsal();
    const reply = await rehearsal.call('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada' } });
    expect(reply).toMatchObject({
      status: 201,
      headers: { etag: '"1"' },
      body: {
        state: 'open',
        version: 1,
        channel: 'web',
        currency: 'EUR',
        customerId: 'cus_ada',
        loyaltyAccountId: 'loy_ada',
        lines: [],
        vouchers: [],
        totals: { subtotal: { amount: 0, currency: 'EUR' }, total: { amount: 0 } },
      },
    });
    expect(Date.parse(reply.body.expiresAt) - Date.parse(reply.body.createdAt)).toBe(24 * 60 * 60 * 1_000);
    expect(await eventsOf(rehearsal, `basket/${reply.body.id}`)).toEqual([['basket-created', 1, undefined, 'open']]);
  });

  test('links a basket without customerId to an anonymous party at the CRM', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await rehearsal.api('create-basket-api', { body: { channel: 'app' } });
    expect(await rehearsal.object('customer', basket.customerId)).toMatchObject({ state: 'anonymous' });
  });

  test('prices the lines, one per SKU, with promotions and without shipping', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal, {
      lines: [
        { sku: 'mug-blue', qty: 1 },
        { sku: 'cushion-grey', qty: 2 },
        { sku: 'mug-blue', qty: 2 },
      ],
    });
    expect(basket).toMatchObject({
      promotionsStatus: 'available',
      lines: [
        { sku: 'mug-blue', qty: 3, unitPrice: { amount: 1299 }, discount: { amount: 0 }, lineTotal: { amount: 3897 } },
        { sku: 'cushion-grey', qty: 2, unitPrice: { amount: 2950 }, discount: { amount: 885 }, lineTotal: { amount: 5015 } },
      ],
      totals: { subtotal: { amount: 9797 }, discount: { amount: 885 }, shipping: { amount: 0 }, total: { amount: 8912 } },
    });
    expect(new Set(basket.lines.map(({ lineId }: { lineId: string }) => lineId)).size).toBe(2);
  });

  test('prices without promotions while the Promotion Engine is down, and says so', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('no-promotions', down('promotion-engine'));
    expect(await aBasket(rehearsal, { lines: [{ sku: 'cushion-grey', qty: 2 }] })).toMatchObject({
      promotionsStatus: 'unavailable',
      totals: { discount: { amount: 0 }, total: { amount: 5900 } },
    });
  });

  test('lets a blocked customer fill a basket: only orders are refused', async () => {
    await using rehearsal = await newRehearsal();
    expect(await aBasket(rehearsal, { customerId: 'cus_mallory' })).toMatchObject({ state: 'open', customerId: 'cus_mallory' });
  });

  test('merges the lines of open baskets into the new one', async () => {
    await using rehearsal = await newRehearsal();
    const first = await aBasket(rehearsal, { lines: [{ sku: 'mug-blue', qty: 2 }] });
    const second = await aBasket(rehearsal, {
      lines: [
        { sku: 'mug-green', qty: 1 },
        { sku: 'mug-blue', qty: 1 },
      ],
    });
    const basket = await rehearsal.api('create-basket-api', {
      body: {
        channel: 'app',
        customerId: 'cus_ada',
        lines: [{ sku: 'mug-green', qty: 1 }],
        mergeBasketIds: [first.id, second.id, first.id],
      },
    });
    expect(basket.lines).toMatchObject([
      { sku: 'mug-green', qty: 2 },
      { sku: 'mug-blue', qty: 3 },
    ]);
    expect(basket.totals.total.amount).toBe(5 * 1299);
    expect(await rehearsal.object('basket', first.id)).toMatchObject({
      state: 'merged',
      mergedInto: basket.id,
      lines: [],
      totals: { total: { amount: 0 } },
    });
    expect(await eventsOf(rehearsal, `basket/${second.id}`)).toEqual([
      ['basket-created', 1, undefined, 'open'],
      ['ext.basket-changed', 2, 'open', 'merged'],
    ]);
    const again = await rehearsal.call('create-basket-api', { body: { channel: 'web', mergeBasketIds: [first.id] } });
    expect(again).toMatchObject({
      status: 409,
      body: {
        code: 'invalid_state_transition',
        objectType: 'basket',
        id: first.id,
        currentState: 'merged',
        action: 'merge',
        allowedFrom: ['open'],
      },
    });
  });

  test.each<[string, { customerId?: string }]>([
    ['another registered customer', { customerId: 'cus_ben' }],
    ['a guest', {}],
  ])('Create Basket refuses to merge the basket of a registered customer for %s', async (_who, buyer) => {
    await using rehearsal = await newRehearsal();
    const guests = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    const adas = await aBasket(rehearsal);
    const reply = await rehearsal.call('create-basket-api', { body: { channel: 'web', ...buyer, mergeBasketIds: [guests.id, adas.id] } });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/mergeBasketIds/1', code: 'basket_of_another' }] } });
    expect(reply.body.detail).toBe(
      `The basket "${adas.id}" belongs to another registered customer. Leave it out, or name its customer in customerId.`,
    );
    expect(JSON.stringify(reply.body)).not.toContain('cus_');
    for (const { id } of [guests, adas]) expect(await rehearsal.object('basket', id)).toMatchObject({ state: 'open', version: 1 });
    const own = await rehearsal.api('create-basket-api', { body: { channel: 'web', ...buyer, mergeBasketIds: [guests.id] } });
    expect(own.lines).toMatchObject([{ sku: 'mug-blue', qty: 1 }]);
  });

  test('does not merge a basket in checkout, and then changes no other basket', async () => {
    await using rehearsal = await newRehearsal();
    const open = await aBasket(rehearsal);
    const locked = await aBasket(rehearsal);
    await checkout(rehearsal, locked.id);
    const reply = await rehearsal.call('create-basket-api', { body: { channel: 'web', mergeBasketIds: [open.id, locked.id] } });
    expect(reply).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', id: locked.id, currentState: 'locked' } });
    expect(await rehearsal.object('basket', open.id)).toMatchObject({ state: 'open', version: 1 });
  });

  test.each<[string, object, number, object]>([
    ['another currency', { currency: 'USD' }, 422, { code: 'validation_failed', errors: [{ pointer: '/currency' }] }],
    ['an unknown channel', { channel: 'pos' }, 422, { code: 'validation_failed', errors: [{ pointer: '/channel' }] }],
    ['no unit at all', { lines: [{ sku: 'mug-blue', qty: 0 }] }, 422, { errors: [{ pointer: '/lines/0/qty' }] }],
    [
      'more units of a SKU than a line takes',
      {
        lines: [
          { sku: 'mug-blue', qty: 9_999 },
          { sku: 'mug-blue', qty: 1 },
          { sku: 'mug-blue', qty: 5 },
        ],
      },
      422,
      { errors: [{ pointer: '/lines/1/qty', detail: 'mug-blue adds up to 10005 units; a line has at most 9999.' }] },
    ],
    ['an unknown member', { colour: 'blue' }, 422, { errors: [{ pointer: '/colour', code: 'unknown_member' }] }],
    ['an unknown customer', { customerId: 'cus_nobody' }, 404, { code: 'not_found', objectType: 'customer', id: 'cus_nobody' }],
    ['an unknown SKU', { lines: [{ sku: 'nothing', qty: 1 }] }, 404, { code: 'not_found', objectType: 'product', id: 'nothing' }],
    ['a draft product', { lines: [{ sku: 'radio-draft', qty: 1 }] }, 404, { code: 'not_found', id: 'radio-draft' }],
    [
      'a suspended product',
      { lines: [{ sku: 'chair-suspended', qty: 1 }] },
      409,
      {
        code: 'invalid_state_transition',
        objectType: 'product',
        currentState: 'suspended',
        action: 'sell',
        allowedFrom: ['active'],
        retryable: false,
      },
    ],
    [
      'a discontinued product',
      { lines: [{ sku: 'calendar-wall', qty: 1 }] },
      409,
      { currentState: 'discontinued', allowedFrom: ['active'] },
    ],
    ['an unknown basket to merge', { mergeBasketIds: ['bsk_none'] }, 404, { code: 'not_found', objectType: 'basket', id: 'bsk_none' }],
  ])('refuses %s and leaves no basket behind', async (_what, body, status, problem) => {
    await using rehearsal = await newRehearsal();
    expect(await rehearsal.call('create-basket-api', { body: { channel: 'web', ...body } })).toMatchObject({ status, body: problem });
    expect(await rehearsal.events({ type: 'basket-created' })).toEqual([]);
  });

  test('answers 503 while the CRM is down, since every basket has an owner', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('no-crm', down('crm'));
    expect(await rehearsal.call('create-basket-api', { body: { channel: 'web' } })).toMatchObject({
      status: 503,
      body: { code: 'dependency_unavailable', dependency: 'crm', retryable: true },
    });
    await rehearsal.noFaults();
    expect((await rehearsal.call('create-basket-api', { body: { channel: 'web' } })).status).toBe(201);
  });

  test('opens one basket for repeated requests with one Idempotency-Key', async () => {
    await using rehearsal = await newRehearsal();
    const body = { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] };
    const options = { headers: { 'idempotency-key': 'basket-1' } };
    const first = await rehearsal.call('create-basket-api', { body, ...options });
    const second = await rehearsal.call('create-basket-api', { body, ...options });
    expect(second).toMatchObject({ status: 201, body: first.body, headers: { 'idempotent-replayed': 'true' } });
    expect(await rehearsal.events({ type: 'basket-created' })).toHaveLength(1);
    expect(await rehearsal.call('create-basket-api', { body: { channel: 'app' }, ...options })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
  });
});

describe('Add Line to Basket', () => {
  const add = (rehearsal: TestRehearsal, basketId: string, sku: string, qty: number) =>
    rehearsal.call('add-line-to-basket-api', { params: { id: basketId }, body: { sku, qty } });

  test('adds a line or units of a line, and prices the basket again each time', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal, { lines: [] });
    expect(await add(rehearsal, basket.id, 'chocolate-dark', 2)).toMatchObject({
      status: 201,
      headers: { etag: '"2"' },
      body: { version: 2, lines: [{ sku: 'chocolate-dark', qty: 2, discount: { amount: 0 } }], totals: { total: { amount: 900 } } },
    });
    const again = await add(rehearsal, basket.id, 'chocolate-dark', 1);
    expect(again.body).toMatchObject({
      version: 3,
      lines: [{ qty: 3, discount: { amount: 450 }, lineTotal: { amount: 900 } }],
      totals: { subtotal: { amount: 1350 }, discount: { amount: 450 }, total: { amount: 900 } },
    });
    expect(await eventsOf(rehearsal, `basket/${basket.id}`)).toEqual([
      ['basket-created', 1, undefined, 'open'],
      ['ext.basket-changed', 2, 'open', 'open'],
      ['ext.basket-changed', 3, 'open', 'open'],
    ]);
  });

  test('keeps every unit of two concurrent requests', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal, { lines: [] });
    const replies = await Promise.all(Array.from({ length: 4 }, () => add(rehearsal, basket.id, 'mug-blue', 1)));
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ version: 5, lines: [{ qty: 4 }] });
  });

  test('refuses more units than the best single location has, including those already on the line', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal, { lines: [{ sku: 'desk-two-nodes', qty: 2 }] });
    expect(await add(rehearsal, basket.id, 'desk-two-nodes', 2)).toMatchObject({
      status: 409,
      body: { code: 'insufficient_stock', skus: [{ sku: 'desk-two-nodes', requested: 4, available: 3 }], retryable: false },
    });
    expect((await add(rehearsal, basket.id, 'desk-two-nodes', 1)).status).toBe(201);
    expect(await add(rehearsal, basket.id, 'vase-sold-out', 1)).toMatchObject({
      status: 409,
      body: { code: 'insufficient_stock', skus: [{ sku: 'vase-sold-out', requested: 1, available: 0 }] },
    });
  });

  test('skips the stock check while the Inventory Service is down: stock is held only at checkout', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal, { lines: [] });
    await rehearsal.fault('no-stock', down('inventory-service'));
    expect(await add(rehearsal, basket.id, 'vase-sold-out', 1)).toMatchObject({ status: 201, body: { lines: [{ qty: 1 }] } });
  });

  test.each<[string, string, number, number, object]>([
    ['an unknown SKU', 'nothing', 1, 404, { code: 'not_found', objectType: 'product' }],
    ['a draft product', 'radio-draft', 1, 404, { code: 'not_found' }],
    [
      'a suspended product',
      'chair-suspended',
      1,
      409,
      { code: 'invalid_state_transition', objectType: 'product', currentState: 'suspended' },
    ],
    ['more than a line takes', 'mug-blue', 9_998, 422, { code: 'validation_failed', errors: [{ pointer: '/qty' }] }],
  ])('refuses %s', async (_what, sku, qty, status, problem) => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    expect(await add(rehearsal, basket.id, sku, qty)).toMatchObject({ status, body: problem });
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ version: 1 });
  });

  test('is refused unless the basket is open', async () => {
    await using rehearsal = await newRehearsal();
    const locked = await aBasket(rehearsal);
    await checkout(rehearsal, locked.id);
    const converted = await aBasket(rehearsal);
    await checkout(rehearsal, converted.id);
    await rehearsal.draft(converted.id);
    const merged = await aBasket(rehearsal);
    await rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', mergeBasketIds: [merged.id] } });
    for (const [basket, currentState] of [
      [locked, 'locked'],
      [converted, 'converted'],
      [merged, 'merged'],
    ] as const) {
      expect(await add(rehearsal, basket.id, 'mug-blue', 1)).toMatchObject({
        status: 409,
        body: { code: 'invalid_state_transition', objectType: 'basket', currentState, action: 'add-line', allowedFrom: ['open'] },
      });
    }
    expect((await add(rehearsal, 'bsk_none', 'mug-blue', 1)).body).toMatchObject({ code: 'not_found', objectType: 'basket' });
  });

  test('respects If-Match', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    const body = { sku: 'mug-blue', qty: 1 };
    const path = `/baskets/${basket.id}/lines`;
    expect((await rehearsal.call('POST', path, body, { headers: { 'if-match': '"1"' } })).status).toBe(201);
    expect(await rehearsal.call('POST', path, body, { headers: { 'if-match': '"1"' } })).toMatchObject({
      status: 412,
      body: { code: 'version_mismatch', currentVersion: 2 },
    });
  });
});

describe('An idle basket', () => {
  test('is abandoned after 24 h; every change restarts the time', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal, { lines: [] });
    await rehearsal.advance('PT23H');
    await rehearsal.api('add-line-to-basket-api', { params: { id: basket.id }, body: { sku: 'mug-blue', qty: 1 } });
    await rehearsal.advance('PT23H');
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'open' });
    await rehearsal.advance('PT1H');
    const abandoned = await rehearsal.object('basket', basket.id);
    expect(abandoned).toMatchObject({ state: 'abandoned', version: 3 });
    expect(abandoned).not.toHaveProperty('expiresAt');
    expect((await eventsOf(rehearsal, `basket/${basket.id}`)).at(-1)).toEqual(['ext.basket-changed', 3, 'open', 'abandoned']);
    expect(await checkout(rehearsal, basket.id)).toMatchObject({
      status: 409,
      body: {
        code: 'invalid_state_transition',
        currentState: 'abandoned',
        action: 'checkout',
        allowedFrom: ['open', 'locked', 'converted'],
      },
    });
  });
});

describe('Checkout Basket', () => {
  test('locks the basket with the price of the documented example, holds its stock and starts the checkout', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    const reply = await checkout(rehearsal, basket.id, {}, { headers: { 'x-correlation-id': 'checkout-1' } });
    expect(reply).toMatchObject({
      status: 200,
      headers: { etag: '"2"' },
      body: {
        state: 'locked',
        version: 2,
        shippingAddress: ADDRESS,
        shippingMethod: 'STANDARD',
        vouchers: [],
        promotionsStatus: 'available',
        loyalty: { status: 'available', balance: 500 },
        totals: {
          subtotal: { amount: 2598 },
          discount: { amount: 0 },
          shipping: { amount: 490 },
          tax: { amount: 578 },
          total: { amount: 3088 },
        },
      },
    });
    expect(Date.parse(reply.body.expiresAt) - Date.parse(reply.body.updatedAt)).toBe(15 * 60 * 1_000);
    expect(await rehearsal.object('reservation', reply.body.reservationId)).toMatchObject({
      state: 'requested',
      basketId: basket.id,
      items: [{ sku: 'mug-blue', qty: 2 }],
      expiresAt: reply.body.expiresAt,
    });
    const events = await rehearsal.events({ correlationId: 'checkout-1' });
    expect(events.map(({ type }) => type.replace('com.unified-commerce.', ''))).toEqual([
      'inventory-reserved',
      'reservation-created',
      'checkout-started',
    ]);
    expect((await eventsOf(rehearsal, `basket/${basket.id}`)).at(-1)).toEqual(['checkout-started', 2, 'open', 'locked']);
    await rehearsal.verify();
  });

  test.each([
    ['STANDARD', 1, 490, 1789],
    ['EXPRESS', 1, 990, 2289],
    ['EXPRESS', 4, 0, 5196],
  ])('ships %s of %i mugs for %i', async (shippingMethod, qty, shipping, total) => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal, { lines: [{ sku: 'mug-blue', qty }] });
    expect((await checkout(rehearsal, basket.id, { shippingMethod })).body).toMatchObject({
      shippingMethod,
      totals: { shipping: { amount: shipping }, total: { amount: total } },
    });
  });

  test('repeated answers the same locked or converted basket and changes nothing', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    const locked = await checkout(rehearsal, basket.id);
    const repeat = await checkout(rehearsal, basket.id, { shippingMethod: 'STANDARD', voucherCodes: [] });
    expect(repeat).toMatchObject({ status: 200, body: locked.body });
    const order = await rehearsal.draft(basket.id);
    const afterwards = await checkout(rehearsal, basket.id);
    expect(afterwards).toMatchObject({ status: 200, body: { state: 'converted', orderId: order.id, totals: locked.body.totals } });
    expect(await rehearsal.events({ type: 'checkout-started' })).toHaveLength(1);
    expect(await rehearsal.events({ type: 'inventory-reserved' })).toHaveLength(1);
  });

  test('refuses an empty basket, an unknown basket, a missing address and an unknown customer', async () => {
    await using rehearsal = await newRehearsal();
    const empty = await aBasket(rehearsal, { lines: [] });
    expect(await checkout(rehearsal, empty.id)).toMatchObject({
      status: 409,
      body: { code: 'basket_empty', objectType: 'basket', id: empty.id },
    });
    expect(await checkout(rehearsal, 'bsk_none')).toMatchObject({ status: 404, body: { code: 'not_found', objectType: 'basket' } });
    const basket = await aBasket(rehearsal);
    expect(await rehearsal.call('checkout-basket-api', { params: { id: basket.id }, body: {} })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/shippingAddress', code: 'required' }] },
    });
    expect(await checkout(rehearsal, basket.id, { customerId: 'cus_nobody' })).toMatchObject({
      status: 404,
      body: { objectType: 'customer', id: 'cus_nobody' },
    });
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'open', version: 1 });
    expect(await reserved(rehearsal, 'mug-blue')).toBe(0);
  });

  test('names every short SKU, holds nothing, gives voucher uses back and leaves the basket open', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal, {
      lines: [
        { sku: 'mug-blue', qty: 1 },
        { sku: 'vase-sold-out', qty: 1 },
        { sku: 'desk-two-nodes', qty: 4 },
      ],
    });
    const reply = await checkout(rehearsal, basket.id, { voucherCodes: ['WELCOME10'] });
    expect(reply).toMatchObject({ status: 409, body: { code: 'insufficient_stock', retryable: false } });
    expect(reply.body.skus).toEqual(
      expect.arrayContaining([
        { sku: 'vase-sold-out', requested: 1, available: 0 },
        { sku: 'desk-two-nodes', requested: 4, available: 3 },
      ]),
    );
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'open', version: 1 });
    expect(await reserved(rehearsal, 'mug-blue')).toBe(0);
    expect(await rehearsal.events({ type: 'checkout-started' })).toEqual([]);
    await rehearsal.verify();
  });

  test('gives the last unit to exactly one of several baskets', async () => {
    await using rehearsal = await newRehearsal();
    const baskets = await Promise.all(Array.from({ length: 4 }, () => aBasket(rehearsal, { lines: [{ sku: 'lamp-last-one', qty: 1 }] })));
    const replies = await Promise.all(baskets.map(({ id }) => checkout(rehearsal, id)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    expect(await reserved(rehearsal, 'lamp-last-one')).toBe(1);
    await rehearsal.verify();
  });

  test('sent concurrently for one basket makes one hold and locks the basket once', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('together', { match: { api: 'checkout-basket-api' }, fault: { kind: 'barrier', parties: 4 }, times: 4 });
    const replies = await Promise.all(Array.from({ length: 4 }, () => checkout(rehearsal, basket.id)));
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused.length).toBeLessThan(4);
    for (const reply of refused) {
      expect(reply).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', retryable: true, currentState: 'open' } });
    }
    const locked = await checkout(rehearsal, basket.id);
    expect(locked).toMatchObject({ status: 200, body: { state: 'locked', version: 2 } });
    expect(await rehearsal.object('reservation', locked.body.reservationId)).toMatchObject({ state: 'requested' });
    expect(await reserved(rehearsal, 'mug-blue')).toBe(2);
    expect(await rehearsal.events({ type: 'checkout-started' })).toHaveLength(1);
    expect(await rehearsal.events({ type: 'reservation-created' })).toHaveLength(1);
    await rehearsal.verify();
  });

  test('holds the current lines when a line is added meanwhile', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('slow-hold', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'latency', ms: 400 }, times: 1 });
    const running = checkout(rehearsal, basket.id);
    await underWay(rehearsal, 'slow-hold');
    await rehearsal.api('add-line-to-basket-api', { params: { id: basket.id }, body: { sku: 'mug-green', qty: 1 } });
    const locked = await running;
    expect(locked).toMatchObject({ status: 200, body: { state: 'locked', lines: [{ sku: 'mug-blue' }, { sku: 'mug-green' }] } });
    expect(await rehearsal.object('reservation', locked.body.reservationId)).toMatchObject({
      state: 'requested',
      items: [
        { sku: 'mug-blue', qty: 2 },
        { sku: 'mug-green', qty: 1 },
      ],
    });
    expect(await reserved(rehearsal, 'mug-blue')).toBe(2);
    expect(await reserved(rehearsal, 'mug-green')).toBe(1);
    await rehearsal.verify();
  });

  test('gives the hold back when the basket is merged into another meanwhile', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('slow-hold', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'latency', ms: 1_500 }, times: 1 });
    const running = checkout(rehearsal, basket.id);
    await underWay(rehearsal, 'slow-hold');
    await rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', mergeBasketIds: [basket.id] } });
    expect(await running).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', currentState: 'merged' } });
    expect(await reserved(rehearsal, 'mug-blue')).toBe(0);
    await rehearsal.verify();
  });

  test('answers 503 while the SIM is down and succeeds when it is back', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('no-sim', down('sim'));
    const options = { headers: { 'idempotency-key': 'checkout-503' } };
    expect(await checkout(rehearsal, basket.id, {}, options)).toMatchObject({
      status: 503,
      body: { code: 'dependency_unavailable', dependency: 'sim', retryable: true },
    });
    await rehearsal.settle();
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'open', version: 1 });
    await rehearsal.noFaults();
    expect(await checkout(rehearsal, basket.id, {}, options)).toMatchObject({ status: 200, body: { state: 'locked' } });
    await rehearsal.verify();
  });

  test('finds its hold again when the answer of the SIM was lost once', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('lost', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'lost-response' }, times: 1 });
    expect(await checkout(rehearsal, basket.id)).toMatchObject({ status: 200, body: { state: 'locked' } });
    expect(await rehearsal.events({ type: 'reservation-created' })).toHaveLength(1);
    expect(await reserved(rehearsal, 'mug-blue')).toBe(2);
  });

  test('leaves the basket open when the answer of the SIM stays lost; the next checkout replaces that hold', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('lost', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'lost-response' } });
    expect(await checkout(rehearsal, basket.id)).toMatchObject({ status: 504, body: { code: 'dependency_timeout', dependency: 'sim' } });
    await rehearsal.noFaults();
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'open' });
    const locked = await checkout(rehearsal, basket.id);
    expect(locked).toMatchObject({ status: 200, body: { state: 'locked' } });
    expect(await reserved(rehearsal, 'mug-blue')).toBe(2);
    expect(await rehearsal.object('reservation', locked.body.reservationId)).toMatchObject({ state: 'requested' });
    await rehearsal.verify();
  });
});

describe('The customer at checkout', () => {
  test('is identified by contact when the basket was anonymous', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    const locked = await checkout(rehearsal, basket.id, { contact: { email: 'New.Face@people.example' } });
    expect(locked).toMatchObject({ status: 200, body: { customerId: basket.customerId, loyalty: { status: 'none' } } });
    expect(await rehearsal.object('customer', basket.customerId)).toMatchObject({ state: 'identified', email: 'new.face@people.example' });
  });

  test('is the registered customer with the given e-mail address or loyalty card', async () => {
    await using rehearsal = await newRehearsal();
    const card = (await rehearsal.object('loyalty-account', 'loy_ada')).cardNumber;
    for (const contact of [{ email: 'ada@people.example' }, { loyaltyCard: card }]) {
      const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
      expect((await checkout(rehearsal, basket.id, { contact })).body).toMatchObject({
        customerId: 'cus_ada',
        loyaltyAccountId: 'loy_ada',
        loyalty: { status: 'available', balance: 500 },
      });
    }
  });

  test('with a card that cannot be read is a guest without known points; a repeat reads the card again', async () => {
    await using rehearsal = await newRehearsal();
    const { cardNumber: loyaltyCard } = await rehearsal.object('loyalty-account', 'loy_ada');
    const contact = { email: 'new.face@people.example', loyaltyCard };
    const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    const placed = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    await rehearsal.fault('no-loyalty', down('loyalty-platform'));
    const unread = { customerId: basket.customerId, loyalty: { status: 'unavailable' } };
    const locked = await checkout(rehearsal, basket.id, { contact });
    expect(locked).toMatchObject({ status: 200, body: unread });
    expect((await checkout(rehearsal, basket.id, { contact })).body).toMatchObject(unread);
    expect((await checkout(rehearsal, basket.id, { shippingMethod: 'EXPRESS' })).body).toMatchObject({
      shippingMethod: 'EXPRESS',
      ...unread,
    });
    const ordered = await checkout(rehearsal, placed.id, { contact, placeOrder: true });
    expect(ordered.body).toMatchObject({ state: 'converted', loyalty: { status: 'unavailable' } });
    await rehearsal.noFaults();
    const identified = await checkout(rehearsal, basket.id, { contact });
    expect(identified.body).toMatchObject({
      ...{ customerId: 'cus_ada', loyaltyAccountId: 'loy_ada', loyalty: { status: 'available', balance: 500 } },
      ...{ reservationId: locked.body.reservationId, expiresAt: locked.body.expiresAt },
    });
    expect(await checkout(rehearsal, basket.id, { contact })).toMatchObject({ status: 200, body: identified.body });
    expect(await checkout(rehearsal, placed.id, { contact, placeOrder: true })).toMatchObject({ status: 200, body: ordered.body });
    await rehearsal.verify();
  });

  test('is the customer of customerId; contact changes no registered customer', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    const locked = await checkout(rehearsal, basket.id, { customerId: 'cus_ben', contact: { email: 'other@people.example' } });
    expect(locked.body).toMatchObject({ customerId: 'cus_ben', loyalty: { status: 'none' } });
    expect(locked.body).not.toHaveProperty('loyaltyAccountId');
    expect((await rehearsal.object('customer', 'cus_ben')).email).not.toBe('other@people.example');
  });

  test.each([false, true])('is refused before stock is held when blocked (placeOrder %s)', async (placeOrder) => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal, { customerId: 'cus_mallory' });
    expect(await checkout(rehearsal, basket.id, { placeOrder, voucherCodes: ['WELCOME10'] })).toMatchObject({
      status: 409,
      body: { code: 'customer_blocked', objectType: 'customer', id: 'cus_mallory', retryable: false },
    });
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'open', version: 1 });
    expect(await reserved(rehearsal, 'mug-blue')).toBe(0);
    expect(await rehearsal.events({ type: 'inventory-reserved' })).toEqual([]);
  });

  test('is not looked up while the CRM is down, unless the request names contact', async () => {
    await using rehearsal = await newRehearsal();
    const named = await aBasket(rehearsal, { customerId: 'cus_ben' });
    const member = await aBasket(rehearsal);
    await rehearsal.fault('no-crm', down('crm'));
    expect(await checkout(rehearsal, named.id, { customerId: 'cus_ada' })).toMatchObject({ status: 503, body: { dependency: 'crm' } });
    expect(await checkout(rehearsal, named.id, { contact: { email: 'a@people.example' } })).toMatchObject({ status: 503 });
    expect(await checkout(rehearsal, named.id, { placeOrder: true })).toMatchObject({ status: 503 });
    expect((await checkout(rehearsal, named.id)).body).toMatchObject({
      state: 'locked',
      customerId: 'cus_ben',
      loyalty: { status: 'unavailable' },
    });
    expect((await checkout(rehearsal, member.id)).body).toMatchObject({ loyalty: { status: 'available', balance: 500 } });
  });
});

describe('Points at checkout', () => {
  test.each([
    ['down', { kind: 'outage' as const }],
    ['too slow', { kind: 'latency' as const, ms: 60_000 }],
  ])('are left out while the Loyalty Platform is %s, and checkout continues', async (_what, fault) => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('no-loyalty', { match: { application: 'loyalty-platform' }, fault });
    const started = Date.now();
    const locked = await checkout(rehearsal, basket.id);
    expect(Date.now() - started).toBeLessThan(40_000);
    expect(locked).toMatchObject({
      status: 200,
      body: { state: 'locked', loyaltyAccountId: 'loy_ada', loyalty: { status: 'unavailable' } },
    });
    expect(locked.body.loyalty).not.toHaveProperty('balance');
  });

  test('are none for a customer without membership', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal, { customerId: 'cus_ben' });
    expect((await checkout(rehearsal, basket.id)).body.loyalty).toEqual({ status: 'none' });
  });

  test('lower the price for a gold member: the tier is known from checkout on', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal, { customerId: 'cus_dmitri' });
    expect(basket.totals.discount.amount).toBe(0);
    const locked = await checkout(rehearsal, basket.id, { voucherCodes: ['VIP'] });
    expect(locked.body.vouchers).toMatchObject([{ code: 'VIP', status: 'applied' }]);
    expect(locked.body.totals.discount.amount).toBeGreaterThan(Math.round(2598 * 0.2));
  });
});

describe('Vouchers at checkout', () => {
  test('lower the price, and lines and totals add up', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    const { body } = await checkout(rehearsal, basket.id, { voucherCodes: ['welcome10', 'WELCOME10'] });
    expect(body).toMatchObject({
      vouchers: [{ code: 'WELCOME10', status: 'applied', discount: { amount: 260 } }],
      lines: [{ discount: { amount: 260 }, lineTotal: { amount: 2338 } }],
      totals: { subtotal: { amount: 2598 }, discount: { amount: 260 }, shipping: { amount: 490 }, total: { amount: 2828 } },
    });
  });

  test.each([
    ['EXPIRED', 'voucher_expired'],
    ['DISABLED', 'voucher_disabled'],
    ['USEDUP', 'quantity_exceeded'],
    ['MIN100', 'order_rules_violated'],
    ['VIP', 'customer_rules_violated'],
    ['NOSUCH', 'not_found'],
  ])('do not fail a checkout: %s is rejected as %s and takes nothing off, and the others apply', async (code, reason) => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    const { status, body } = await checkout(rehearsal, basket.id, { voucherCodes: [code, 'WELCOME10'] });
    expect(status).toBe(200);
    expect(body.vouchers).toEqual([
      { code, status: 'rejected', reason, discount: { amount: 0, currency: 'EUR' } },
      { code: 'WELCOME10', status: 'applied', discount: { amount: 260, currency: 'EUR' } },
    ]);
    expect(body.totals.total.amount).toBe(2598 - 260 + 490);
  });

  test('in another order at a repeat are applied in that order', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'headphones', qty: 1 }] } });
    const totalWith = async (voucherCodes: string[]): Promise<number> =>
      (await checkout(rehearsal, basket.id, { voucherCodes })).body.totals.total.amount;
    const first = await totalWith(['WELCOME10', 'MIN100']);
    const other = await totalWith(['MIN100', 'WELCOME10']);
    expect(other).not.toBe(first);
    expect(await totalWith(['WELCOME10', 'MIN100'])).toBe(first);
    await rehearsal.verify();
  });

  test('fail a checkout with 503 while the Promotion Engine is down; without codes it continues at full price', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('no-promotions', down('promotion-engine'));
    expect(await checkout(rehearsal, basket.id, { voucherCodes: ['WELCOME10'] })).toMatchObject({
      status: 503,
      body: { code: 'dependency_unavailable', dependency: 'promotion-engine' },
    });
    expect(await reserved(rehearsal, 'mug-blue')).toBe(0);
    expect(await checkout(rehearsal, basket.id)).toMatchObject({
      status: 200,
      body: { promotionsStatus: 'unavailable', totals: { discount: { amount: 0 }, total: { amount: 3088 } } },
    });
  });

  test('that cannot be locked give stock and uses back, at once or when the applications are back', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('no-uses', down('promotion-engine', 'record-voucher-use'));
    expect(await checkout(rehearsal, basket.id, { voucherCodes: ['WELCOME10'] })).toMatchObject({
      status: 503,
      body: { dependency: 'promotion-engine' },
    });
    expect(await reserved(rehearsal, 'mug-blue')).toBe(0);
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'open', version: 1 });
    expect(await checkout(rehearsal, basket.id)).toMatchObject({
      status: 409,
      body: { code: 'invalid_state_transition', retryable: true },
    });
    await rehearsal.noFaults();
    await rehearsal.advance('PT1M');
    expect(await checkout(rehearsal, basket.id, { voucherCodes: ['WELCOME10'] })).toMatchObject({ status: 200, body: { state: 'locked' } });
    await rehearsal.verify();
  });

  test('that could not be locked are locked by a retry of the same request, with stock held', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('no-use', {
      match: { api: 'record-voucher-use' },
      fault: { kind: 'status', status: 503, code: 'dependency_unavailable' },
      times: 1,
    });
    const send = () => checkout(rehearsal, basket.id, { voucherCodes: ['WELCOME10'] }, { headers: { 'idempotency-key': 'twice' } });
    expect((await send()).status).toBe(503);
    const locked = await send();
    expect(locked).toMatchObject({ status: 200, body: { state: 'locked', vouchers: [{ status: 'applied' }] } });
    expect(await rehearsal.object('reservation', locked.body.reservationId)).toMatchObject({ state: 'requested' });
    expect(await reserved(rehearsal, 'mug-blue')).toBe(2);
    await rehearsal.verify();
  });

  test('are locked once when the answer of the Promotion Engine was lost', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('lost', { match: { api: 'record-voucher-use' }, fault: { kind: 'lost-response' }, times: 1 });
    expect(await checkout(rehearsal, basket.id, { voucherCodes: ['WELCOME10'] })).toMatchObject({
      status: 200,
      body: { vouchers: [{ status: 'applied' }] },
    });
  });
});

describe('A checkout without an order', () => {
  test('reopens after 15 minutes: its hold expires, its voucher use is released, its price is that of an open basket', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.client.control('set-clock', { body: { flowing: false } });
    const locked = await checkout(rehearsal, basket.id, { voucherCodes: ['WELCOME10'] });
    await rehearsal.advance('PT14M59S');
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'locked' });
    await rehearsal.advance('PT1S');
    const open = await rehearsal.object('basket', basket.id);
    expect(open).toMatchObject({
      state: 'open',
      vouchers: [],
      totals: { discount: { amount: 0 }, shipping: { amount: 0 }, total: { amount: 2598 } },
    });
    expect(open).not.toHaveProperty('reservationId');
    expect(open).not.toHaveProperty('shippingMethod');
    expect(Date.parse(open.expiresAt) - Date.parse(open.updatedAt)).toBe(24 * 60 * 60 * 1_000);
    expect(await rehearsal.object('reservation', locked.body.reservationId)).toMatchObject({ state: 'expired' });
    expect(await reserved(rehearsal, 'mug-blue')).toBe(0);
    expect((await eventsOf(rehearsal, `basket/${basket.id}`)).at(-1)).toEqual(['ext.basket-changed', 3, 'locked', 'open']);
    expect(await rehearsal.call('create-order-api', { body: { basketId: basket.id } })).toMatchObject({
      status: 409,
      body: { code: 'invalid_state_transition', currentState: 'open', allowedFrom: ['locked', 'converted'] },
    });
    const again = await checkout(rehearsal, basket.id, { voucherCodes: ['WELCOME10'] });
    expect(again).toMatchObject({ status: 200, body: { state: 'locked', vouchers: [{ status: 'applied' }] } });
    expect(again.body.reservationId).not.toBe(locked.body.reservationId);
    await rehearsal.verify();
  });

  test('reopens while the Promotion Engine is down, and gives the use back when it is up', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await checkout(rehearsal, basket.id, { voucherCodes: ['WELCOME10'] });
    await rehearsal.fault('no-promotions', down('promotion-engine'));
    await rehearsal.advance('PT15M');
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'open', promotionsStatus: 'unavailable', vouchers: [] });
    await rehearsal.noFaults();
    await rehearsal.advance('PT5M');
    expect((await checkout(rehearsal, basket.id)).status).toBe(200);
  });

  test('is idle after it reopens and abandoned a day later', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await checkout(rehearsal, basket.id);
    await rehearsal.advance('PT24H');
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'open' });
    await rehearsal.advance('PT15M');
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'abandoned' });
  });

  test('keeps its price at any time once an order exists', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    const locked = await checkout(rehearsal, basket.id);
    const order = await rehearsal.draft(basket.id);
    await rehearsal.advance('PT16M');
    const converted = await rehearsal.object('basket', basket.id);
    expect(converted).toMatchObject({ state: 'converted', version: 3, orderId: order.id, totals: locked.body.totals });
    expect(converted).not.toHaveProperty('expiresAt');
    expect((await eventsOf(rehearsal, `basket/${basket.id}`)).at(-1)).toEqual(['ext.basket-changed', 3, 'locked', 'converted']);
  });
});

describe('Checkout that places the order', () => {
  test('converts the basket and answers with the stored order of the OMS', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    const placed = await checkout(rehearsal, basket.id, { placeOrder: true, voucherCodes: ['WELCOME10'] });
    expect(placed).toMatchObject({ status: 200, body: { state: 'converted', version: 3 } });
    expect(await rehearsal.order(placed.body.orderId)).toMatchObject({
      state: 'draft',
      basketId: basket.id,
      customerId: 'cus_ada',
      totals: placed.body.totals,
      lines: [{ sku: 'mug-blue', qty: 2, reservationId: placed.body.reservationId }],
    });
    expect((await eventsOf(rehearsal, `basket/${basket.id}`)).slice(1)).toEqual([
      ['checkout-started', 2, 'open', 'locked'],
      ['ext.basket-changed', 3, 'locked', 'converted'],
    ]);
    const repeat = await checkout(rehearsal, basket.id, { placeOrder: true });
    expect(repeat).toMatchObject({ status: 200, body: placed.body });
    expect(await rehearsal.events({ type: 'order-created' })).toHaveLength(1);
    await rehearsal.verify();
  });

  test('places the order of a basket that is already in checkout', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    const locked = await checkout(rehearsal, basket.id);
    const placed = await checkout(rehearsal, basket.id, { placeOrder: true });
    expect(placed).toMatchObject({ status: 200, body: { state: 'converted', totals: locked.body.totals } });
    expect(await rehearsal.order(placed.body.orderId)).toMatchObject({ state: 'draft' });
  });

  test('answers with an order that a client made by Create Order', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await checkout(rehearsal, basket.id);
    const order = await rehearsal.draft(basket.id);
    expect(await checkout(rehearsal, basket.id, { placeOrder: true })).toMatchObject({ status: 200, body: { orderId: order.id } });
  });

  test('refuses a customer blocked meanwhile and leaves the basket in checkout', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal, { customerId: 'cus_ada' });
    await checkout(rehearsal, basket.id);
    await rehearsal.client.control('move-customer-by-hand', { params: { id: 'cus_ada', verb: 'block' } });
    expect(await checkout(rehearsal, basket.id, { placeOrder: true })).toMatchObject({ status: 409, body: { code: 'customer_blocked' } });
    expect(await rehearsal.object('basket', basket.id)).toMatchObject({ state: 'locked' });
  });

  test('answers 503 while the OMS is down; the order is placed later, and a repeat answers 200 with it', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('no-oms', down('oms'));
    const options = { headers: { 'idempotency-key': 'place-1' } };
    expect(await checkout(rehearsal, basket.id, { placeOrder: true }, options)).toMatchObject({
      status: 503,
      body: { code: 'dependency_unavailable', dependency: 'oms', retryable: true },
    });
    const { orderId } = await rehearsal.object('basket', basket.id);
    expect(orderId).toMatch(/^ord_/);
    expect(await checkout(rehearsal, basket.id, { placeOrder: true })).toMatchObject({ status: 503, body: { dependency: 'oms' } });
    await rehearsal.noFaults();
    await rehearsal.advance('PT5S');
    expect(await rehearsal.order(orderId)).toMatchObject({ id: orderId, state: 'draft' });
    expect(await checkout(rehearsal, basket.id, { placeOrder: true }, options)).toMatchObject({
      status: 200,
      body: { state: 'converted', orderId },
    });
    expect(await rehearsal.events({ type: 'order-created' })).toHaveLength(1);
    await rehearsal.verify();
  });

  test('makes one order when the answer of the OMS was lost, and the repeat answers with it', async () => {
    await using rehearsal = await newRehearsal();
    const basket = await aBasket(rehearsal);
    await rehearsal.fault('lost', { match: { api: 'create-order-api' }, fault: { kind: 'lost-response' }, times: 1 });
    expect(await checkout(rehearsal, basket.id, { placeOrder: true })).toMatchObject({ status: 504, body: { dependency: 'oms' } });
    const repeat = await checkout(rehearsal, basket.id, { placeOrder: true });
    expect(repeat).toMatchObject({ status: 200, body: { state: 'converted' } });
    expect(await rehearsal.order(repeat.body.orderId)).toMatchObject({ state: 'draft' });
    await rehearsal.advance('PT1M');
    expect(await rehearsal.events({ type: 'order-created' })).toHaveLength(1);
    await rehearsal.verify();
  });
});

describe('Calls from inside the estate', () => {
  test('to Get Basket answer lines and totals, or 404', async () => {
    await using inside = await startInside(ecommercePlatform, crm);
    const { body } = await inside.call('POST', '/baskets', { channel: 'web', lines: [{ sku: 'mug-blue', qty: 2 }] });
    expect(await inside.as('sim')(getBasket, { params: { id: body.id } })).toEqual(body);
    await expect(inside.as('sim')(getBasket, { params: { id: 'bsk_none' } })).rejects.toMatchObject({
      code: 'not_found',
      context: { objectType: 'basket', id: 'bsk_none' },
    });
  });

  test('to Convert Basket are refused for a basket that is not in checkout and for an unknown one', async () => {
    await using inside = await startInside(ecommercePlatform, crm);
    const { body } = await inside.call('POST', '/baskets', { channel: 'web', lines: [{ sku: 'mug-blue', qty: 2 }] });
    await expect(inside.as('oms')(convertBasket, { params: { id: body.id }, body: { orderId: 'ord_1' } })).rejects.toMatchObject({
      code: 'invalid_state_transition',
      context: { currentState: 'open', action: 'convert', allowedFrom: ['locked', 'converted'] },
    });
    await expect(inside.as('oms')(convertBasket, { params: { id: 'bsk_none' }, body: { orderId: 'ord_1' } })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

/** Counters of the Promotion Engine that no API shows. */
describe('The uses of a voucher', () => {
  const shop = () => startInside(ecommercePlatform, crm, sim, inventoryService, promotionEngine, loyaltyPlatform);
  const used = (inside: Inside, code: string) => inside.counters('promotion-engine', voucherUses.name, code);
  const basketOf = async (inside: Inside, lines: Wanted[]): Promise<string> =>
    (await inside.call('POST', '/baskets', { channel: 'web', customerId: 'cus_ben', lines })).body.id;
  const checkOut = (inside: Inside, id: string, voucherCodes: string[]) =>
    inside.call('POST', `/baskets/${id}/checkout`, { ...CHECKOUT, voucherCodes });
  const MINUTE = 60_000;

  test('are taken once at checkout and given back when the basket reopens', async () => {
    await using inside = await shop();
    const id = await basketOf(inside, [{ sku: 'mug-blue', qty: 2 }]);
    await checkOut(inside, id, ['WELCOME10']);
    await checkOut(inside, id, ['WELCOME10']);
    expect(await used(inside, 'WELCOME10')).toMatchObject({ used: 1 });
    await inside.advance(15 * MINUTE);
    expect(await used(inside, 'WELCOME10')).toMatchObject({ used: 0 });
  });

  test('are given back when a later step fails and when the answer stays lost', async () => {
    await using inside = await shop();
    const id = await basketOf(inside, [{ sku: 'mug-blue', qty: 2 }]);
    await inside.fault('lost', { match: { api: 'record-voucher-use' }, fault: { kind: 'lost-response', as: 'timeout' }, times: 3 });
    expect(await checkOut(inside, id, ['WELCOME10'])).toMatchObject({ status: 504 });
    await inside.advance(MINUTE);
    expect(await used(inside, 'WELCOME10')).toMatchObject({ used: 0 });
    expect(await checkOut(inside, id, ['WELCOME10'])).toMatchObject({ status: 200 });
    expect(await used(inside, 'WELCOME10')).toMatchObject({ used: 1 });
  });

  test('go to one of two checkouts when one use is left; the other pays the full price', async () => {
    await using inside = await shop();
    await inside.commitAs('promotion-engine', async (work) => {
      const [{ left } = { left: 0 }] = await work.counters(voucherUses, ['MIN100']);
      work.move(voucherUses, 'MIN100', { left: 1 - left });
    });
    const lines = [{ sku: 'shelf-wall', qty: 2 }];
    const ids = [await basketOf(inside, lines), await basketOf(inside, lines)];
    await inside.fault('together', { match: { api: 'record-voucher-use' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
    const replies = await Promise.all(ids.map((id) => checkOut(inside, id, ['MIN100', 'WELCOME10'])));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const [winner, loser] = replies.map(({ body }) => body).sort((a, b) => a.totals.total.amount - b.totals.total.amount);
    expect(winner.vouchers).toMatchObject([
      { code: 'MIN100', status: 'applied', discount: { amount: 1500 } },
      { code: 'WELCOME10', status: 'applied' },
    ]);
    expect(loser).toMatchObject({
      vouchers: [
        { code: 'MIN100', status: 'rejected', reason: 'quantity_exceeded', discount: { amount: 0 } },
        { code: 'WELCOME10', status: 'applied', discount: { amount: 1380 } },
      ],
      totals: { subtotal: { amount: 13_800 }, discount: { amount: 1380 }, total: { amount: 12_420 } },
    });
    expect(await used(inside, 'MIN100')).toMatchObject({ left: 0 });
    expect(await used(inside, 'WELCOME10')).toMatchObject({ used: 2 });
  });

  test('taken as the last one by this basket still count for it when it is priced again without a rejected voucher', async () => {
    await using inside = await shop();
    await inside.commitAs('promotion-engine', async (work) => {
      const [min100 = { left: 0 }, usedUp = { left: 0 }] = await work.counters(voucherUses, ['MIN100', 'USEDUP']);
      work.move(voucherUses, 'MIN100', { left: 1 - min100.left });
      work.move(voucherUses, 'USEDUP', { left: 1 - usedUp.left });
    });
    const lines = [{ sku: 'shelf-wall', qty: 2 }];
    const [slow, fast] = [await basketOf(inside, lines), await basketOf(inside, lines)];
    await inside.fault('slow', { match: { api: 'record-voucher-use' }, fault: { kind: 'latency', ms: 600 }, times: 1 });
    const running = checkOut(inside, slow, ['MIN100', 'USEDUP']);
    await eventually('the first checkout reaches its vouchers', async () =>
      inside.stored('ecommerce-platform', checkouts, checkoutIdOf(slow)).then(
        ({ vouchers }) => vouchers,
        () => false,
      ),
    );
    expect((await checkOut(inside, fast, ['USEDUP'])).body.vouchers).toMatchObject([{ code: 'USEDUP', status: 'applied' }]);
    expect((await running).body).toMatchObject({
      vouchers: [
        { code: 'MIN100', status: 'applied', discount: { amount: 1500 } },
        { code: 'USEDUP', status: 'rejected', reason: 'quantity_exceeded' },
      ],
      totals: { discount: { amount: 1500 }, total: { amount: 12_300 } },
    });
  });
});
