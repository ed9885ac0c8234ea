import { describe, expect, test } from '@jest/globals';
import * as crm from '../../services/crm/service.ts';
import { tillBaskets } from '../../services/ecommerce-platform/collections.ts';
import * as ecommercePlatform from '../../services/ecommerce-platform/service.ts';
import * as inventoryService from '../../services/inventory-service/service.ts';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import * as promotionEngine from '../../services/promotion-engine/service.ts';
import * as sim from '../../services/sim/service.ts';
import { abandonBasket, convertBasket, listCustomerBaskets, putTransactionBasket } from '../../shared/catalog/commerce/internal.ts';
import type { CallOf } from '../../shared/catalog/define.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { ADDRESS, eventually, newRehearsal } from '../support/estate.ts';
import { type Inside, startInside } from '../support/inside.ts';
import { typesOf } from '../support/steps/events.ts';
import { eur } from '../support/steps/tender.ts';

const estateOfTill = () => startInside(ecommercePlatform, sim, inventoryService, promotionEngine, loyaltyPlatform, crm);

type Body = Partial<NonNullable<CallOf<typeof putTransactionBasket>['body']>>;

/** Calls as the POS does: the key derives from the transaction, so a repeat is the same call. */
const lock = (estate: Inside, transactionId: string, body: Body = {}, intent?: string) =>
  estate.as('pos')(
    putTransactionBasket,
    {
      params: { transactionId },
      body: { storeId: 'store-01', ...(body.basketId === undefined && { lines: [{ sku: 'mug-blue', qty: 2 }] }), ...body },
    },
    intent === undefined ? {} : { intent },
  );

const abandon = (estate: Inside, transactionId: string) => estate.as('pos')(abandonBasket, { params: { id: transactionId } });

const refusal = (promise: Promise<unknown>): Promise<Problem> =>
  promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (problem: Problem) => problem,
  );

const openBasket = async (estate: Inside, body: Record<string, unknown> = {}) =>
  (await estate.call('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }], ...body })).body;

/** Units reserved at a store. */
const reservedAt = async (estate: Inside, sku: string, locationId = 'store-01') =>
  (await estate.counters('inventory-service', 'stock', `${sku}|${locationId}`))['reserved'] ?? 0;

const down = (application: 'sim' | 'inventory-service' | 'promotion-engine' | 'loyalty-platform' | 'crm') => ({
  match: { application },
  fault: { kind: 'outage' as const },
});

describe('The basket of a transaction', () => {
  test('is created locked, priced with promotions and without shipping, and its stock is held at the store', async () => {
    await using estate = await estateOfTill();
    const basket = await lock(estate, 'ord_1', {
      lines: [
        { sku: 'mug-blue', qty: 2 },
        { sku: 'chocolate-dark', qty: 2 },
        { sku: 'chocolate-dark', qty: 1 },
      ],
    });
    expect(basket).toMatchObject({
      ...{ state: 'locked', version: 1, channel: 'pos', storeId: 'store-01', transactionId: 'ord_1', currency: 'EUR' },
      lines: [
        { sku: 'mug-blue', qty: 2, lineTotal: eur(2598) },
        { sku: 'chocolate-dark', qty: 3, discount: eur(450), lineTotal: eur(900) },
      ],
      totals: { subtotal: eur(3948), discount: eur(450), shipping: eur(0), total: eur(3498) },
      ...{ vouchers: [], promotionsStatus: 'available', loyalty: { status: 'none' } },
    });
    expect(basket.expiresAt).toBeUndefined();
    expect(basket.customerId).toBeUndefined();
    const held = await estate.events(`reservation/${basket.reservationId}`);
    expect(held.at(-1).data.object).toMatchObject({
      ...{ state: 'requested', basketId: basket.id },
      allocations: [
        { locationId: 'store-01', sku: 'mug-blue', qty: 2 },
        { locationId: 'store-01', sku: 'chocolate-dark', qty: 3 },
      ],
    });
    expect(held.at(-1).data.object.expiresAt).toBeUndefined();
    expect(typesOf(await estate.events())).toEqual(['inventory-reserved', 'reservation-created', 'checkout-started']);
    expect(await estate.violations()).toEqual([]);
  });

  test('is created once for repeated calls', async () => {
    await using estate = await estateOfTill();
    const first = await lock(estate, 'ord_1');
    const again = await lock(estate, 'ord_1', { lines: [{ sku: 'wine-red', qty: 1 }] });
    expect(again).toEqual(first);
    const [one, other] = await Promise.all([lock(estate, 'ord_2', {}, 'once'), lock(estate, 'ord_2', {}, 'once').catch((error) => error)]);
    expect([one.id, 'code' in other ? one.id : other.id]).toEqual([one.id, one.id]);
    expect(await reservedAt(estate, 'mug-blue')).toBe(4);
    expect(typesOf(await estate.events(`basket/${first.id}`))).toEqual(['checkout-started']);
  });

  test('is an open basket that keeps its customer and member prices', async () => {
    await using estate = await estateOfTill();
    const open = await openBasket(estate, { customerId: 'cus_grace' });
    const locked = await lock(estate, 'ord_1', { basketId: open.id });
    expect(locked).toMatchObject({
      ...{ id: open.id, version: 2, state: 'locked', channel: 'pos', storeId: 'store-01', customerId: 'cus_grace' },
      ...{ loyaltyAccountId: 'loy_grace', loyalty: { status: 'available' }, lines: [{ lineId: open.lines[0].lineId }] },
    });
    expect(locked.expiresAt).toBeUndefined();
    expect(typesOf(await estate.events(`basket/${open.id}`))).toEqual(['basket-created', 'checkout-started']);
    await estate.advance(3 * 24 * 60 * 60_000);
    expect(await lock(estate, 'ord_1', { basketId: open.id })).toEqual(locked);
    expect(await reservedAt(estate, 'mug-blue')).toBe(2);
    expect(await estate.violations()).toEqual([]);
  });

  test('is refused for a basket that is unknown, not open or empty, and nothing is held', async () => {
    await using estate = await estateOfTill();
    const empty = await openBasket(estate, { lines: [] });
    const taken = await openBasket(estate);
    await lock(estate, 'ord_taken', { basketId: taken.id });
    const refusals = await Promise.all(
      ['bsk_none', empty.id, taken.id].map(async (basketId, index) => {
        const { code, context } = await refusal(lock(estate, `ord_${index}`, { basketId }));
        return [code, context.objectType, context['currentState'], context['action']];
      }),
    );
    expect(refusals).toEqual([
      ['not_found', 'basket', undefined, undefined],
      ['basket_empty', 'basket', undefined, undefined],
      ['invalid_state_transition', 'basket', 'locked', 'start-transaction'],
    ]);
    expect(await reservedAt(estate, 'mug-blue')).toBe(2);
  });

  test.each(['converted', 'abandoned', 'merged'])('is refused for a basket that is %s', async (state) => {
    await using estate = await estateOfTill();
    const { id } = await openBasket(estate);
    if (state === 'merged') await openBasket(estate, { mergeBasketIds: [id] });
    if (state === 'abandoned') await estate.advance(24 * 60 * 60_000);
    if (state === 'converted') {
      await estate.call('POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS });
      await estate.as('oms')(convertBasket, { params: { id }, body: { orderId: 'ord_web' } });
    }
    const { code, context } = await refusal(lock(estate, 'ord_1', { basketId: id }));
    expect([code, context['currentState'], context['allowedFrom']]).toEqual(['invalid_state_transition', state, ['open']]);
  });

  test('is refused for products that are not for sale', async () => {
    await using estate = await estateOfTill();
    const refused = async (sku: string) => {
      const { code, context } = await refusal(
        lock(estate, `ord_${sku}`, {
          lines: [
            { sku: 'mug-blue', qty: 1 },
            { sku, qty: 1 },
          ],
        }),
      );
      return [code, context.objectType, context['currentState']];
    };
    expect(await refused('chair-suspended')).toEqual(['invalid_state_transition', 'product', 'suspended']);
    expect(await refused('calendar-wall')).toEqual(['invalid_state_transition', 'product', 'discontinued']);
    expect(await refused('radio-draft')).toEqual(['not_found', 'product', undefined]);
    expect(await refused('no-such-thing')).toEqual(['not_found', 'product', undefined]);
    expect(await estate.events()).toEqual([]);
    expect(await reservedAt(estate, 'mug-blue')).toBe(0);
  });

  test('is priced without discounts while the Promotion Engine is down', async () => {
    await using estate = await estateOfTill();
    await estate.fault('down', down('promotion-engine'));
    const basket = await lock(estate, 'ord_1', { lines: [{ sku: 'chocolate-dark', qty: 3 }] });
    expect(basket).toMatchObject({ promotionsStatus: 'unavailable', totals: { discount: eur(0), total: eur(1350) } });
  });
});

describe('The customer at the till', () => {
  test.each([
    ['the account', 'loy_grace'],
    ['the card', '2990000200051'],
  ])('is the member with the loyaltyId %s', async (_, loyaltyId) => {
    await using estate = await estateOfTill();
    const basket = await lock(estate, 'ord_1', { loyaltyId });
    expect(basket).toMatchObject({
      customerId: 'cus_grace',
      loyaltyAccountId: 'loy_grace',
      loyalty: { status: 'available', balance: expect.any(Number) },
    });
  });

  test('is the member also when the basket belongs to another customer', async () => {
    await using estate = await estateOfTill();
    const open = await openBasket(estate, { customerId: undefined });
    const basket = await lock(estate, 'ord_1', { basketId: open.id, loyaltyId: 'loy_ada' });
    expect(basket).toMatchObject({ customerId: 'cus_ada', loyaltyAccountId: 'loy_ada' });
  });

  test('is refused when the card is unknown or the customer blocked', async () => {
    await using estate = await estateOfTill();
    const unknown = await refusal(lock(estate, 'ord_1', { loyaltyId: 'loy_nobody' }));
    expect([unknown.code, unknown.context.objectType]).toEqual(['not_found', 'loyalty-account']);
    const open = await openBasket(estate, { customerId: 'cus_mallory' });
    const blocked = await refusal(lock(estate, 'ord_2', { basketId: open.id }));
    expect([blocked.code, blocked.context.id]).toEqual(['customer_blocked', 'cus_mallory']);
    expect((await estate.events(`basket/${open.id}`)).at(-1).data.object.state).toBe('open');
    expect(await reservedAt(estate, 'mug-blue')).toBe(0);
  });

  test('is not looked up while the Loyalty Platform or the CRM is down: the sale continues with the given id', async () => {
    await using estate = await estateOfTill();
    const open = await openBasket(estate);
    await estate.fault('down', down('loyalty-platform'));
    await estate.fault('crm', down('crm'));
    const withCard = await lock(estate, 'ord_1', { loyaltyId: '2990000123459' });
    expect(withCard).toMatchObject({ loyaltyAccountId: '2990000123459', loyalty: { status: 'unavailable' } });
    const taken = await lock(estate, 'ord_2', { basketId: open.id });
    expect(taken).toMatchObject({ customerId: 'cus_ada', loyaltyAccountId: 'loy_ada', loyalty: { status: 'unavailable' } });
  });
});

describe('The hold of a transaction', () => {
  test('has the units of the store, and none when the store has none', async () => {
    await using estate = await estateOfTill();
    const basket = await lock(estate, 'ord_1', {
      lines: [
        { sku: 'mug-blue', qty: 60 },
        { sku: 'lamp-last-one', qty: 1 },
      ],
    });
    expect(basket).toMatchObject({ state: 'locked', lines: [{ qty: 60 }, { qty: 1 }] });
    expect(await reservedAt(estate, 'mug-blue')).toBe(50);
    expect(await reservedAt(estate, 'lamp-last-one', 'dc-01')).toBe(0);
    const without = await lock(estate, 'ord_2', { lines: [{ sku: 'vase-sold-out', qty: 1 }] });
    expect(without.state).toBe('locked');
    expect(without.reservationId).toBeUndefined();
    expect(typesOf(await estate.events(`basket/${without.id}`))).toEqual(['checkout-started']);
    expect(await estate.violations()).toEqual([]);
  });

  test('takes the remaining units when another buyer was faster', async () => {
    await using estate = await estateOfTill();
    // Both read three available chairs before either reserves them.
    await estate.fault('together', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
    const sold = await Promise.all(['ord_1', 'ord_2'].map((id) => lock(estate, id, { lines: [{ sku: 'chair-oak', qty: 2 }] })));
    expect(sold.map(({ state, lines }) => [state, lines[0]?.qty])).toEqual([
      ['locked', 2],
      ['locked', 2],
    ]);
    expect(await reservedAt(estate, 'chair-oak')).toBe(3);
    expect(await estate.violations()).toEqual([]);
  });

  test('is required: while the SIM is down there is no transaction, and a repeat makes it later', async () => {
    await using estate = await estateOfTill();
    const open = await openBasket(estate);
    await estate.fault('down', down('sim'));
    expect(await refusal(lock(estate, 'ord_1', { basketId: open.id }, 'one'))).toMatchObject({
      code: expect.stringMatching(/^dependency_/),
    });
    expect((await estate.events(`basket/${open.id}`)).at(-1).data.object.state).toBe('open');
    await estate.noFaults();
    await estate.advance(60_000);
    const locked = await lock(estate, 'ord_1', { basketId: open.id }, 'one');
    expect(locked).toMatchObject({ id: open.id, state: 'locked' });
    expect(await reservedAt(estate, 'mug-blue')).toBe(2);
    expect(await estate.violations()).toEqual([]);
  });

  test('is found again when the answer of the SIM is lost once, and given back when it stays lost', async () => {
    await using estate = await estateOfTill();
    const lost = { match: { api: 'reserve-inventory-api' }, fault: { kind: 'lost-response' as const, as: 'timeout' as const } };
    await estate.fault('once', { ...lost, times: 1 });
    expect(await lock(estate, 'ord_1')).toMatchObject({ state: 'locked', reservationId: expect.any(String) });
    await estate.noFaults();
    await estate.fault('always', lost);
    expect(await refusal(lock(estate, 'ord_2'))).toMatchObject({ code: 'dependency_timeout' });
    expect(await reservedAt(estate, 'mug-blue')).toBe(4);
    await estate.noFaults();
    await estate.advance(60_000);
    expect(await reservedAt(estate, 'mug-blue')).toBe(2);
    expect(await estate.violations()).toEqual([]);
  });
});

describe('Abandon Basket', () => {
  test('ends the checkout and gives the hold back, once', async () => {
    await using estate = await estateOfTill();
    const { id, reservationId } = await lock(estate, 'ord_1');
    const abandoned = await abandon(estate, 'ord_1');
    expect(abandoned).toMatchObject({ id, state: 'abandoned', reservationId });
    expect(await abandon(estate, 'ord_1')).toEqual(abandoned);
    expect(await reservedAt(estate, 'mug-blue')).toBe(0);
    expect(typesOf(await estate.events(`basket/${id}`))).toEqual(['checkout-started', 'checkout-cancelled']);
    expect((await estate.events(`reservation/${reservationId}`)).at(-1).data.object.state).toBe('released');
    expect(await estate.violations()).toEqual([]);
  });

  test('gives the hold back later while the SIM is down', async () => {
    await using estate = await estateOfTill();
    await lock(estate, 'ord_1');
    await estate.fault('down', down('sim'));
    expect(await abandon(estate, 'ord_1')).toMatchObject({ state: 'abandoned' });
    expect(await reservedAt(estate, 'mug-blue')).toBe(2);
    await estate.noFaults();
    await estate.advance(60_000);
    expect(await reservedAt(estate, 'mug-blue')).toBe(0);
    expect(await estate.violations()).toEqual([]);
  });

  test('answers 404 for a transaction without a basket, which then never gets one', async () => {
    await using estate = await estateOfTill();
    const open = await openBasket(estate);
    expect((await refusal(abandon(estate, 'ord_1'))).code).toBe('not_found');
    expect((await refusal(lock(estate, 'ord_1', { basketId: open.id }))).context['currentState']).toBe('abandoned');
    expect(await estate.stored('ecommerce-platform', tillBaskets, 'ord_1')).toMatchObject({ abandoned: true });
    expect(await lock(estate, 'ord_2', { basketId: open.id })).toMatchObject({ state: 'locked' });
    expect(await reservedAt(estate, 'mug-blue')).toBe(2);
  });

  test('wins when the basket is being locked, and the held stock is given back', async () => {
    await using estate = await estateOfTill();
    const open = await openBasket(estate);
    await estate.fault('slow', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'latency', ms: 400 } });
    const locking = refusal(lock(estate, 'ord_1', { basketId: open.id }));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await refusal(abandon(estate, 'ord_1'))).code).toBe('not_found');
    expect((await locking).code).toBe('invalid_state_transition');
    await estate.advance(60_000);
    expect(await reservedAt(estate, 'mug-blue')).toBe(0);
    expect((await estate.events(`basket/${open.id}`)).at(-1).data.object.state).toBe('open');
    expect(await estate.violations()).toEqual([]);
  });
});

describe('List Customer Baskets', () => {
  test('answers the open ones and those in checkout, newest first, at most twenty', async () => {
    await using estate = await estateOfTill();
    const ids: string[] = [];
    for (let count = 0; count < 22; count++) ids.push((await openBasket(estate, { customerId: 'cus_ben', lines: [] })).id);
    await openBasket(estate, { customerId: 'cus_ada' });
    const { id: newest } = await openBasket(estate, { customerId: 'cus_ben', lines: [], mergeBasketIds: [ids[21]] });
    const { items } = await estate.as('clienteling-app')(listCustomerBaskets, { query: { customerId: 'cus_ben' } });
    expect(items.map(({ id }) => id)).toEqual([newest, ...ids.slice(2, 21).reverse()]);
    const taken = await openBasket(estate, { customerId: 'cus_hugo' });
    await lock(estate, 'ord_1', { basketId: taken.id });
    const locked = await estate.as('clienteling-app')(listCustomerBaskets, { query: { customerId: 'cus_hugo' } });
    expect(locked.items).toMatchObject([{ id: taken.id, state: 'locked' }]);
  });
});

describe('The basket of a transaction, through the gateway', () => {
  test('is given up without a trace when it is merged while its stock is reserved', async () => {
    await using rehearsal = await newRehearsal();
    const basket = { channel: 'web' as const, customerId: 'cus_ada' };
    const { id } = await rehearsal.api('create-basket-api', { body: { ...basket, lines: [{ sku: 'mug-blue', qty: 1 }] } });
    await rehearsal.fault('wait', { match: { api: 'get-basket-hold' }, fault: { kind: 'barrier', parties: 9 } });
    const locking = rehearsal.call('create-transaction-api', { body: { storeId: 'store-01', laneId: 'lane-1', basketId: id } });
    await eventually('it waits', async () => (await rehearsal.faults()).some(({ hits }) => hits > 0));
    const merged = await rehearsal.api('create-basket-api', { body: { ...basket, mergeBasketIds: [id] } });
    await rehearsal.noFaults();
    expect(await locking).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', currentState: 'merged' } });
    await rehearsal.advance('PT3H');
    expect((await rehearsal.settle()).parked).toEqual([]);
    expect(await rehearsal.stockAt('mug-blue')).toMatchObject({ reserved: 0 });
    expect(await rehearsal.sale({ basketId: merged.id })).toMatchObject({ basketId: merged.id });
    await rehearsal.verify();
  });

  test('never reopens by time and cannot be checked out with an address', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId } = await rehearsal.sale();
    await rehearsal.advance('PT23H');
    const basket = await rehearsal.object('basket', basketId);
    expect(basket).toMatchObject({ state: 'locked', version: 1 });
    const again = await rehearsal.call('checkout-basket-api', { params: { id: basketId }, body: { shippingAddress: ADDRESS } });
    expect(again).toMatchObject({
      status: 409,
      body: { code: 'conflicting_repeat', transactionId: id, standing: { shippingAddress: null } },
    });
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'locked', version: 1 });
    const placing = await rehearsal.call('checkout-basket-api', {
      params: { id: basketId },
      body: { shippingAddress: ADDRESS, placeOrder: true },
    });
    expect(placing).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', transactionId: id } });
    expect(await rehearsal.call('add-line-to-basket-api', { params: { id: basketId }, body: { sku: 'mug-blue', qty: 1 } })).toMatchObject({
      status: 409,
    });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
  });

  test('becomes the order of its transaction, also when the request names only the basket', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId } = await rehearsal.sale();
    expect(await rehearsal.call('create-order-api', { body: { basketId } })).toMatchObject({
      status: 201,
      body: { id, basketId, state: 'draft' },
    });
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'converted', orderId: id });
    expect(await rehearsal.call('create-order-api', { body: { transactionId: id } })).toMatchObject({ status: 200, body: { id } });
  });

  test('cannot be checked out after the void of its transaction', async () => {
    await using rehearsal = await newRehearsal();
    const { id, basketId } = await rehearsal.sale();
    await rehearsal.api('void-transaction-api', { params: { id } });
    const refused = await rehearsal.call('checkout-basket-api', { params: { id: basketId }, body: { shippingAddress: ADDRESS } });
    expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state_transition', currentState: 'abandoned' } });
    await rehearsal.verify();
  });
});
