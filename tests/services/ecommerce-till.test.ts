import { expect } from '@jest/globals';
import { tillBaskets } from '../../services/ecommerce-platform/collections.ts';
import { abandonBasket, putTransactionBasket } from '../../shared/catalog/commerce/internal.ts';
import type { CallOf } from '../../shared/catalog/define.ts';
import { newRehearsal } from '../support/estate.ts';
import { typesOf } from '../support/steps/events.ts';
import { insideCall } from '../support/steps/inside-call.ts';
import { startShop } from '../support/steps/shop.ts';
import { testIn } from '../support/test-in.ts';

const testAll = testIn(newRehearsal);

const line = (sku: string, qty = 1) => ({ sku, qty });
const MUGS = [line('mug-blue', 2)];

type Body = Partial<NonNullable<CallOf<typeof putTransactionBasket>['body']>>;

/** The eCommerce Platform and the applications that it calls, called as the POS does. */
async function tillEstate() {
  const inside = await startShop();
  const lastState = async (subject: string) => (await inside.events(subject)).at(-1).data.object.state;
  return {
    ...inside,
    /** The key derives from the transaction, so a repeat is the same call. */
    lock: (transactionId: string, body: Body = {}, intent?: string) =>
      inside.as('pos')(
        putTransactionBasket,
        { params: { transactionId }, body: { storeId: 'store-01', ...(body.basketId === undefined && { lines: MUGS }), ...body } },
        intent === undefined ? {} : { intent },
      ),
    abandon: (transactionId: string) => inside.as('pos')(abandonBasket, { params: { id: transactionId } }),
    openBasket: async (body: Record<string, unknown> = {}) =>
      (await insideCall(inside, 'create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', lines: MUGS, ...body } })).body,
    reservedAt: async (sku: string, locationId = 'store-01') =>
      (await inside.counters('inventory-service', 'stock', `${sku}|${locationId}`))['reserved'] ?? 0,
    lastState,
    verify: async () => expect(await inside.violations()).toEqual([]),
  };
}
const test = testIn(tillEstate);

test('A sale at the till keeps the given ids unchecked while the Loyalty Platform or the CRM is down', async (estate) => {
  const { id: basketId } = await estate.openBasket();
  await estate.down('loyalty-platform');
  await estate.fault('crm', { match: { application: 'crm' }, fault: { kind: 'outage' } });
  const loyalty = { status: 'unavailable' };
  const loyaltyId = '2990000123459';
  expect(await estate.lock('ord_1', { loyaltyId })).toMatchObject({ loyaltyAccountId: loyaltyId, loyalty });
  expect(await estate.lock('ord_2', { basketId })).toMatchObject({ customerId: 'cus_ada', loyaltyAccountId: 'loy_ada', loyalty });
});

test('A transaction reserves the units that the store has, and makes no reservation without units', async (estate) => {
  const basket = await estate.lock('ord_1', { lines: [line('mug-blue', 60), line('lamp-last-one')] });
  expect(basket.lines.map(({ qty }) => qty)).toEqual([60, 1]);
  expect([await estate.reservedAt('mug-blue'), await estate.reservedAt('lamp-last-one', 'dc-01')]).toEqual([50, 0]);
  const without = await estate.lock('ord_2', { lines: [line('vase-sold-out')] });
  expect([without.state, without.reservationId]).toEqual(['locked', undefined]);
  expect(typesOf(await estate.events(`basket/${without.id}`))).toEqual(['checkout-started']);
});

test('The reservation of a transaction has the remaining units when another buyer was faster', async (estate) => {
  // Both read three available chairs before either reserves them.
  await estate.fault('together', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'barrier', parties: 2 }, times: 2 });
  const sold = await Promise.all(['ord_1', 'ord_2'].map((id) => estate.lock(id, { lines: [line('chair-oak', 2)] })));
  expect(sold.map(({ state, lines }) => [state, lines[0]?.qty])).toEqual(Array(2).fill(['locked', 2]));
  expect(await estate.reservedAt('chair-oak')).toBe(3);
});

test('Abandon Basket of a transaction without a basket is not found, and the transaction can no longer get a basket', async (estate) => {
  const { id: basketId } = await estate.openBasket();
  await expect(estate.abandon('ord_1')).rejects.toMatchObject({ code: 'not_found' });
  await expect(estate.lock('ord_1', { basketId })).rejects.toMatchObject({ context: { currentState: 'abandoned' } });
  expect(await estate.stored('ecommerce-platform', tillBaskets, 'ord_1')).toMatchObject({ abandoned: true });
  expect(await estate.lock('ord_2', { basketId })).toMatchObject({ state: 'locked' });
  expect(await estate.reservedAt('mug-blue')).toBe(2);
});

test('Abandon Basket wins while the basket is being locked, and the reserved stock is released', async (estate) => {
  const { id: basketId } = await estate.openBasket();
  await estate.fault('slow', { match: { api: 'reserve-inventory-api' }, fault: { kind: 'latency', ms: 400 } });
  const locking = expect(estate.lock('ord_1', { basketId })).rejects.toMatchObject({ code: 'invalid_state_transition' });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await expect(estate.abandon('ord_1')).rejects.toMatchObject({ code: 'not_found' });
  await locking;
  await estate.advance(60_000);
  expect(await estate.reservedAt('mug-blue')).toBe(0);
  expect(await estate.lastState(`basket/${basketId}`)).toBe('open');
});

testAll('The basket of a transaction that is merged while its stock is reserved leaves nothing behind', async (rehearsal) => {
  const { id } = await rehearsal.basket({ qty: 1 });
  await rehearsal.fault('wait', { match: { api: 'get-basket-hold' }, fault: { kind: 'barrier', parties: 9 } });
  const locking = rehearsal.call('create-transaction-api', { body: { storeId: 'store-01', laneId: 'lane-1', basketId: id } });
  await rehearsal.struck('wait');
  const merged = await rehearsal.api('create-basket-api', { body: { channel: 'web', customerId: 'cus_ada', mergeBasketIds: [id] } });
  await rehearsal.noFaults();
  expect((await locking).body).toMatchObject({ status: 409, code: 'invalid_state_transition', currentState: 'merged' });
  await rehearsal.advance('PT3H');
  expect((await rehearsal.settle()).parked).toEqual([]);
  expect(await rehearsal.stockAt('mug-blue')).toMatchObject({ reserved: 0 });
  expect(await rehearsal.sale({ basketId: merged.id })).toMatchObject({ basketId: merged.id });
});

testAll(
  'The basket of a transaction never reopens, refuses lines and checkouts, and cannot be checked out after a void',
  async (rehearsal) => {
    const { id: transactionId, basketId } = await rehearsal.sale();
    await rehearsal.advance('PT23H');
    const { body: again } = await rehearsal.checkOut(basketId);
    expect(again).toMatchObject({ status: 409, code: 'conflicting_repeat', transactionId, standing: { shippingAddress: null } });
    const { body: placing } = await rehearsal.checkOut(basketId, { placeOrder: true });
    expect(placing).toMatchObject({ status: 409, code: 'invalid_state_transition', transactionId });
    expect((await rehearsal.addLine(basketId, line('mug-blue'))).status).toBe(409);
    expect(await rehearsal.object('basket', basketId)).toMatchObject({ state: 'locked', version: 1 });
    expect(await rehearsal.stockAt('mug-blue')).toEqual({ onHand: 50, reserved: 2 });
    await rehearsal.voidSale(transactionId);
    const { body: voided } = await rehearsal.checkOut(basketId);
    expect(voided).toMatchObject({ status: 409, code: 'invalid_state_transition', currentState: 'abandoned' });
  },
);
