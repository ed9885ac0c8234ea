import { expect } from '@jest/globals';
import type { OperationInput } from '../../rehearsal/call-types.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

type Body = OperationInput<'verify-sequence'>['body'];
type Steps = Body['sequence'];

const verify = (rehearsal: TestRehearsal, sequence: Steps, more: Omit<Body, 'sequence'> = {}) =>
  rehearsal.control('verify-sequence', { body: { sequence, ...more } });

test('A sequence names calls, events, deliveries, timers, webhooks and clock moves of a whole order', async (rehearsal) => {
  const order = await rehearsal.confirmed();
  await rehearsal.settle();
  await rehearsal.advance('P3D');
  const subject = `order/${order.id}`;
  const sequence: Steps = [
    { what: 'call', name: 'create-basket-api', by: 'client', status: 201, request: { channel: 'web', lines: [{ sku: 'mug-blue' }] } },
    { what: 'call', name: 'create-order-api', by: 'client', response: { state: 'draft' } },
    { what: 'event', name: 'order-created', subject, object: { customerId: 'cus_ada' } },
    { what: 'call', name: 'authorize-payment-api', by: 'client', request: { orderId: order.id } },
    { what: 'call', name: 'confirm-order-api', by: 'client' },
    { what: 'call', name: 'allocate-inventory-api', by: 'fms' },
    { what: 'event', name: 'order-confirmed', subject },
    { what: 'delivery', name: 'order-confirmed', application: 'crm', status: 200 },
    { what: 'advance' },
    { what: 'timer', name: 'planned-scan', application: 'carrier-platform', status: 200 },
    { what: 'call', name: 'carrier-webhook', by: 'carrier-platform', request: { data: { status: 'delivered' } } },
    { what: 'event', name: 'ext.order-changed', subject, object: { state: 'completed' } },
    { what: 'delivery', name: 'ext.order-changed', application: 'loyalty-platform' },
  ];
  const { holds, steps, mismatch, truncated } = await verify(rehearsal, sequence);
  expect(mismatch).toBeUndefined();
  expect([holds, truncated]).toEqual([true, false]);
  expect(steps.map(({ what }) => what)).toEqual(sequence.map(({ what }) => what));
});

test('An event comes after its publisher and before its consumers in a trace, whatever the clocks of the hops say', async (rehearsal) => {
  await rehearsal.confirmed();
  await rehearsal.settle();
  const { holds, steps } = await verify(rehearsal, [
    { what: 'call', name: 'confirm-order-api' },
    { what: 'event', name: 'order-confirmed' },
    { what: 'delivery', name: 'order-confirmed', application: 'fms' },
  ]);
  expect([holds, new Set(steps.map(({ correlationId }) => correlationId)).size]).toEqual([true, 1]);
});

const BASKET = { what: 'call', name: 'create-basket-api' } as const;
const ORDER = { what: 'call', name: 'create-order-api' } as const;

const MUGS = [{ sku: 'mug-blue', qty: 3 }];
const CANCELLED = { what: 'event', name: 'order-cancelled' } as const;

test.each<[what: string, sequence: Steps, step: number, detail: RegExp]>([
  ['is in the wrong order', [ORDER, BASKET], 2, /^Step 2, call create-basket-api, happened before step 1 and not after it\.$/],
  ['has another status', [BASKET, { ...ORDER, status: 409 }], 2, /The nearest one differs: status is 201, not 409\.$/],
  ['has another member', [{ ...BASKET, request: { lines: MUGS } }], 1, /differs: request\/lines\/0\/qty is 2, not 3\.$/],
  ['has a longer list', [{ ...BASKET, request: { lines: [] } }], 1, /request\/lines has 1 elements, not 0\.$/],
  ['has an absent member', [{ ...BASKET, request: { toString: 1 } }], 1, /request\/toString is absent, not 1\.$/],
  ['has another caller', [{ ...ORDER, by: 'pos' }], 1, /by is "client", not "pos"\.$/],
  ['has an event that nothing published', [BASKET, CANCELLED], 2, /^Step 2, event order-cancelled, did not happen\.$/],
  ['has an advance that nobody made', [BASKET, { what: 'advance' }], 2, /^Step 2, an advance of the clock, did not happen\.$/],
])('A sequence that %s did not happen: the answer names the step and what differs', async (rehearsal, _what, sequence, step, detail) => {
  await rehearsal.draft();
  const { holds, steps, mismatch } = await verify(rehearsal, sequence);
  expect([holds, steps.length, mismatch?.step]).toEqual([false, step - 1, step]);
  expect(mismatch?.detail).toMatch(detail);
});

test('A strict sequence refuses another call between its steps, and ignores kinds that it does not name', async (rehearsal) => {
  const { id } = await rehearsal.basket();
  await rehearsal.addLine(id, { sku: 'mug-red', qty: 1 });
  await rehearsal.checkedOut(id);
  const ADD = { what: 'call', name: 'add-line-to-basket-api', by: 'client' } as const;
  const { items } = await rehearsal.control('list-events', { query: { ext: 'true' } });
  const events: Steps = items.map(({ event }) => ({ what: 'event', name: nameOf(String(event['type'])) }));
  expect(await verify(rehearsal, events, { strict: true })).toMatchObject({ holds: true });
  expect(events.length).toBeGreaterThan(2);
  expect(await verify(rehearsal, events.toSpliced(1, 1), { strict: true })).toMatchObject({ holds: false });
  expect(await verify(rehearsal, [BASKET, ADD])).toMatchObject({ holds: true });
  const { holds, mismatch } = await verify(rehearsal, [BASKET, ADD], { strict: true });
  expect([holds, mismatch?.step]).toEqual([false, 2]);
  expect(mismatch?.detail).toMatch(/^Step 2, call add-line-to-basket-api, does not follow step 1\. call [a-z-]+ follows it\.$/);
});

test('A sequence of one trace considers only that trace', async (rehearsal) => {
  const reply = await rehearsal.call('create-basket-api', { body: { channel: 'web' } });
  const correlationId = String(reply.headers['x-correlation-id']);
  await rehearsal.draft();
  expect(await verify(rehearsal, [BASKET], { correlationId })).toMatchObject({ holds: true });
  expect(await verify(rehearsal, [BASKET, ORDER], { correlationId })).toMatchObject({ holds: false });
});
