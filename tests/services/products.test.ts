import { expect } from '@jest/globals';
import type { ApiInput } from '../../rehearsal/call-types.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { typesOf } from '../support/steps/events.ts';
import { CASH } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const move = (rehearsal: TestRehearsal, id: string, verb: string) =>
  rehearsal.control('move-product-by-hand', { params: { id, verb } }) as Promise<{ state: string }>;

test('A product can be found from its activation until it is archived', async (rehearsal) => {
  const found: string[] = [];
  for (const verb of ['enrich', 'submit', 'rework', 'submit', 'approve', 'suspend', 'resume', 'discontinue', 'archive']) {
    const { state } = await move(rehearsal, 'radio-draft', verb);
    const { status } = await rehearsal.call('get-product-api', { params: { id: 'radio-draft' } });
    found.push(`${state} ${status}`);
  }
  const before = ['enrichment 404', 'review 404', 'enrichment 404', 'review 404'];
  expect(found).toEqual([...before, 'active 200', 'suspended 200', 'active 200', 'discontinued 200', 'archived 404']);
  const events = await rehearsal.events({ subject: 'product/prd_radio-draft', ext: true });
  expect(new Set(typesOf(events))).toEqual(new Set(['ext.product-changed']));
  expect(events.map(({ aggregateversion }) => aggregateversion)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const suspended = { previousState: 'active', object: { state: 'suspended' } };
  expect(events.at(5)).toMatchObject({ classification: 'transitioned', data: suspended });
});

test('An unknown product, and an unknown verb, are refused', async (rehearsal) => {
  await expect(move(rehearsal, 'no-such-thing', 'suspend')).rejects.toThrow('404');
  await expect(move(rehearsal, 'mug-blue', 'polish')).rejects.toThrow('enrich');
});

test.each([
  ['suspend', 'suspended'],
  ['discontinue', 'discontinued'],
])('A product after %s cannot be added, checked out or sold at the till, and its basket stays open', async (rehearsal, verb, state) => {
  const { id, version } = await rehearsal.basket({ qty: 1 });
  await move(rehearsal, 'mug-blue', verb);
  const lines = [{ sku: 'mug-blue', qty: 1 }];
  const till = { storeId: 'store-01', laneId: 'lane-1' };
  const replies = [
    await rehearsal.addLine(id, { sku: 'mug-blue', qty: 1 }),
    await rehearsal.checkOut(id),
    await rehearsal.call('create-transaction-api', { body: { ...till, basketId: id } }),
    await rehearsal.call('create-transaction-api', { body: { ...till, lines } }),
    await rehearsal.call('create-basket-api', { body: { channel: 'web', lines } }),
  ];
  const refusal = { status: 409, code: 'invalid_state_transition', objectType: 'product', id: 'prd_mug-blue', currentState: state };
  for (const { body } of replies) expect(body).toMatchObject({ ...refusal, allowedFrom: ['active'] });
  expect(await rehearsal.object('basket', id)).toMatchObject({ state: 'open', version });
});

test('A resumed product is for sale again', async (rehearsal) => {
  await move(rehearsal, 'chair-suspended', 'resume');
  await rehearsal.checkedOut({ sku: 'chair-suspended', qty: 1 });
});

test('List Products pages through the products that customers see, and finds them by text, barcode and state', async (rehearsal) => {
  const list = async (query: ApiInput<'list-products-api'>['query']) => {
    const { items, nextCursor } = await rehearsal.api('list-products-api', { query });
    return { skus: items.map(({ sku }) => sku), nextCursor };
  };
  const all = await list({ limit: 100 });
  expect(all.skus).not.toContain('radio-draft');
  const first = await list({ limit: 3 });
  const second = await list({ limit: 3, cursor: first.nextCursor });
  expect([...first.skus, ...second.skus]).toEqual(all.skus.slice(0, 6));
  expect((await list({ q: 'KILN  mug blue' })).skus).toEqual(['mug-blue']);
  await move(rehearsal, 'mug-blue', 'suspend');
  expect((await list({ state: 'suspended' })).skus).toContain('mug-blue');
  expect((await list({ state: 'active', q: 'mug-blue' })).skus).toEqual([]);
  expect(await list({ gtin: '09521001000079' })).toEqual({ skus: ['mug-blue'], nextCursor: undefined });
  expect(await list({ gtin: '9521001000079', state: 'active' })).toEqual({ skus: [], nextCursor: undefined });
  const refused = await rehearsal.call('list-products-api', { query: { gtin: '9521001000078' } });
  expect(refused).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: '?gtin', detail: 'The last digit is not the check digit of the others.' }] },
  });
});

const LINES = ['wine-red', 'mug-blue'].map((sku) => ({ sku, qty: 1 }));
const AGES = [18, undefined];
const ages = ({ lines }: { lines: { minAge?: number }[] }) => lines.map(({ minAge }) => minAge);

test('A line of a product with a minimum age shows it on the basket, from the first line to the checkout, and on its order', async (rehearsal) => {
  await rehearsal.progress({ warehouse: 'manual' });
  const { id } = await rehearsal.basket({ lines: [] });
  for (const line of LINES) await rehearsal.addLine(id, line);
  expect(ages(await rehearsal.object('basket', id))).toEqual(AGES);
  const draft = await rehearsal.draft({ lines: LINES });
  expect([ages(await rehearsal.object('basket', draft.basketId)), ages(draft)]).toEqual([AGES, AGES]);
});

test('A line of a product with a minimum age shows it on the transaction of a till and on the order of the sale', async (rehearsal) => {
  const sale = await rehearsal.sale({ lines: LINES });
  expect(ages(sale)).toEqual(AGES);
  await rehearsal.pay(sale.id, CASH, 1450 + 1299);
  await rehearsal.settle();
  const order = await rehearsal.order(sale.id);
  expect([order.state, ages(order)]).toEqual(['completed', AGES]);
});
