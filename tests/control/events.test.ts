import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

const read = (rehearsal: TestRehearsal, id: string) => rehearsal.client.control('read-event', { params: { id } });

test('An event that was consumed is read with its place on the bus, and with the hop of each subscriber', async () => {
  await using scene = await newRehearsal({ warehouse: 'manual' });
  await scene.confirmed({ customerId: 'cus_ben' });
  const [confirmed] = await scene.events({ type: 'order-confirmed' });
  const { items } = await scene.client.control('list-events', { query: { type: 'order-confirmed' } });
  const found = await read(scene, confirmed.id);
  expect(found).toMatchObject({ order: items[0]?.order, topic: 'uc.order.events', event: confirmed });
  expect(found.consumers.map(({ application, state, attempts, status }) => [application, state, attempts, status])).toEqual([
    ['crm', 'consumed', 1, 200],
    ['fms', 'consumed', 1, 200],
  ]);
  const hops = await scene.journal(confirmed.correlationid);
  const atCrm = hops.find(({ api, application }) => api === 'event:order-confirmed' && application === 'crm');
  expect(found.consumers[0]?.requestId).toBe(atCrm.requestId);
});

test('An event without subscribers has no consumers', async () => {
  await using rehearsal = await newRehearsal();
  await rehearsal.api('create-basket-api', { body: { channel: 'web' } });
  const [created] = await rehearsal.events({ type: 'basket-created' });
  expect((await read(rehearsal, created.id)).consumers).toEqual([]);
});

test('An event that a fault withholds is found before it is on the bus, and again after the fault is deleted', async () => {
  await using scene = await newRehearsal({ warehouse: 'manual' });
  await scene.fault('kept', { match: { event: 'order-confirmed' }, fault: { kind: 'withhold' } });
  await scene.confirmed({ customerId: 'cus_ben' });
  const { withheld } = await scene.settle();
  const id = withheld[0]?.id ?? '';
  const before = await read(scene, id);
  expect(before.order).toBeUndefined();
  expect(before.event).toMatchObject({ id, type: 'com.unified-commerce.order-confirmed' });
  expect(before.consumers).toEqual([
    { application: 'crm', state: 'withheld', attempts: 0 },
    { application: 'fms', state: 'withheld', attempts: 0 },
  ]);
  await scene.noFaults();
  await scene.settle();
  const after = await read(scene, id);
  expect(after.order).toBeGreaterThan(0);
  expect(after.consumers.map(({ state }) => state)).toEqual(['consumed', 'consumed']);
});

test('An event that is duplicated is read once, with all its attempts', async () => {
  await using scene = await newRehearsal({ warehouse: 'manual' });
  await scene.fault('twice', { match: { event: 'order-confirmed' }, fault: { kind: 'duplicate' } });
  await scene.confirmed({ customerId: 'cus_ben' });
  const [first, second] = await scene.events({ type: 'order-confirmed' });
  expect(second.id).toBe(first.id);
  expect((await read(scene, first.id)).consumers).toMatchObject([{ state: 'consumed' }, { state: 'consumed' }]);
});

test('Read Event does not find an unknown event', async () => {
  await using rehearsal = await newRehearsal();
  const reply = await rehearsal.call('GET', '/_control/events/evt_none', undefined, { as: 'admin' });
  expect([reply.status, reply.body.code, reply.body.detail]).toEqual([404, 'not_found', 'There is no event "evt_none".']);
});

test.each([
  [{ subject: 'paymnt/pay_1' }, 'unknown_object', /^"paymnt\/pay_1" is not an object, .* The types are basket, .*order, payment\.$/],
  [{ subject: 'payment/' }, 'unknown_object', /^"payment\/" is not an object/],
  [{ type: 'order-confirmed', subject: 'payment/pay_1' }, 'other_subject', /^The subject of order-confirmed must be "order\/<id>";/],
])('List Events refuses a filter that no event can match: %j', async (query, code, detail) => {
  await using rehearsal = await newRehearsal();
  const reply = await rehearsal.call('GET', `/_control/events?${new URLSearchParams(query)}`, undefined, { as: 'admin' });
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '?subject', code, detail: expect.stringMatching(detail) }] } });
});

test('Wait for Event refuses a filter that no event can match', async () => {
  await using rehearsal = await newRehearsal();
  const body = { type: 'order-confirmed', subject: 'ordr/ord_1', timeoutMs: 60_000 };
  const reply = await rehearsal.call('POST', '/_control/events/wait', body, { as: 'admin' });
  expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/subject', code: 'other_subject' }] } });
});

describe('Position of a world that was reset', () => {
  const refusal = (pointer: string, detail: string) => ({ status: 422, body: { errors: [{ pointer, code: 'beyond_the_end', detail }] } });

  test('List Events and Wait for Event refuse a position of a world that was reset until the new world has reached it', async () => {
    await using rehearsal = await newRehearsal();
    const basket = () => rehearsal.api('create-basket-api', { body: { channel: 'web' } });
    for (let count = 0; count < 3; count++) await basket();
    const ask = (query: string) => rehearsal.call('GET', `/_control/events?${query}`, undefined, { as: 'admin' });
    await rehearsal.settle();
    const { next } = (await ask('limit=100')).body;
    expect((await ask(`after=${next}`)).body).toEqual({ items: [], next });
    await rehearsal.control('reset-rehearsal');
    await basket();
    await rehearsal.settle();
    const last = (await ask('limit=100')).body.next;
    const detail = `The last event of the rehearsal is ${last}: it was reset since ${next}. Begin with 0.`;
    expect(await ask(`after=${next}`)).toMatchObject(refusal('?after', detail));
    const wait = { type: 'basket-created', after: next, timeoutMs: 10_000 };
    expect(await rehearsal.call('POST', '/_control/events/wait', wait, { as: 'admin' })).toMatchObject(refusal('/after', detail));
    expect((await ask(`after=${last}`)).body).toEqual({ items: [], next: last });
  });

  test('The journal refuses a position of a world that was reset', async () => {
    await using rehearsal = await newRehearsal();
    for (let count = 0; count < 3; count++) await rehearsal.api('get-customer-api', { params: { id: 'cus_ada' } });
    const ask = (query: string) => rehearsal.call('GET', `/_control/journal?${query}`, undefined, { as: 'admin' });
    const { next } = (await ask('limit=100')).body;
    expect((await ask(`after=${next}`)).body.items).toEqual([]);
    await rehearsal.control('reset-rehearsal');
    await rehearsal.api('get-customer-api', { params: { id: 'cus_ada' } });
    const detail = `The last hop of the rehearsal is 1: it was reset since ${next}. Begin with 0.`;
    expect(await ask(`after=${next}`)).toMatchObject(refusal('?after', detail));
  });
});
