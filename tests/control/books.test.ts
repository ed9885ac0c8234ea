import { expect, test as plainTest } from '@jest/globals';
import { estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { openRehearsal } from '../support/open-rehearsal.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

/** The entries of some books, as `book entry` and value. */
async function entriesOf({ control }: Pick<TestRehearsal, 'control'>, ...wanted: string[]): Promise<Record<string, number>> {
  const { entries } = await control('read-books');
  return Object.fromEntries(entries.flatMap(({ book, entry, value }) => (wanted.includes(book) ? [[`${book} ${entry}`, value]] : [])));
}

test('The books of a completed order have its states, money, stock, points and events', async (rehearsal) => {
  const onHand = async () => Object.values(await rehearsal.stockOf('mug-blue')).reduce((sum, [units]) => sum + units, 0);
  const before = await onHand();
  expect(await entriesOf(rehearsal, 'money', 'events')).toEqual({});
  await rehearsal.completed();
  await rehearsal.settle();
  // Two mugs at 12.99 and shipping of 4.90. The goods of 25.98 earn 25 points.
  expect(await entriesOf(rehearsal, 'money')).toEqual({ 'money captured': 3_088 });
  expect(await entriesOf(rehearsal, 'points')).toMatchObject({ 'points loy_ada': 525 });
  expect(await entriesOf(rehearsal, 'objects', 'events')).toMatchObject({
    'objects order completed': 1,
    'objects payment captured': 1,
    'objects fulfillment-order delivered': 1,
    'objects shipment delivered': 1,
    'events order-confirmed': 1,
    'events payment-captured': 1,
  });
  const stock = await entriesOf(rehearsal, 'stock');
  expect(stock).toMatchObject({ 'stock mug-blue on hand': before - 2 });
  expect(Object.keys(stock).filter((entry) => entry.endsWith(' reserved'))).toEqual([]);
  expect(await onHand()).toBe(before - 2);
});

test('The books count a reservation, an authorisation, and the work that is still due', async (rehearsal) => {
  await rehearsal.progress({ warehouse: 'manual' });
  const { id } = await rehearsal.draft();
  await rehearsal.authorisation(id);
  await rehearsal.settle();
  expect(await entriesOf(rehearsal, 'money')).toEqual({ 'money authorised': 3_088 });
  expect(await entriesOf(rehearsal, 'stock')).toMatchObject({ 'stock mug-blue reserved': 2 });
  const work = await entriesOf(rehearsal, 'work');
  expect(Object.keys(work).every((entry) => /^work [a-z-]+ [a-z-]+$/.test(entry))).toBe(true);
  expect(work).toMatchObject({ 'work oms expire-draft': 1 });
});

test('The books of a rehearsal, of its snapshot, of a fork and of the opened snapshot are equal', async (rehearsal) => {
  await rehearsal.confirmed();
  await rehearsal.settle();
  const { name } = rehearsal;
  await rehearsal.control('save-snapshot', { params: { name }, body: { rehearsal: rehearsal.name } });
  await using opened = await openRehearsal(estate.gateway, undefined, { from: { snapshot: name } });
  await using fork = await openRehearsal(estate.gateway, undefined, { from: { rehearsal: rehearsal.name } });
  for (const to of [`snapshot:${name}`, opened.name, fork.name]) {
    const { books } = await rehearsal.control('compare-worlds', { query: { from: rehearsal.name, to } });
    expect([to, books]).toEqual([to, []]);
  }
  const { now: _now, ...books } = await rehearsal.control('read-books');
  const { now: _then, ...ofFork } = await fork.control('read-books');
  expect(ofFork).toEqual(books);
  await rehearsal.control('delete-snapshot', { params: { name } });
});

test('A comparison names the entries of the books that differ, also if one world lacks them', async (rehearsal) => {
  await rehearsal.draft();
  await using fork = await openRehearsal(estate.gateway, undefined, { from: { rehearsal: rehearsal.name } });
  const { items } = await fork.control('list-objects', { params: { type: 'order' } });
  await fork.api('cancel-order-api', { params: { id: items[0]?.id ?? '' } });
  await fork.settle();
  const { books } = await rehearsal.control('compare-worlds', { query: { from: rehearsal.name, to: fork.name } });
  expect(books).toEqual(
    expect.arrayContaining([
      { book: 'objects', entry: 'order draft', from: 1, to: 0 },
      { book: 'objects', entry: 'order cancelled', from: 0, to: 1 },
      { book: 'events', entry: 'order-cancelled', from: 0, to: 1 },
    ]),
  );
});

plainTest('Two rehearsals with the same business have the same books, whatever their ids and times', async () => {
  const booksOf = async (days: string) => {
    await using rehearsal = await newRehearsal();
    await rehearsal.advance(days);
    await rehearsal.completed();
    await rehearsal.settle();
    const { currency, entries } = await rehearsal.control('read-books');
    return { currency, entries };
  };
  expect(await booksOf('P1D')).toEqual(await booksOf('P9D'));
});

test('The books count failed refunds, lost disputes and parked work', async (rehearsal) => {
  const { id } = await rehearsal.draft();
  await rehearsal.authorisation(id, undefined, 'tok_refund_fails');
  const { payments } = await rehearsal.completedOrder(id);
  const payment = { params: { id: payments[0]?.id ?? '' } };
  await rehearsal.api('refund-payment-api', { ...payment, body: { amount: { amount: 1_000, currency: 'EUR' }, reason: 'goodwill' } });
  await rehearsal.advance('P1D');
  await rehearsal.control('open-dispute', { ...payment, body: { reason: 'general', amount: { amount: 500, currency: 'EUR' } } });
  expect(await entriesOf(rehearsal, 'money')).toEqual({ 'money captured': 3_088, 'money failed refunds': 1_000, 'money in dispute': 500 });
  await rehearsal.control('close-dispute', { ...payment, body: { outcome: 'lost' } });
  const fault = { kind: 'status', status: 500, code: 'internal_error' };
  await rehearsal.fault('broken', { match: { api: 'allocate-inventory-api' }, fault });
  await rehearsal.confirmed();
  await rehearsal.advance('P2D');
  expect(await entriesOf(rehearsal, 'money', 'work')).toMatchObject({ 'money lost in disputes': 500, 'work parked': 1 });
  await rehearsal.noFaults();
  await rehearsal.control('redrive-parked', { body: {} });
  await rehearsal.settle();
});
