import { expect, test } from '@jest/globals';
import type { ApiInput } from '../../rehearsal/call-types.ts';
import type { OwnData } from '../../shared/catalog/control/own-data.ts';
import { checkDigit } from '../../shared/domain/barcode.ts';
import { eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { kettle } from '../support/kettle.ts';
import { byHand } from '../support/steps/by-hand.ts';
import { sharedIn, testIn } from '../support/test-in.ts';

type Query = NonNullable<ApiInput<'list-orders-api'>['query']>;

const idsIn = async (rehearsal: TestRehearsal, query: Query = {}) =>
  (await rehearsal.api('list-orders-api', { query })).items.map(({ id }) => id);

/** All pages of a list. */
async function allPages(rehearsal: TestRehearsal, query: Query) {
  const pages: string[][] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const { items, nextCursor } = await rehearsal.api('list-orders-api', { query: { ...query, cursor } });
    pages.push(items.map(({ id }) => id));
    cursor = nextCursor;
  }
  return pages;
}

const inOwn = testIn(byHand);

inOwn('List Orders returns orders as they were created, oldest first, and filters them by customer, state and time', async (rehearsal) => {
  await rehearsal.control('set-clock', { body: { flowing: false } });
  const placed: { id: string; at: string }[] = [];
  for (const customerId of ['cus_ada', 'cus_ben', 'cus_ada', 'cus_ben']) {
    await rehearsal.advance('PT1H');
    const { id, createdAt } = await rehearsal.draft({ customerId, qty: 1 });
    placed.push({ id, at: createdAt });
  }
  const [first, second, third, fourth] = placed.map(({ id }) => id);
  const [, secondAt = '', thirdAt = ''] = placed.map(({ at }) => at);
  await rehearsal.cancel(third ?? '');
  const expected: [Query, (string | undefined)[]][] = [
    [{}, [first, second, third, fourth]],
    [{ customerId: 'cus_ada' }, [first, third]],
    [{ customerId: 'cus_eve' }, []],
    [{ state: 'cancelled' }, [third]],
    [{ state: 'draft' }, [first, second, fourth]],
    [{ state: 'draft', customerId: 'cus_ben' }, [second, fourth]],
    [{ placedAfter: secondAt }, [second, third, fourth]],
    [{ placedBefore: secondAt }, [first]],
    [{ placedAfter: secondAt, placedBefore: thirdAt }, [second]],
    [{ placedAfter: thirdAt, placedBefore: secondAt }, []],
    [{ placedAfter: secondAt, customerId: 'cus_ada' }, [third]],
    [{ placedAfter: secondAt, state: 'draft' }, [second, fourth]],
    [{ placedAfter: '2999-01-01T00:00:00Z' }, []],
    [{ placedAfter: '0001-01-01T00:00:00Z' }, [first, second, third, fourth]],
  ];
  for (const [query, ids] of expected) expect([query, await idsIn(rehearsal, query)]).toEqual([query, ids]);
  for (const [query, ids] of expected) expect([query, (await allPages(rehearsal, { ...query, limit: '1' })).flat()]).toEqual([query, ids]);
  const [order] = (await rehearsal.api('list-orders-api', { query: { limit: '1' } })).items;
  expect(order).toMatchObject({ id: first, state: 'draft', customerId: 'cus_ada', version: 1 });
  expect(order).not.toHaveProperty('payments');
});

inOwn('List Orders finds an order by its reference, and combines this filter with others', async (rehearsal) => {
  const { id: basketId } = await rehearsal.checkedOut();
  const reference = { source: 'shop/eu', id: '#1001+a' };
  const { body } = await rehearsal.call('create-order-api', { body: { basketId, reference } });
  await rehearsal.draft();
  const named = { referenceSource: reference.source, referenceId: reference.id };
  expect(await idsIn(rehearsal, named)).toEqual([body.id]);
  expect(await idsIn(rehearsal, { ...named, state: 'draft', customerId: 'cus_ada' })).toEqual([body.id]);
  for (const other of [
    { ...named, state: 'cancelled' },
    { ...named, referenceSource: 'shop' },
    { ...named, referenceId: '#1001' },
  ] as const)
    expect(await idsIn(rehearsal, other)).toEqual([]);
});

inOwn('List Orders finds an order by its time when another order was created later and stored first', async (rehearsal) => {
  await rehearsal.control('set-clock', { body: { flowing: false } });
  const [slow, quick] = [await rehearsal.checkedOut(), await rehearsal.checkedOut()];
  await rehearsal.fault('slow', { match: { api: 'convert-basket' }, fault: { kind: 'latency', ms: 1_500 }, times: 1 });
  const first = rehearsal.draft(slow.id);
  await eventually('the first order waits', async () => (await rehearsal.control('list-faults')).items[0]?.hits === 1);
  await rehearsal.advance('PT1M');
  const later = await rehearsal.draft(quick.id);
  const earlier = await first;
  expect(earlier.createdAt < later.createdAt).toBe(true);
  expect(await idsIn(rehearsal, { placedAfter: later.createdAt })).toEqual([later.id]);
  expect(await idsIn(rehearsal, { placedBefore: later.createdAt })).toEqual([earlier.id]);
  expect(await idsIn(rehearsal, { placedAfter: earlier.createdAt })).toHaveLength(2);
});

function gtinOf(place: number): string {
  const digits = `978123${String(place).padStart(6, '0')}`;
  return `${digits}${checkDigit(digits)}`;
}

test('A page of List Orders has at most 1,000 lines, and its cursor continues', async () => {
  const skus = Array.from({ length: 200 }, (_, n) => `kettle-${n}`);
  const data: OwnData = {
    products: skus.map((sku, place) => ({ ...kettle, sku, gtin: gtinOf(place) })),
    stock: skus.map((sku) => ({ sku, onHand: { 'dc-01': 10 } })),
  };
  await using rehearsal = await newRehearsal(undefined, data);
  const placed: string[] = [];
  for (let n = 0; n < 7; n++) {
    const { id } = await rehearsal.draft({ lines: skus.slice(n === 6 ? 199 : 0).map((sku) => ({ sku, qty: 1 })) });
    placed.push(id);
  }
  for (const query of [{}, { customerId: 'cus_ada', state: 'draft' }, { placedAfter: '2000-01-01T00:00:00Z' }] as const) {
    expect([query, await allPages(rehearsal, { ...query, limit: '100' })]).toEqual([query, [placed.slice(0, 5), placed.slice(5)]]);
  }
});

const shared = sharedIn(() => newRehearsal());

test.each([
  [{ state: 'canceled' }, '?state', 'There is no state of an order canceled; did you mean cancelled?'],
  [{ referenceId: '1' }, '?referenceSource', 'This is required with referenceId: a reference has a source and an id.'],
  [{ referenceSource: 'shop' }, '?referenceId', 'This is required with referenceSource: a reference has a source and an id.'],
  [{ placedAfter: 'yesterday' }, '?placedAfter', undefined],
  [{ cursor: 'x' }, '?cursor', undefined],
  [{ limit: '101' }, '?limit', undefined],
  [{ reference: 'shop/1' }, '?reference', undefined],
])('List Orders refuses %j', async (query, pointer, detail) => {
  const { status, body } = await shared.call('list-orders-api', { query } as never);
  expect([status, body]).toMatchObject([
    422,
    { code: 'validation_failed', errors: [{ pointer, ...(detail !== undefined && { detail }) }] },
  ]);
});

test('A credential of another rehearsal lists no orders of this one', async () => {
  await using own = await newRehearsal();
  const { id } = await shared.draft();
  expect(await idsIn(own)).not.toContain(id);
  expect(await idsIn(shared)).toContain(id);
});
