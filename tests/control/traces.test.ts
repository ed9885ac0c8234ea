import { expect, test as plainTest } from '@jest/globals';
import { findTraces } from '../../control/journal/traces.ts';
import type { ControlCall } from '../../shared/catalog/control/define-operation.ts';
import type { listTraces } from '../../shared/catalog/control/operations/traces.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { aHop } from '../ports/a-hop.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

type Query = ControlCall<typeof listTraces>['query'];

const list = (rehearsal: TestRehearsal, query: Query = {}) => rehearsal.control('list-traces', { query });
const idsOf = async (rehearsal: TestRehearsal, query: Query = {}) =>
  (await list(rehearsal, query)).items.map(({ correlationId }) => correlationId);

const withId = (correlationId: string) => ({ headers: { 'x-correlation-id': correlationId } });
const readProduct = (rehearsal: TestRehearsal, correlationId: string, id = 'mug-blue') =>
  rehearsal.call('get-product-api', { params: { id }, ...withId(correlationId) });
const openBasket = (rehearsal: TestRehearsal, correlationId: string) =>
  rehearsal.api('create-basket-api', { body: { customerId: 'cus_ada', channel: 'web' }, ...withId(correlationId) });

test('Traces are listed one per correlation id, newest first, with a summary of each', async (rehearsal) => {
  const { id } = await openBasket(rehearsal, 'shopping');
  await rehearsal.api('add-line-to-basket-api', { params: { id }, body: { sku: 'mug-blue', qty: 1 }, ...withId('shopping') });
  await readProduct(rehearsal, 'looking', 'nothing');
  await rehearsal.settle();
  const { items, next } = await list(rehearsal);
  expect(next).toBeUndefined();
  expect(items.map(({ correlationId }) => correlationId)).toEqual(['looking', 'shopping']);
  const { items: hops } = await rehearsal.control('read-journal', { query: { correlationId: 'shopping' } });
  const { items: events } = await rehearsal.control('list-events', { query: { correlationId: 'shopping', ext: 'true' } });
  const asked = { method: 'POST', path: `/baskets/${id}/lines`, api: 'add-line-to-basket-api', application: 'ecommerce-platform' };
  const counts = { requests: 2, events: events.length, failed: 0, faults: [], objects: [{ type: 'basket', id }] };
  expect(items[1]).toMatchObject({
    ...asked,
    ...counts,
    calls: hops.filter(({ parentId, method }) => parentId !== undefined && method !== 'CONSUME').length,
    deliveries: hops.filter(({ method }) => method === 'CONSUME').length,
    startedAt: hops.map(({ startedAt }) => startedAt).toSorted()[0],
  });
  expect(items[0]).toMatchObject({ status: 404, requests: 1, failed: 1, events: 0, objects: [] });
});

test.each([{}, { q: 'MUG' }])('Traces are listed in pages, and the last page has no next: %j', async (rehearsal, filter) => {
  for (let n = 1; n <= 5; n++) await readProduct(rehearsal, `c${n}`, `mug-${n}`);
  const first = await list(rehearsal, { ...filter, limit: 2 });
  const last = await list(rehearsal, { ...filter, limit: 3, before: first.next });
  const ids = [first, last].map(({ items }) => items.map(({ correlationId }) => correlationId).join());
  expect([ids, last.next]).toEqual([['c5,c4', 'c3,c2,c1'], undefined]);
});

test('Traces are found by text, application, API, status, fault, object and correlation id', async (rehearsal) => {
  await readProduct(rehearsal, 'fine');
  await readProduct(rehearsal, 'missing', 'nothing');
  const { id } = await openBasket(rehearsal, 'basket');
  await rehearsal.fault('pim-down', { match: { api: 'get-product-api' }, fault: { kind: 'outage' } });
  await readProduct(rehearsal, 'failing');
  await rehearsal.settle();
  const expected: readonly (readonly [Query, string[]])[] = [
    [{ q: 'FAIL' }, ['failing']],
    [{ q: '/baskets' }, ['basket']],
    [{ application: 'ecommerce-platform' }, ['failing', 'basket', 'missing', 'fine']],
    [{ api: 'create-basket-api' }, ['basket']],
    [{ status: 'ok' }, ['basket', 'fine']],
    [{ status: 'refused' }, ['missing']],
    [{ status: 'failed' }, ['failing']],
    [{ fault: 'pim-down' }, ['failing']],
    [{ object: `basket/${id}` }, ['basket']],
    [{ object: `basket/${id}`, correlationId: 'fine' }, []],
    [{ object: `basket/${id}`, status: 'refused' }, []],
    [{ correlationId: 'missing' }, ['missing']],
  ];
  for (const [query, ids] of expected) expect([query, await idsOf(rehearsal, query)]).toEqual([query, ids]);
});

test('A trace of a fulfilled order describes the request of the client, not the webhooks of the carrier', async (rehearsal) => {
  await rehearsal.progress({ warehouse: 'immediate' });
  const { id } = await rehearsal.authorised();
  await rehearsal.api('confirm-order-api', { params: { id }, ...withId('confirming') });
  await rehearsal.settle();
  const hops = await rehearsal.journal('confirming');
  expect(hops.map(({ api }) => api)).toContain('carrier-webhook');
  const { items } = await list(rehearsal, { correlationId: 'confirming' });
  expect(items).toMatchObject([{ api: 'confirm-order-api', status: 200, requests: 1, application: 'oms' }]);
});

test.each(['release-holds', 'event:order-confirmed', 'due:end-hold'])('A filter for traces may name %s', async (rehearsal, api) => {
  expect(await list(rehearsal, { api })).toEqual({ items: [], discarded: 0 });
});

const CREDENTIALS = { bearer: 'b', apiKey: 'k', webhookSecret: 'w' };

async function searching(traces: number) {
  const { worlds, control } = createMemoryStore();
  const world = await worlds.open('r', { now: 1_000, applications: {}, due: [] }, CREDENTIALS);
  for (let n = 1; n <= traces; n++)
    control.journal(world, aHop({ requestId: `r${n}`, correlationId: `c${n}`, facts: { path: `/${n % 2_000}` } }));
  let looked = 0;
  const counting: typeof worlds.traces = async (...asked) => {
    const page = await worlds.traces(...asked);
    looked += page.traces.length;
    return page;
  };
  return {
    find: (before?: number) => findTraces({ ...worlds, traces: counting }, world, { fault: 'none', limit: 50, before }),
    findText: (q: string, before?: number) => findTraces({ ...worlds, traces: counting }, world, { q, limit: 1, before }),
    looked: () => looked,
  };
}

plainTest('A search for traces reads at most 1,000 summaries at a time, and returns where to continue', async () => {
  const { find, looked } = await searching(2_500);
  const first = await find();
  expect([first, looked()]).toEqual([{ traces: [], next: 1_501 }, 1_000]);
  const second = await find(first.next);
  expect([second, looked()]).toEqual([{ traces: [], next: 501 }, 2_000]);
  expect([await find(second.next), looked()]).toEqual([{ traces: [], next: undefined }, 2_500]);
});

plainTest('A search for traces finds a match beyond that limit when it continues', async () => {
  const { findText } = await searching(1_500);
  const first = await findText('C3');
  expect(first).toEqual({ traces: [], next: 501 });
  const second = await findText('C3', first.next);
  expect([second.traces.map(({ correlationId }) => correlationId), second.next]).toEqual([['c399'], 399]);
});
