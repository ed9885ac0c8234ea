import { expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

const read = (rehearsal: TestRehearsal, id: string) => rehearsal.control('read-event', { params: { id } });
const created = (rehearsal: TestRehearsal) => rehearsal.api('create-basket-api', { body: { channel: 'web' } });

/** A confirmed order, with its event under a fault. */
async function confirmedUnder(fault?: { kind: 'withhold' } | { kind: 'duplicate' }) {
  const rehearsal = await newRehearsal({ warehouse: 'manual' });
  if (fault) await rehearsal.fault('struck', { match: { event: 'order-confirmed' }, fault });
  await rehearsal.confirmed({ customerId: 'cus_ben' });
  return rehearsal;
}

test('An event that was consumed is read with its place on the bus, and with the hop of each subscriber', async () => {
  await using rehearsal = await confirmedUnder();
  const [confirmed] = await rehearsal.events({ type: 'order-confirmed' });
  const { items } = await rehearsal.control('list-events', { query: { type: 'order-confirmed' } });
  const hops = await rehearsal.journal(confirmed.correlationid);
  const atCrm = hops.find(({ api, application }) => api === 'event:order-confirmed' && application === 'crm');
  expect(await read(rehearsal, confirmed.id)).toMatchObject({
    order: items[0]?.order,
    topic: 'uc.order.events',
    event: confirmed,
    consumers: [
      { application: 'crm', state: 'consumed', attempts: 1, status: 200, requestId: atCrm.requestId },
      { application: 'fms', state: 'consumed', attempts: 1, status: 200 },
    ],
  });
});

test('An event that a fault withholds is found before it is on the bus, and again after the fault is deleted', async () => {
  await using rehearsal = await confirmedUnder({ kind: 'withhold' });
  const id = (await rehearsal.settle()).withheld[0]?.id ?? '';
  const before = await read(rehearsal, id);
  expect(before.order).toBeUndefined();
  expect(before.event).toMatchObject({ id, type: 'com.unified-commerce.order-confirmed' });
  expect(before.consumers).toEqual(['crm', 'fms'].map((application) => ({ application, state: 'withheld', attempts: 0 })));
  await rehearsal.noFaults();
  await rehearsal.settle();
  const after = await read(rehearsal, id);
  expect(after.order).toBeGreaterThan(0);
  expect(after.consumers.map(({ state }) => state)).toEqual(['consumed', 'consumed']);
});

test('An event that is duplicated is read once, with all its attempts', async () => {
  await using rehearsal = await confirmedUnder({ kind: 'duplicate' });
  const [first, second] = await rehearsal.events({ type: 'order-confirmed' });
  expect(second.id).toBe(first.id);
  expect((await read(rehearsal, first.id)).consumers).toMatchObject([{ state: 'consumed' }, { state: 'consumed' }]);
});

const refusal = (pointer: string, detail: string) => ({ status: 422, body: { errors: [{ pointer, code: 'beyond_the_end', detail }] } });

test('List Events and Wait for Event refuse a position of a world that was reset until the new world has reached it', async () => {
  await using rehearsal = await newRehearsal();
  const list = (after?: number) => rehearsal.call('list-events', { query: { limit: 100, after } });
  for (let count = 0; count < 3; count++) await created(rehearsal);
  await rehearsal.settle();
  const { next } = (await list()).body;
  expect((await list(next)).body).toEqual({ items: [], next });
  await rehearsal.control('reset-rehearsal');
  await created(rehearsal);
  await rehearsal.settle();
  const last = (await list()).body.next;
  const detail = `The last event of the rehearsal is ${last}: it was reset since ${next}. Begin with 0.`;
  expect(await list(next)).toMatchObject(refusal('?after', detail));
  const body = { type: 'basket-created', after: next, timeoutMs: 10_000 };
  expect(await rehearsal.call('wait-for-events', { body })).toMatchObject(refusal('/after', detail));
  expect((await list(last)).body).toEqual({ items: [], next: last });
});

test('The journal refuses a position of a world that was reset', async () => {
  await using rehearsal = await newRehearsal();
  const readAda = () => rehearsal.api('get-customer-api', { params: { id: 'cus_ada' } });
  for (let count = 0; count < 3; count++) await readAda();
  const { next } = await rehearsal.control('read-journal', { query: { limit: 100 } });
  await rehearsal.control('reset-rehearsal');
  await readAda();
  const detail = `The last hop of the rehearsal is 1: it was reset since ${next}. Begin with 0.`;
  expect(await rehearsal.call('read-journal', { query: { after: next } })).toMatchObject(refusal('?after', detail));
});
