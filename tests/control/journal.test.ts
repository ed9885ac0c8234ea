import { expect, test as plainTest } from '@jest/globals';
import { readHops } from '../../control/operations/journal.ts';
import type { ControlCall } from '../../shared/catalog/control/define-operation.ts';
import type { readJournal } from '../../shared/catalog/control/operations/journal.ts';
import { createMemoryStore } from '../../shared/store/memory/store.ts';
import { aHop } from '../ports/a-hop.ts';
import { ADDRESS, estate, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { brokenTies } from '../support/journal-ties.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const readAda = (rehearsal: TestRehearsal, correlationId: string) =>
  rehearsal.call('get-customer-api', { params: { id: 'cus_ada' }, headers: { 'x-correlation-id': correlationId } });

const journal = (rehearsal: TestRehearsal, query: ControlCall<typeof readJournal>['query'] = {}) =>
  rehearsal.control('read-journal', { query });

test('The journal lists each hop with its position and its start in wall time', async (rehearsal) => {
  const before = Date.now();
  await readAda(rehearsal, 'one');
  await readAda(rehearsal, 'two');
  const { items, next, complete } = await journal(rehearsal);
  expect(items.map(({ sequence, correlationId }) => `${sequence} ${correlationId}`)).toEqual(['1 one', '2 two']);
  expect([next, complete]).toEqual([2, true]);
  const later = await journal(rehearsal, { after: 1, limit: 1 });
  expect([later.items.map(({ sequence }) => sequence), later.next]).toEqual([[2], 2]);
  expect(await journal(rehearsal, { correlationId: 'nobody' })).toMatchObject({ items: [], next: 2 });
  const starts = items.map(({ startedAt }) => Date.parse(startedAt));
  expect(starts).toEqual(starts.toSorted());
  expect(starts[0]).toBeGreaterThanOrEqual(before - 1);
  expect(starts[1]).toBeLessThanOrEqual(Date.now());
  expect(items[0]?.startedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test.each<Record<string, string>>([{ 'x-correlation-id': 'by-hand' }, {}])(
  'The journal has the hops of an operation that acts as the outside world under the correlation id of its answer (sent: %j)',
  async (rehearsal, sent) => {
    const { status, headers } = await rehearsal.call('move-customer-by-hand', { params: { id: 'cus_ada', verb: 'block' }, headers: sent });
    const correlationId = String(headers['x-correlation-id']);
    expect([status, correlationId]).toEqual([200, expect.stringMatching(sent['x-correlation-id'] ?? /^req_/)]);
    expect((await journal(rehearsal, { correlationId })).items.length).toBeGreaterThan(0);
    await rehearsal.control('settle');
    const { items } = await rehearsal.control('list-events', { query: { correlationId, ext: 'true' } });
    expect(items.length).toBeGreaterThan(0);
  },
);

test('The journal omits bodies on request, and has them in the record of one hop', async (rehearsal) => {
  await readAda(rehearsal, 'one');
  const [head] = (await journal(rehearsal, { bodies: 'false' })).items;
  expect(head).not.toHaveProperty('response');
  const hop = await rehearsal.control('read-hop', { params: { requestId: head?.requestId ?? '' } });
  expect(hop).toEqual({ ...head, response: expect.objectContaining({ id: 'cus_ada' }) });
  expect((await journal(rehearsal)).items).toEqual([hop]);
});

test.each([
  ['outage', { kind: 'outage' }, 503],
  ['status', { kind: 'status', status: 418 }, 418],
  ['drop', { kind: 'drop' }, 0],
] as const)(
  'The journal has the body of a request that a fault of the kind %s stops, without its secrets',
  async (rehearsal, _, fault, status) => {
    await rehearsal.fault('stops', { match: { api: 'authorize-payment-api' }, fault });
    const body = { orderId: 'ord_none', tender: { type: 'card', token: 'tok_live' } };
    await rehearsal.call('authorize-payment-api', { body }).catch(() => undefined);
    const [hop] = (await journal(rehearsal)).items;
    expect(hop).toMatchObject({ status, faults: ['stops'], request: { ...body, tender: { type: 'card', token: '[redacted]' } } });
  },
);

test('The journal has no body of an invalid request, which a fault answers', async (rehearsal) => {
  await rehearsal.fault('stops', { match: { api: 'authorize-payment-api' }, fault: { kind: 'outage' } });
  const reply = await fetch(`${estate.gateway}/payments/authorizations`, {
    method: 'POST',
    headers: { authorization: 'Bearer demo-integration-token', 'x-rehearsal': rehearsal.name, 'content-type': 'application/json' },
    body: '{nope',
  });
  expect(reply.status).toBe(503);
  expect((await journal(rehearsal)).items[0]).not.toHaveProperty('request');
});

test('The parent of a hop is the hop that published the event, even if the event is duplicated, late or reordered', async (rehearsal) => {
  await rehearsal.progress({ warehouse: 'manual' });
  await rehearsal.fault('twice', { match: { event: 'order-confirmed' }, fault: { kind: 'duplicate', copies: 2 } });
  await rehearsal.fault('late', { match: { event: 'ext.order-changed' }, fault: { kind: 'late', by: 'PT1H' } });
  await rehearsal.fault('kept', { match: { event: 'payment-captured' }, fault: { kind: 'withhold' } });
  await rehearsal.dispatchedOrder();
  await rehearsal.advance('PT2H');
  await rehearsal.noFaults();
  await rehearsal.settle();
  const { items } = await journal(rehearsal, { limit: 5_000 });
  expect(brokenTies(items)).toEqual([]);
  const consumed = items.filter(({ method }) => method === 'CONSUME');
  expect(consumed.filter(({ api, application }) => api === 'event:order-confirmed' && application === 'crm')).toHaveLength(3);
  expect(consumed.filter(({ parentId }) => parentId === undefined)).toEqual([]);
  const released = items.filter(({ api }) => api === 'due:publish-held-event');
  expect(released.length).toBeGreaterThan(1);
  expect(released.filter(({ parentId }) => parentId === undefined)).toEqual([]);
});

test('The parent of a hop is absent for a call from outside, even if the call sends ids and contexts', async (rehearsal) => {
  const context = Buffer.from(JSON.stringify({ requestId: 'req_evil', parentId: 'req_parent' })).toString('base64url');
  const ids = { 'x-request-id': 'req_mine', 'x-parent-id': 'req_mine', 'x-estate-context': context };
  const headers = { ...ids, traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' };
  await rehearsal.call('get-customer-api', { params: { id: 'cus_ada' }, headers });
  const { items } = await journal(rehearsal);
  expect(items.map(({ parentId }) => parentId)).toEqual([undefined]);
  expect(items[0]?.requestId).not.toBe('req_mine');
});

test('The parent of a hop is absent for both hops of a request whose connection a fault cut, and their ids differ', async (rehearsal) => {
  await rehearsal.fault('cut', { match: { api: 'get-customer-api' }, fault: { kind: 'drop' } });
  const reply = await readAda(rehearsal, 'mine');
  const { items } = await journal(rehearsal);
  expect(items.map(({ application, status, parentId }) => [application, status, parentId])).toEqual([
    [expect.any(String), 0, undefined],
    ['gateway', 502, undefined],
  ]);
  expect(brokenTies(items)).toEqual([]);
  expect(items[1]?.requestId).toBe(reply.headers['x-request-id']);
  const { items: traces } = await rehearsal.control('list-traces');
  const trace = { correlationId: 'mine', requests: 1, status: 502, failed: 2, faults: ['cut'], path: '/customers/cus_ada' };
  expect(traces).toMatchObject([trace]);
});

test('The parent of a hop is the hop that scheduled the work that fell due, and the calls of that work name the hop of its run', async (rehearsal) => {
  const basket = await rehearsal.basket();
  const body = { shippingAddress: ADDRESS };
  await rehearsal.api('checkout-basket-api', { params: { id: basket.id }, body, headers: { 'x-correlation-id': 'mine' } });
  await rehearsal.advance('P2D');
  const { items } = await journal(rehearsal, { limit: 5_000 });
  const due = items.filter(({ method }) => method === 'DUE');
  expect(due.map(({ api }) => api)).toContain('due:expire-reservation');
  expect(brokenTies(items)).toEqual([]);
  expect(due.filter(({ parentId, correlationId }) => correlationId === 'mine' && parentId === undefined)).toEqual([]);
});

test('The hop of work that changes nothing gives the reason for a repeated request, with its Idempotency-Key and without', async (rehearsal) => {
  await rehearsal.progress({ warehouse: 'manual' });
  const { pickingOrder } = await rehearsal.pickedOrder({}, 'started');
  const newest = async () => (await rehearsal.journal()).findLast(({ api }) => api === 'update-picking-status-api')?.unchanged;
  const report = (headers: Record<string, string> = {}) =>
    rehearsal.call('update-picking-status-api', { params: { id: pickingOrder.id }, body: { status: 'picked' }, headers });
  await report({ 'idempotency-key': 'picked' });
  expect(await newest()).toBeUndefined();
  await report({ 'idempotency-key': 'picked' });
  expect(await newest()).toBe('An earlier request with this Idempotency-Key was carried out; the answer is the stored one.');
  await report();
  expect(await newest()).toBe('It is a repeat: an earlier request had this effect.');
});

test('The hop of work that changes nothing gives the reason for each event of an order from its basket to its delivery', async (rehearsal) => {
  await rehearsal.progress({ warehouse: 'manual' });
  await rehearsal.dispatchedOrder();
  await rehearsal.advance('P2D');
  const consumed = (await rehearsal.journal()).filter(({ method }) => method === 'CONSUME');
  const reasons = consumed.flatMap(({ application, api, unchanged }) => (unchanged === undefined ? [] : [[application, api, unchanged]]));
  expect(reasons.length).toBeGreaterThan(5);
  expect(reasons.filter(([, , reason]) => reason === 'Nothing had to be changed.')).toEqual([]);
  expect(reasons).toContainEqual(['fms', 'event:order-confirmed', 'The order is not exchanged for a return.']);
});

const stopping = new AbortController().signal;
const BEFORE = 0;

plainTest.each([
  ['once, as complete, when every call of the shown hops has its hop, on the page or not', { callee: BEFORE, ageMs: 0 }, 1, true],
  ['again while a hop of the last second lacks the hop of one of its calls', { callee: 3, ageMs: 0 }, 3, true],
  ['once, as incomplete, when an older hop lacks the hop of one of its calls', { callee: Number.NaN, ageMs: 1_000 }, 1, false],
])('The journal is read %s', async (_how, { callee, ageMs }, expected, complete) => {
  const { worlds, control } = createMemoryStore();
  const none = { bearer: '', apiKey: '', webhookSecret: '' };
  const world = await worlds.open('r', { now: 1_000, applications: {}, due: [] }, none);
  const record = (requestId: string, calls: readonly string[] = []): void =>
    control.journal(world, aHop({ requestId, head: JSON.stringify({ requestId, correlationId: 'c', calls }) }));
  if (callee === BEFORE) record('callee');
  record('caller', ['callee']);
  let looks = 0;
  const journalOf: typeof worlds.journalOf = async (...asked) => {
    looks += 1;
    if (looks === callee) record('callee');
    const page = await worlds.journalOf(...asked);
    return { ...page, entries: page.entries.map((entry) => ({ ...entry, ageMs })) };
  };
  const read = await readHops({ ...worlds, journalOf }, world, { limit: 1, stopping });
  expect([read.complete, read.truncated, looks]).toEqual([complete, false, expected]);
});
