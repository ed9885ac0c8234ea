import { describe, expect, test as plainTest } from '@jest/globals';
import { eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const admin = (rehearsal: TestRehearsal, method: string, path: string, body?: unknown) =>
  rehearsal.call(method, `/_control${path}`, body, { as: 'admin' });
const readAda = (rehearsal: TestRehearsal) => rehearsal.call('get-customer-api', { params: { id: 'cus_ada' } });
const reserveMug = (rehearsal: TestRehearsal, headers: Record<string, string> = {}) =>
  rehearsal.call('reserve-inventory-api', { body: { items: [{ sku: 'mug-blue', qty: 1 }] }, headers });

const AT_CRM = { match: { application: 'crm' } };
const AT_RESERVE = { match: { api: 'reserve-inventory-api' } };

describe('Waiting for events', () => {
  test('A wait ends when enough events are on the bus, with the position to continue from', async (rehearsal) => {
    const waiting = rehearsal.control('wait-for-events', { body: { type: 'basket-created', count: 2, timeoutMs: 10_000 } });
    const baskets = [await rehearsal.basket(), await rehearsal.basket()];
    const { found, items, next } = await waiting;
    expect([found, items.map(({ event }) => event.subject)]).toEqual([true, baskets.map(({ id }) => `basket/${id}`)]);
    const third = await rehearsal.basket();
    const more = await rehearsal.control('wait-for-events', { body: { type: 'basket-created', after: next, timeoutMs: 10_000 } });
    expect(more.items).toMatchObject([{ event: { subject: `basket/${third.id}` } }]);
  });

  test('A wait returns the events so far at its timeout', async (rehearsal) => {
    const { id } = await rehearsal.basket();
    const body = { type: 'basket-created', subject: `basket/${id}`, count: 2, timeoutMs: 50 } as const;
    const { found, items } = await rehearsal.control('wait-for-events', { body });
    expect([found, items.length]).toEqual([false, 1]);
  });

  test('A wait is refused when its rehearsal is reset', async (rehearsal) => {
    const wait = (timeoutMs: number) => admin(rehearsal, 'POST', '/events/wait', { type: 'order-confirmed', timeoutMs });
    const waiting = wait(60_000);
    // When a later wait has ended, this wait has begun.
    await wait(50);
    await rehearsal.control('reset-rehearsal');
    expect(await waiting).toMatchObject({ status: 404, body: { code: 'unknown_rehearsal' } });
  });
});

test.each<[string, (rehearsal: TestRehearsal, number: string) => Promise<{ status: number }>]>([
  ['limit of events', (rehearsal, number) => admin(rehearsal, 'GET', `/events?limit=${number}`)],
  ['position of events', (rehearsal, number) => admin(rehearsal, 'GET', `/events?after=${number}`)],
  ['limit of the journal', (rehearsal, number) => admin(rehearsal, 'GET', `/journal?limit=${number}`)],
  ['limit of customers', (rehearsal, number) => rehearsal.call('GET', `/customers?limit=${number}`)],
  ['quantity in stock', (rehearsal, number) => rehearsal.call('GET', `/inventory/mug-blue/availability?qty=${number}`)],
])('The %s is refused unless it is written in decimal digits', async (rehearsal, _what, ask) => {
  await rehearsal.basket();
  await rehearsal.settle();
  for (const number of ['0x1', '0b1', '1.', '%2B1', '1e1', '1%20', '%201', '', '-1', '1.0'])
    expect([number, (await ask(rehearsal, number)).status]).toEqual([number, 422]);
  expect((await ask(rehearsal, '1')).status).toBe(200);
});

describe('Faults of calls', () => {
  const noFault = (rehearsal: TestRehearsal, name: string) => rehearsal.control('delete-fault', { params: { name } });

  test('An outage strikes the configured number of times, counts its hits, and answers Retry-After', async (rehearsal) => {
    const match = { application: 'crm', api: 'get-customer-api' };
    await rehearsal.fault('down', { match, fault: { kind: 'outage' }, times: 2 });
    const replies = [await readAda(rehearsal), await readAda(rehearsal), await readAda(rehearsal)];
    expect(replies.map(({ status }) => status)).toEqual([503, 503, 200]);
    const body = { code: 'dependency_unavailable', dependency: 'crm', retryable: true };
    expect(replies[0]).toMatchObject({ headers: { 'retry-after': '1' }, body });
    const hops = (await rehearsal.journal()).filter(({ faults = [] }) => faults.includes('down'));
    const struck = hops.map(({ requestId }) => ({ requestId }));
    expect(struck).toHaveLength(2);
    expect(await rehearsal.faults()).toMatchObject([{ name: 'down', hits: 2, struck }]);
    await noFault(rehearsal, 'down');
    expect(await rehearsal.faults()).toEqual([]);
    await expect(noFault(rehearsal, 'down')).rejects.toThrow('404');
  });

  test('A rehearsal has at most two hundred faults, and an existing one can be replaced', async (rehearsal) => {
    const rule = { ...AT_CRM, fault: { kind: 'outage' } };
    for (let n = 0; n < 200; n++) await rehearsal.fault(`f${n}`, rule);
    const body = { code: 'too_many_faults', retryable: false, detail: expect.stringContaining('delete one') };
    expect(await admin(rehearsal, 'PUT', '/faults/another', rule)).toMatchObject({ status: 409, body });
    expect((await admin(rehearsal, 'PUT', '/faults/f7', rule)).status).toBe(200);
  });

  test.each([
    [503, undefined, 'dependency_unavailable', '1'],
    [429, 'rate_limited', 'rate_limited', '1'],
    [409, 'idempotency_in_progress', 'idempotency_in_progress', '1'],
    [504, undefined, 'dependency_timeout', '1'],
    [409, undefined, 'invalid_state_transition', undefined],
    [500, undefined, 'internal_error', undefined],
  ])(
    'A fault of status %s (%s) prevents any effect and answers Retry-After if it is retryable',
    async (rehearsal, status, given, code, retryAfter) => {
      await rehearsal.fault('broken', { ...AT_RESERVE, fault: { kind: 'status', status, ...(given && { code: given }) } });
      const reply = await reserveMug(rehearsal);
      expect(reply).toMatchObject({ status, body: { code, retryable: retryAfter !== undefined } });
      expect(reply.headers['retry-after']).toBe(retryAfter);
      expect(await rehearsal.events()).toEqual([]);
    },
  );

  test('A fault of latency delays the answer', async (rehearsal) => {
    await rehearsal.fault('slow', { ...AT_CRM, fault: { kind: 'latency', ms: 300 } });
    const started = performance.now();
    expect((await readAda(rehearsal)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThanOrEqual(295);
  });

  test.each([
    ['timeout', 504, 'dependency_timeout'],
    ['reset', 502, 'dependency_error'],
  ])('A lost response (%s) performs the call, and a repeat with its key gets the real answer', async (rehearsal, as, status, code) => {
    const key = { 'idempotency-key': 'lost' };
    await rehearsal.fault('lost', { ...AT_RESERVE, fault: { kind: 'lost-response', as }, times: 1 });
    expect(await reserveMug(rehearsal, key)).toMatchObject({ status, body: { code } });
    const again = await reserveMug(rehearsal, key);
    expect(again).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
    const reservations = await rehearsal.events({ type: 'reservation-created' });
    expect(reservations.map(({ subject }) => subject)).toEqual([`reservation/${again.body.id}`]);
  });

  test.each<Record<string, string>>([{}, { 'idempotency-key': 'lost' }])(
    'A lost response may be a refusal, with the headers %j',
    async (rehearsal, headers) => {
      const { id } = await rehearsal.basket();
      const checkout = () => rehearsal.call('checkout-basket-api', { params: { id }, body: { couponCodes: ['NO-SUCH-CODE'] }, headers });
      expect((await checkout()).status).toBe(422);
      await rehearsal.fault('lost', { match: { api: 'checkout-basket-api' }, fault: { kind: 'lost-response' }, times: 1 });
      const detail = 'ecommerce-platform answered, and the answer was lost (fault lost).';
      expect(await checkout()).toMatchObject({ status: 504, body: { code: 'dependency_timeout', detail } });
      expect((await checkout()).status).toBe(422);
    },
  );

  test('A drop breaks the connection before the call has an effect', async (rehearsal) => {
    const key = { 'idempotency-key': 'dropped' };
    await rehearsal.fault('cut', { ...AT_RESERVE, fault: { kind: 'drop' }, times: 1 });
    expect(await reserveMug(rehearsal, key)).toMatchObject({ status: 502, body: { code: 'dependency_error' } });
    expect(await rehearsal.events()).toEqual([]);
    const [application, gateway] = [
      { application: 'sim', status: 0, faults: ['cut'] },
      { application: 'gateway', status: 502, faults: [] },
    ];
    expect(await rehearsal.journal()).toMatchObject([application, gateway]);
    const again = await reserveMug(rehearsal, key);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  test('A fault on calls of clients spares the calls of applications, and one on an application spares clients', async (rehearsal) => {
    const AT_READS = { api: 'get-customer-api' };
    const draft = () => rehearsal.draft({ customerId: 'cus_ada' });
    await rehearsal.fault('theirs', { match: { ...AT_READS, caller: 'outside' }, fault: { kind: 'status', status: 418 } });
    expect((await readAda(rehearsal)).status).toBe(418);
    const { id } = await draft();
    expect((await rehearsal.faults())[0]).toMatchObject({ hits: 1, match: { caller: 'outside' } });
    await rehearsal.noFaults();
    await rehearsal.fault('ours', { match: { ...AT_READS, caller: 'oms' }, fault: { kind: 'outage' } });
    expect((await readAda(rehearsal)).status).toBe(200);
    await rehearsal.authorisation(id);
    expect(await rehearsal.call('confirm-order-api', { params: { id } })).toMatchObject({ status: 503, body: { dependency: 'crm' } });
  });

  test('A fault with skip lets so many calls pass, and then strikes', async (rehearsal) => {
    await rehearsal.fault('third', { ...AT_CRM, fault: { kind: 'outage' }, skip: 2, times: 1 });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await readAda(rehearsal)).status);
    expect(statuses).toEqual([200, 200, 503, 200]);
    expect(await rehearsal.faults()).toMatchObject([{ hits: 1, skip: 2, struck: [{ requestId: expect.any(String) }] }]);
  });

  plainTest('A fault with a probability strikes in the sequence of its seed', async () => {
    const struckIn = async (seed: string): Promise<boolean[]> => {
      await using rehearsal = await newRehearsal();
      await rehearsal.fault('flaky', { ...AT_CRM, fault: { kind: 'outage' }, probability: 0.4, seed, times: 5 });
      const struck: boolean[] = [];
      for (let n = 0; n < 40; n++) struck.push((await readAda(rehearsal)).status === 503);
      expect(await rehearsal.faults()).toMatchObject([{ hits: 5, probability: 0.4, seed }]);
      return struck;
    };
    const first = await struckIn('monday');
    expect(first.filter(Boolean)).toHaveLength(5);
    expect(first.slice(0, 5)).not.toEqual(Array(5).fill(true));
    expect(await struckIn('monday')).toEqual(first);
    expect(await struckIn('tuesday')).not.toEqual(first);
  });

  test.each<[string, (rehearsal: TestRehearsal) => Promise<unknown>]>([
    ['all requests have arrived', readAda],
    ['it is removed', (rehearsal) => rehearsal.noFaults()],
    ['it is set again', (rehearsal) => rehearsal.fault('together', { ...AT_CRM, fault: { kind: 'barrier', parties: 9 } })],
    ['its rehearsal is reset', (rehearsal) => rehearsal.control('reset-rehearsal')],
  ])('A barrier releases waiting requests when %s', async (rehearsal, _when, release) => {
    await rehearsal.fault('together', { ...AT_CRM, fault: { kind: 'barrier', parties: 3 } });
    let answered = 0;
    const waiting = [1, 2].map(() => readAda(rehearsal).finally(() => answered++));
    await eventually('both wait', async () => (await rehearsal.faults()).some(({ hits }) => hits === 2));
    expect(answered).toBe(0);
    await release(rehearsal);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

test('An event has exactly the documented members', async (rehearsal) => {
  const { id } = await rehearsal.api('create-basket-api', { body: { channel: 'web' }, headers: { 'x-correlation-id': 'mine' } });
  await rehearsal.api('add-line-to-basket-api', { params: { id }, body: { sku: 'mug-blue', qty: 1 } });
  const [created, changed] = await rehearsal.events({ subject: `basket/${id}`, ext: true });
  expect(created).toEqual({
    specversion: '1.0',
    id: expect.stringMatching(/^evt_[0-9A-Z]{26}$/),
    source: 'urn:uc:app:ecommerce-platform',
    type: 'com.unified-commerce.basket-created',
    subject: `basket/${id}`,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    datacontenttype: 'application/json',
    dataschema: 'urn:uc:schema:basket-created:1',
    partitionkey: id,
    aggregateversion: 1,
    rehearsal: rehearsal.name,
    world: rehearsal.world,
    correlationid: 'mine',
    causationid: expect.stringMatching(/^req_/),
    classification: 'created',
    data: { object: expect.objectContaining({ id, version: 1, state: 'open' }) },
  });
  const data = { previousState: 'open', object: await rehearsal.object('basket', id) };
  expect(changed).toMatchObject({ type: 'com.unified-commerce.ext.basket-changed', aggregateversion: 2, classification: 'updated', data });
});

test('Setting a progression again sends it to its application again', async (rehearsal) => {
  for (let times = 0; times < 2; times++) await rehearsal.progress({ warehouse: 'manual', label: 'auto' });
  const applied = (await rehearsal.journal()).map(({ api }) => api).filter((api) => api.startsWith('apply-'));
  expect(applied).toEqual(['apply-warehouse-progression', 'apply-warehouse-progression']);
});

test('A fault never strikes a command of the outside world, but strikes the calls that follow from it', async (rehearsal) => {
  await rehearsal.progress({ warehouse: 'immediate', carrier: 'immediate', returns: 'manual' });
  const order = await rehearsal.confirmed();
  await rehearsal.settle();
  const { id } = await rehearsal.announced(order, 1, { dropOff: 'carrier' });
  for (const application of ['fms', 'carrier-platform'])
    await rehearsal.fault(application, { match: { application }, fault: { kind: 'outage' } });
  const errors = [{ pointer: '/reason', detail: 'Only reject takes this member; leave it out.' }];
  expect(await rehearsal.move(id, 'approve', { reason: 'why not' })).toMatchObject({ status: 422, body: { errors } });
  expect(await rehearsal.move(id, 'approve')).toMatchObject({ status: 200, body: { state: 'approved' } });
  expect((await rehearsal.object('return', id)).shipments).toMatchObject([{ state: 'pending', labelStatus: 'failed' }]);
  expect((await rehearsal.faults()).find(({ name }) => name === 'carrier-platform')?.hits).toBeGreaterThan(0);
  await rehearsal.noFaults();
  await rehearsal.advance('PT5M');
  expect((await rehearsal.object('return', id)).shipments).toMatchObject([{ labelStatus: 'ready' }]);
});
