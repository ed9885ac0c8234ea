import { expect } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const searching = (rehearsal: TestRehearsal, q: string, limit = 5) => rehearsal.client.control('search', { query: { q, limit } });
const found = async (rehearsal: TestRehearsal, q: string) => (await searching(rehearsal, q)).items.map(({ type, id }) => `${type}/${id}`);

test('Search finds an order by its id, its number, its goods, its total, and the e-mail, phone and name of its customer', async (rehearsal) => {
  const { id, orderNumber } = await rehearsal.confirmed({ customerId: 'cus_ben' });
  const { email, phone, lastName } = await rehearsal.object('customer', 'cus_ben');
  for (const q of [id, id.toLowerCase(), orderNumber, 'mug-blue', '30.88', '30,88', email, email.toUpperCase(), phone, lastName]) {
    expect([q, await found(rehearsal, q)]).toEqual([q, expect.arrayContaining([`order/${id}`])]);
  }
  expect(await found(rehearsal, 'ada@example.test')).not.toContain(`order/${id}`);
});

test('Search finds the parcels of an order and of a return by the name of the customer, and no parcel of another customer', async (rehearsal) => {
  const order = await rehearsal.completed();
  const { id } = await rehearsal.announced(order, 1, { dropOff: 'carrier' });
  await rehearsal.moved(id, 'approve');
  const { lastName } = await rehearsal.object('customer', 'cus_ada');
  const parcels = (await rehearsal.client.control('list-objects', { params: { type: 'shipment' } })).items;
  const ids = parcels.map((one) => one.id);
  expect(parcels.map(({ related }) => related[0]?.type)).toEqual(['return', 'fulfillment-order']);
  expect(await found(rehearsal, lastName)).toEqual(expect.arrayContaining(ids.map((one) => `shipment/${one}`)));
  expect((await found(rehearsal, 'Okafor')).filter((one) => one.startsWith('shipment/'))).toEqual([]);
  const listed = await rehearsal.client.control('list-objects', { params: { type: 'shipment' }, query: { q: lastName } });
  expect(listed.items.map((one) => one.id)).toEqual(ids);
});

test('Search lists the object with the id first, then objects that name it', async (rehearsal) => {
  const order = await rehearsal.confirmed({ customerId: 'cus_ben' });
  const [first, ...others] = await found(rehearsal, ` ${order.id} `);
  expect([first, others]).toEqual([`order/${order.id}`, expect.arrayContaining([expect.stringMatching(/^payment\//)])]);
});

test('Search lists objects with the name first, people and orders before other objects, and names the customer of an order', async (rehearsal) => {
  const { id, orderNumber, basketId } = await rehearsal.confirmed();
  const [first] = await found(rehearsal, orderNumber);
  expect(first).toBe(`order/${id}`);
  const { items } = await searching(rehearsal, 'Byrne');
  expect(items.slice(0, 2).map((one) => `${one.type}/${one.id}`)).toEqual(['customer/cus_ada', `order/${id}`]);
  expect(items.at(-1)).toMatchObject({ type: 'basket', id: basketId });
  expect(items[1]).toMatchObject({ names: { cus_ada: 'Ada Byrne' }, columns: { total: '30.88 EUR' } });
});

test('Search lists the product with the exact name before a customer whose interactions name it', async (rehearsal) => {
  const { items } = await searching(rehearsal, 'desk lamp');
  expect(items.slice(0, 2).map(({ type, id }) => `${type}/${id}`)).toEqual(['product/prd_lamp-desk', 'customer/cus_ada']);
});

test('Search finds a trace by its correlation id, and an event by its id', async (rehearsal) => {
  await rehearsal.confirmed();
  const [event] = await rehearsal.events({ type: 'order-confirmed' });
  expect(await searching(rehearsal, event.id)).toMatchObject({
    items: [],
    traces: [],
    events: [{ id: event.id, subject: event.subject }],
  });
  const { traces } = await searching(rehearsal, event.correlationid);
  expect(traces).toMatchObject([{ correlationId: event.correlationid, status: expect.any(Number) }]);
});

test('Search lists at most the requested number of objects of each type', async (rehearsal) => {
  const { items } = await searching(rehearsal, 'e', 2);
  const types = Map.groupBy(items, ({ type }) => type);
  expect([types.get('product')?.length, types.get('customer')?.length]).toEqual([2, 2]);
});
