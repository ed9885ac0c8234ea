import { expect, test as plainTest } from '@jest/globals';
import { listObjectsOf } from '../../control/objects/list.ts';
import { listedType } from '../../control/objects/types.ts';
import { objects } from '../../shared/catalog/objects.ts';
import { order } from '../../shared/catalog/order/objects.ts';
import { STATE_INDEX } from '../../shared/store/collections.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { aPlan } from '../ports/a-plan.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { payAtCounterSteps } from '../support/steps/pay-at-counter.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

async function anOrder(rehearsal: TestRehearsal) {
  const basket = await rehearsal.basket();
  const { orderId } = await rehearsal.checkedOut(basket.id, { placeOrder: true });
  const payment = await rehearsal.authorisation(orderId);
  const order = await rehearsal.confirmed(orderId);
  await rehearsal.settle();
  return { basket, order, payment };
}

const list = (rehearsal: TestRehearsal, type: string, query: Record<string, unknown> = {}) =>
  rehearsal.control('list-objects', { params: { type }, query });
/** The members that a label or a column names, for comparison with the definition of the object. */
const unknownMembers = ({ label = [], columns, moreColumns, schema }: (typeof objects)[number]): string[] =>
  [...label, ...Object.values({ ...columns, ...moreColumns })].flatMap((text) =>
    [...text.matchAll(/\{(\w+)/g)].flatMap(([, name = '']) => (name in schema.shape ? [] : [name])),
  );

test('The list of types counts the objects of each type, in all and by state', async (rehearsal) => {
  await anOrder(rehearsal);
  await rehearsal.basket();
  const { items } = await rehearsal.control('list-object-types');
  expect(items.map(({ type, owner }) => [type, owner])).toEqual(objects.map(({ type, owner }) => [type, owner]));
  const of = (type: string) => items.find((item) => item.type === type);
  expect(of('basket')).toMatchObject({ count: 2, states: { open: 1, converted: 1 } });
  expect(of('payment')).toMatchObject({ count: 1, states: { authorised: 1 } });
  expect(of('shipment')).toMatchObject({ count: 0, states: {} });
  expect(of('loyalty-account')?.states).toEqual({});
  expect(of('inventory-item')?.count).toBe((await list(rehearsal, 'inventory-item', { limit: 200 })).items.length);
  for (const { count, states } of items) {
    const inStates = Object.values(states).reduce((sum, number) => sum + number, 0);
    expect([count, 0]).toContain(inStates);
  }
});

test('A list of objects shows number, state, version, times and columns of an order, and its related objects', async (rehearsal) => {
  const { basket, order: placed } = await anOrder(rehearsal);
  const stored = await rehearsal.object('order', placed.id);
  const { items, next } = await list(rehearsal, 'order');
  expect(next).toBeUndefined();
  const { state, version, createdAt, updatedAt } = stored;
  expect(items).toMatchObject([{ id: placed.id, label: placed.orderNumber, state, version, createdAt, updatedAt }]);
  const reservation = { type: 'reservation', id: stored.lines[0].reservationId };
  expect(items[0]).toMatchObject({ columns: { customer: 'cus_ada' }, names: { cus_ada: 'Ada Byrne', 'mug-blue': 'Blue stoneware mug' } });
  const related = [{ type: 'basket', id: basket.id }, { type: 'customer', id: 'cus_ada' }, reservation];
  expect(items[0]?.related).toEqual(expect.arrayContaining(related));
  const total = expect.stringMatching(/^\d+\.\d\d EUR$/);
  expect(items[0]?.columns).toEqual({
    customer: 'cus_ada',
    channel: 'web',
    what: 'mug-blue',
    total,
    payment: 'authorised',
    goods: 'allocated',
  });
});

test('A list of objects gives each type the label that people use', async (rehearsal) => {
  const { order: placed } = await anOrder(rehearsal);
  const first = async (type: string, q?: string) => (await list(rehearsal, type, q === undefined ? {} : { q })).items[0];
  expect(await first('payment')).toMatchObject({ label: `${(placed.totals.total.amount / 100).toFixed(2)} EUR card` });
  expect((await first('payment'))?.related).toContainEqual({ type: 'order', id: placed.id });
  const mug = { label: expect.stringMatching(/ \(mug-blue\)$/), related: [{ type: 'inventory-item', id: 'mug-blue' }] };
  expect(await first('product', 'mug-blue')).toMatchObject(mug);
  expect(await first('customer', 'ada')).toMatchObject({ label: expect.stringMatching(/^Ada /) });
  expect(await first('inventory-item', 'mug-blue')).toMatchObject({ id: 'mug-blue', label: 'mug-blue', related: [] });
  expect(await first('reservation')).toMatchObject({ label: 'mug-blue' });
});

plainTest.each(objects.map((definition) => [definition.type, definition] as const))(
  'A list of objects of type %s takes its label and its columns from members that the type has',
  (_type, definition) => expect(unknownMembers(definition)).toEqual([]),
);

test('The objects that belong to an order are its customer, payments, parcels with scans, and products', async (rehearsal) => {
  const { orderId, shipmentId, fulfillmentOrderId } = await rehearsal.dispatchedOrder();
  await rehearsal.settle();
  const related = async (type: string, id: string) => (await rehearsal.control('list-related-objects', { params: { type, id } })).items;
  const items = await related('order', orderId);
  const idsOf = (type: string) => items.filter((one) => one.type === type).map(({ id }) => id);
  expect([idsOf('order'), idsOf('fulfillment-order'), idsOf('shipment')]).toEqual([[], [fulfillmentOrderId], [shipmentId]]);
  const ada = { id: 'cus_ada', label: 'Ada Byrne', object: { email: 'ada@people.example' } };
  expect(items.find(({ type }) => type === 'customer')).toMatchObject(ada);
  expect(items.find(({ type }) => type === 'payment')).toMatchObject({ state: 'captured', object: { orderId } });
  expect(items.find(({ type }) => type === 'shipment')?.object['events']).toHaveLength(1);
  expect(items.filter(({ type }) => type === 'product').map(({ object }) => object['name'])).toContain('Blue stoneware mug');
  const ofParcel = (await related('shipment', shipmentId)).map(({ type, id }) => `${type}/${id}`);
  expect(ofParcel).toEqual(expect.arrayContaining([`fulfillment-order/${fulfillmentOrderId}`, `order/${orderId}`, 'customer/cus_ada']));
  expect((await related('customer', 'cus_ada')).map(({ id }) => id)).toContain(orderId);
});

test('Locations, promotions and vouchers have names, and a list names them, its goods and its stock', async (rehearsal) => {
  await rehearsal.routedOrder();
  await rehearsal.control('change-voucher-by-hand', { params: { id: 'WELCOME10' }, body: { name: 'Hello again' } });
  const { locations, promotions, vouchers } = await rehearsal.control('list-names');
  expect(locations[0]).toEqual({ id: 'dc-01', name: 'Athlone distribution centre', type: 'warehouse' });
  expect(promotions).toContainEqual({ id: 'prm_woolly-ridge-15', name: expect.stringMatching(/./) });
  expect(vouchers).toContainEqual({ id: 'WELCOME10', name: 'Hello again', enabled: true });
  const namesOf = async (type: string, q: string) => (await list(rehearsal, type, { q })).items[0]?.names;
  expect(await namesOf('fulfillment-order', 'dc-01')).toMatchObject({ 'dc-01': 'Athlone distribution centre' });
  expect(await namesOf('inventory-item', 'mug-blue')).toEqual({ 'mug-blue': 'Blue stoneware mug' });
});

test('A list of parcels names the place and the goods of each, and the units of several lines are added', async (rehearsal) => {
  const lines = [
    { sku: 'mug-blue', qty: 2 },
    { sku: 'mug-green', qty: 3 },
  ];
  const { fulfillmentOrderId } = await rehearsal.dispatchedOrder({}, { lines });
  expect((await list(rehearsal, 'shipment')).items[0]?.names).toEqual({
    [fulfillmentOrderId]: 'Athlone distribution centre: Blue stoneware mug, Green stoneware mug',
  });
  expect((await list(rehearsal, 'fulfillment-order')).items[0]?.columns['units']).toBe('5');
});

test('An object without references has no related objects', async (rehearsal) => {
  expect(await rehearsal.control('list-related-objects', { params: { type: 'customer', id: 'cus_hugo' } })).toMatchObject({ items: [] });
});

test('A list of orders shows how payment and goods stand, and finds the unpaid orders of a customer', async (rehearsal) => {
  const { order: paid } = await anOrder(rehearsal);
  const unpaid = async (): Promise<string> => {
    const basket = await rehearsal.basket();
    return (await rehearsal.checkedOut(basket.id, { placeOrder: true })).orderId ?? '';
  };
  const [waiting, cancelled] = [await unpaid(), await unpaid()];
  await rehearsal.api('cancel-order-api', { params: { id: cancelled }, body: { reason: 'changed my mind' } });
  await rehearsal.settle();
  const idsOf = async (query: Record<string, unknown>) => (await list(rehearsal, 'order', query)).items.map(({ id }) => id);
  expect(await idsOf({ payment: 'unpaid', q: 'Ada' })).toEqual([waiting]);
  expect(await idsOf({ payment: 'unpaid', q: 'Hugo' })).toEqual([]);
  expect(await idsOf({ payment: 'authorised', goods: 'allocated', state: 'confirmed' })).toEqual([paid.id]);
  expect(await idsOf({ goods: 'picking' })).toEqual([]);
  const columns = Object.fromEntries(
    (await list(rehearsal, 'order')).items.map(({ id, columns: { payment, goods } }) => [id, { payment, goods }]),
  );
  expect(columns).toEqual({ [paid.id]: { payment: 'authorised', goods: 'allocated' }, [waiting]: { payment: 'unpaid' }, [cancelled]: {} });
});

test('The goods of a dispatched order are in the state of its parcel', async (rehearsal) => {
  const { shipmentId } = await rehearsal.dispatchedOrder();
  const { state } = await rehearsal.object('shipment', shipmentId);
  expect((await list(rehearsal, 'order', { goods: state })).items.map(({ columns }) => columns['goods'])).toEqual([state]);
});

test('A list of fulfillment orders finds the collections of a store by status, and shows what their customers still pay', async (rehearsal) => {
  await rehearsal.progress({ store: 'manual', warehouse: 'manual' });
  const { confirmedToPay, unpaidAtCounter } = payAtCounterSteps(rehearsal);
  const waiting = await unpaidAtCounter();
  await rehearsal.authorisation(waiting.orderId, 1_000);
  const preparing = await confirmedToPay([{ sku: 'mug-blue', qty: 1 }]);
  const sent = await rehearsal.confirmed();
  await rehearsal.settle();
  const found = async (query: Record<string, unknown>) =>
    (await list(rehearsal, 'fulfillment-order', query)).items.map(({ id, columns }) => [id, columns['collection'], columns['to pay']]);
  // 2 × 12.99 − 10.00
  const atCounter = [waiting.fulfillmentOrderId, 'waiting', '15.98 EUR'];
  const picked = [preparing.fulfillmentOrderId, 'preparing', '12.99 EUR'];
  expect(await found({ collection: 'waiting' })).toEqual([atCounter]);
  expect(await found({ collectAt: 'store-01' })).toEqual([picked, atCounter]);
  expect(await found({ collectAt: 'store-02' })).toEqual([]);
  expect(await found({ collectAt: 'store-01', limit: 1 })).toEqual([picked]);
  expect(await found({})).toEqual([[await rehearsal.onlyFulfilment(sent.id), undefined, undefined], picked, atCounter]);
  const [first] = (await list(rehearsal, 'fulfillment-order', { collection: 'waiting' })).items;
  expect(first?.columns).toMatchObject({ 'collected at': 'store-01', units: '2', until: expect.any(String) });
  await rehearsal.cancel(waiting.orderId);
  await rehearsal.settle();
  expect(await found({ collection: 'ended' })).toEqual([[waiting.fulfillmentOrderId, 'ended', undefined]]);
});

test('A filter by the place of a collection is refused for another type, and for an unknown place', async (rehearsal) => {
  const refusalOf = (type: string, query: Record<string, unknown>) =>
    rehearsal.control('list-objects', { params: { type }, query }).catch((error: unknown) => String(error));
  expect(await refusalOf('order', { collectAt: 'store-01' })).toContain('Nobody collects objects of type order: leave the filter out.');
  expect(await refusalOf('fulfillment-order', { collectAt: 'x' })).toContain('There is no location "x"; choose one of ');
});

test('A filter by payment or goods is refused for another type, and for a value that does not exist', async (rehearsal) => {
  const refusalOf = (type: string, query: Record<string, unknown>) =>
    rehearsal.control('list-objects', { params: { type }, query }).catch((error: unknown) => String(error));
  expect(await refusalOf('basket', { payment: 'unpaid' })).toContain('Objects of type basket have no payment: leave the filter out.');
  expect(await refusalOf('order', { payment: 'late' })).toContain(
    'Objects of type order cannot have the payment "late"; choose one of unpaid, authorised',
  );
});

test('A list of objects is paged from the newest to the oldest, and the last page has no next', async (rehearsal) => {
  const baskets = [await rehearsal.basket(), await rehearsal.basket(), await rehearsal.basket()];
  const newestFirst = baskets.map(({ id }) => id).toReversed();
  const first = await list(rehearsal, 'basket', { limit: 2 });
  expect(first.items.map(({ id }) => id)).toEqual(newestFirst.slice(0, 2));
  const last = await list(rehearsal, 'basket', { limit: 2, before: first.next });
  expect([last.items.map(({ id }) => id), last.next]).toEqual([newestFirst.slice(2), undefined]);
  const all = await list(rehearsal, 'basket', { limit: 3 });
  expect([all.items.length, all.next]).toEqual([3, undefined]);
});

test('A list of objects can be filtered by state and by text in id or label, whatever its case', async (rehearsal) => {
  const { basket } = await anOrder(rehearsal);
  const open = await rehearsal.basket();
  const idsOf = async (query: Record<string, unknown>) => (await list(rehearsal, 'basket', query)).items.map(({ id }) => id);
  expect(await idsOf({ state: 'open' })).toEqual([open.id]);
  expect(await idsOf({ state: 'converted' })).toEqual([basket.id]);
  expect(await idsOf({ state: 'abandoned' })).toEqual([]);
  expect(await idsOf({ q: open.id.toUpperCase() })).toEqual([open.id]);
  expect(await idsOf({ state: 'converted', q: open.id })).toEqual([]);
  expect((await list(rehearsal, 'customer', { q: 'ADA BYRNE' })).items.map(({ id }) => id)).toEqual(['cus_ada']);
});

const OBJECTS = { order: { application: 'oms', collection: 'orders', definition: order, indexes: [] } } as const;
const TYPE = listedType(OBJECTS, 'order');

async function grownWorld(count: number) {
  const { store, worlds } = createMemoryStore();
  const world = await worlds.open('grown', { now: 0, applications: {}, due: [] }, { bearer: '', apiKey: '', webhookSecret: '' });
  const stateOf = (n: number): string => (n === 10 ? 'cancelled' : 'draft');
  const ids = Array.from({ length: count }, (_, n) => `ord_${n}`);
  const put = ids.map((id, n) => {
    const json = JSON.stringify({ id, state: stateOf(n), orderNumber: `number-${n}` });
    return { collection: 'orders', id, read: 0, version: 1, json };
  });
  const index = ids.map((id, n) => ({ collection: 'orders', name: STATE_INDEX, id, value: stateOf(n), was: null }));
  await store('oms').commit(world, aPlan({ put, index }));
  let rows = 0;
  const all: typeof worlds.all = async (...asked) => {
    const found = await worlds.all(...asked);
    rows += found.length;
    return found;
  };
  return { place: { world, objects: OBJECTS }, worlds: { ...worlds, all }, rowsRead: () => rows };
}

plainTest(
  'A search in a list of thousands of objects reads a limited number of them, returns its matches, and continues at next',
  async () => {
    const { place, worlds, rowsRead } = await grownWorld(2_500);
    const pages = [await listObjectsOf(worlds, place, TYPE, { q: 'number-7', limit: 1_000 })];
    expect(rowsRead()).toBeLessThanOrEqual(1_005);
    for (let before = pages[0]?.next; before !== undefined; before = pages.at(-1)?.next) {
      pages.push(await listObjectsOf(worlds, place, TYPE, { q: 'number-7', limit: 1_000, before }));
    }
    expect(pages.length).toBe(3);
    const found = pages.flatMap(({ items }) => items.map(({ id }) => id));
    expect(found.length).toBe(111);
    expect([found[0], found.at(-1)]).toEqual(['ord_799', 'ord_7']);
  },
);

plainTest('A list of thousands of objects of a state reads the objects in that state only', async () => {
  const { place, worlds, rowsRead } = await grownWorld(2_500);
  const { items, next } = await listObjectsOf(worlds, place, TYPE, { state: 'cancelled', limit: 50 });
  expect([items.map(({ id }) => id), next, rowsRead()]).toEqual([['ord_10'], undefined, 0]);
});

const stock = (rehearsal: TestRehearsal, query: Record<string, unknown> = {}) => rehearsal.control('list-stock', { query });

test('A list of stock has every SKU at every location, page by page, and agrees with the inventory items', async (rehearsal) => {
  await anOrder(rehearsal);
  const { items: all, next } = await stock(rehearsal, { limit: 500 });
  expect(next).toBeUndefined();
  const pages = [];
  for (let after: string | undefined; ; ) {
    const page = await stock(rehearsal, { limit: 7, ...(after !== undefined && { after }) });
    pages.push(...page.items);
    after = page.next;
    if (after === undefined) break;
  }
  expect(pages).toEqual(all);
  const bySku = Map.groupBy(all, ({ sku }) => sku);
  const skus = (await list(rehearsal, 'inventory-item', { limit: 200 })).items.map(({ id }) => id);
  expect([...bySku.keys()].toSorted()).toEqual(skus.toSorted());
  for (const [sku, levels] of bySku) {
    expect({ sku, locations: levels.map(({ sku: _sku, name: _name, locationName: _location, ...level }) => level) }).toEqual(
      await rehearsal.object('inventory-item', sku),
    );
  }
  expect(bySku.get('mug-blue')?.[0]).toMatchObject({ name: 'Blue stoneware mug', locationName: 'Athlone distribution centre' });
  expect(bySku.get('mug-blue')?.reduce((sum, { reserved }) => sum + reserved, 0)).toBe(2);
});

test('A list of stock can be filtered by SKU and by location', async (rehearsal) => {
  const mugs = (await stock(rehearsal, { sku: 'mug-blue' })).items;
  expect(mugs.length).toBeGreaterThan(1);
  const [first] = mugs;
  const location = first?.locationId ?? '';
  expect((await stock(rehearsal, { sku: 'mug-blue', location })).items).toEqual([first]);
  expect((await stock(rehearsal, { location, limit: 500 })).items.every(({ locationId }) => locationId === location)).toBe(true);
  const page = await stock(rehearsal, { sku: 'mug-blue', limit: 1 });
  expect((await stock(rehearsal, { sku: 'mug-blue', after: page.next })).items).toEqual(mugs.slice(1));
});

test('A refusal quotes the start of an id that is too long, whatever the id has', async (rehearsal) => {
  const quoted = `"${'x'.repeat(100)}…"`;
  const long = 'x'.repeat(5_000);
  const asks = ['explanations/order', 'explanations/any', 'objects/order', 'events', 'journal'].map((path) => `/_control/${path}/${long}`);
  for (const path of [...asks, `/orders/${long}`]) {
    const { status, body } = await rehearsal.call('GET', path, undefined, path.startsWith('/_') ? { as: 'admin' } : {});
    expect([path.slice(0, 30), status, (body as { detail: string }).detail]).toEqual([
      path.slice(0, 30),
      404,
      expect.stringContaining(quoted),
    ]);
  }
});
