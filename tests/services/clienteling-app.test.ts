import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';

let rehearsal: TestRehearsal;
beforeAll(async () => {
  rehearsal = await newRehearsal();
});
afterAll(() => rehearsal[Symbol.asyncDispose]());

let people = 0;
const newCustomer = () => registerIn(rehearsal);
async function registerIn(some: TestRehearsal): Promise<{ readonly id: string }> {
  people += 1;
  return some.api('create-customer-api', {
    body: { firstName: 'Olive', lastName: 'Marsh', phone: `+3532092${String(people).padStart(5, '0')}` },
  });
}
const log = (customerId: string, more: object = {}) =>
  rehearsal.call('log-interaction-api', { body: { customerId, type: 'visit', ...more } });
const customer = (id: string) => rehearsal.api('get-customer-api', { params: { id } });

describe('Log Customer Interaction', () => {
  test('adds it to the customer, who becomes active, and publishes an event', async () => {
    const { id } = await newCustomer();
    const reply = await log(id, { type: 'styling-session', note: 'Prefers oak.' });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ id, state: 'active', version: 2, lastActivityAt: expect.any(String) });
    expect(reply.body.interactions).toEqual([
      { id: expect.stringMatching(/^int_/), type: 'styling-session', note: 'Prefers oak.', occurredAt: reply.body.lastActivityAt },
    ]);
    const [event, ...more] = await rehearsal.events({ type: 'customer-interaction-logged', subject: `customer/${id}` });
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      ...{ source: 'urn:uc:app:crm', classification: 'updated', aggregateversion: 2 },
      data: { previousState: 'registered', object: reply.body },
    });
    expect(await customer(id)).toEqual(reply.body);
  });

  test.each([
    ['cus_ada', 'active', 'active'],
    ['cus_eve', 'at-risk', 'active'],
    ['cus_farid', 'churned', 'reactivated'],
    ['cus_grace', 'reactivated', 'reactivated'],
    ['cus_hugo', 'identified', 'identified'],
    ['cus_iris', 'anonymous', 'anonymous'],
  ])('of %s, who is %s, leaves the customer %s', async (id, before, after) => {
    expect(await customer(id)).toMatchObject({ state: before });
    expect(await log(id, { type: 'callback' })).toMatchObject({ status: 201, body: { state: after } });
  });

  test.each([
    ['anonymous', 'cus_iris'],
    ['identified', 'cus_hugo'],
    ['registered', 'cus_ben'],
    ['active', 'cus_ada'],
    ['at-risk', 'cus_eve'],
    ['churned', 'cus_farid'],
    ['reactivated', 'cus_grace'],
  ])('of years ago leaves a customer who is %s as idle as before', async (state, id) => {
    await using own = await newRehearsal();
    const before = await own.api('get-customer-api', { params: { id } });
    expect(before.state).toBe(state);
    const occurredAt = '2019-05-01T10:00:00.000Z';
    const reply = await own.call('log-interaction-api', { body: { customerId: id, type: 'visit', occurredAt } });
    expect(reply).toMatchObject({ status: 201, body: { state, lastActivityAt: before.lastActivityAt ?? occurredAt } });
    expect(reply.body.interactions).toContainEqual(expect.objectContaining({ occurredAt }));
    await own.advance('PT1H');
    expect(await own.api('get-customer-api', { params: { id } })).toEqual(reply.body);
    expect(await own.events({ type: 'customer-interaction-logged', subject: `customer/${id}` })).toHaveLength(1);
    await own.verify();
  });

  test('of 30 days ago makes a registered customer active for the rest of the 90 days', async () => {
    await using own = await newRehearsal();
    const { id } = await registerIn(own);
    const occurredAt = new Date((await own.now()) - 30 * 86_400_000).toISOString();
    expect(await own.api('log-interaction-api', { body: { customerId: id, type: 'visit', occurredAt } })).toMatchObject({
      state: 'active',
    });
    await own.advance('P59D');
    expect(await own.api('get-customer-api', { params: { id } })).toMatchObject({ state: 'active' });
    await own.advance('P2D');
    expect(await own.api('get-customer-api', { params: { id } })).toMatchObject({ state: 'at-risk' });
  });

  test('of 91 days ago lets an at-risk customer churn later', async () => {
    await using own = await newRehearsal();
    const eve = await own.api('get-customer-api', { params: { id: 'cus_eve' } });
    expect(eve.state).toBe('at-risk');
    const occurredAt = new Date((await own.now()) - 91 * 86_400_000).toISOString();
    expect(Date.parse(occurredAt)).toBeGreaterThan(Date.parse(eve.lastActivityAt));
    expect(await own.api('log-interaction-api', { body: { customerId: 'cus_eve', type: 'visit', occurredAt } })).toMatchObject({
      ...{ state: 'at-risk', lastActivityAt: occurredAt },
    });
    await own.advance('P88D');
    expect(await own.api('get-customer-api', { params: { id: 'cus_eve' } })).toMatchObject({ state: 'at-risk' });
    await own.advance('P2D');
    expect(await own.api('get-customer-api', { params: { id: 'cus_eve' } })).toMatchObject({ state: 'churned' });
  });

  test('keeps the newest twenty, newest first; a late one is inserted by time', async () => {
    const { id } = await newCustomer();
    const now = await rehearsal.now();
    const at = (hours: number) => new Date(now - hours * 3_600_000).toISOString();
    for (let hours = 22; hours > 1; hours -= 1) await log(id, { note: `${hours} h ago`, occurredAt: at(hours) });
    const { body } = await log(id, { note: 'in between', occurredAt: at(2.5) });
    const notes = body.interactions.map(({ note }: { note: string }) => note);
    expect(notes).toHaveLength(20);
    expect(notes.slice(0, 3)).toEqual(['2 h ago', 'in between', '3 h ago']);
    expect(body.lastActivityAt).toBe(at(2));
  });

  test('restarts the silence: 90 days to at-risk, 180 days to churned', async () => {
    await using silent = await newRehearsal();
    const { id } = await silent.api('create-customer-api', { body: { firstName: 'Ida', lastName: 'Noll', email: 'ida@people.example' } });
    await silent.api('log-interaction-api', { body: { customerId: id, type: 'visit' } });
    const state = async () => (await silent.api('get-customer-api', { params: { id } })).state;
    await silent.advance('P89D');
    await silent.api('log-interaction-api', { body: { customerId: id, type: 'visit' } });
    await silent.advance('P89D');
    expect(await state()).toBe('active');
    await silent.advance('P1D');
    expect(await state()).toBe('at-risk');
    await silent.advance('P90D');
    expect(await state()).toBe('churned');
    expect((await silent.api('log-interaction-api', { body: { customerId: id, type: 'visit' } })).state).toBe('reactivated');
  });

  test.each([
    ['a blocked customer', { customerId: 'cus_mallory', type: 'visit' }, 409, 'customer_blocked'],
    ['an unknown customer', { customerId: 'cus_nobody', type: 'visit' }, 404, 'not_found'],
    ['another type', { customerId: 'cus_ada', type: 'lunch' }, 422, 'validation_failed'],
    ['a future time', { customerId: 'cus_ada', type: 'visit', occurredAt: '2199-01-01T00:00:00.000Z' }, 422, 'validation_failed'],
  ])('refuses %s', async (_what, body, status, code) => {
    expect(await rehearsal.call('log-interaction-api', { body })).toMatchObject({ status, body: { code } });
  });

  test('repeated with its Idempotency-Key adds one interaction', async () => {
    const { id } = await newCustomer();
    const body = { customerId: id, type: 'visit' };
    const headers = { 'idempotency-key': 'visit-1' };
    const first = await rehearsal.call('log-interaction-api', { body, headers });
    const second = await rehearsal.call('log-interaction-api', { body, headers });
    expect(second).toMatchObject({ status: 201, body: first.body, headers: { 'idempotent-replayed': 'true' } });
    expect((await customer(id)).interactions).toHaveLength(1);
  });

  test('whose answer was lost between the applications adds one interaction after a retry with the same key', async () => {
    const { id } = await newCustomer();
    await rehearsal.fault('lost', { match: { api: 'log-customer-interaction' }, fault: { kind: 'lost-response' }, times: 1 });
    const send = () =>
      rehearsal.call('log-interaction-api', { body: { customerId: id, type: 'visit' }, headers: { 'idempotency-key': 'visit-2' } });
    expect(await send()).toMatchObject({ status: 504, body: { code: 'dependency_timeout', dependency: 'crm' } });
    expect(await send()).toMatchObject({ status: 201 });
    expect((await customer(id)).interactions).toHaveLength(1);
  });
});

describe('Customer service', () => {
  const play = (id: string, verb: string) => rehearsal.client.control('move-customer-by-hand', { params: { id, verb } });

  test('blocks a customer in any state and unblocks to active', async () => {
    for (const id of ['cus_ben', 'cus_clara', 'cus_eve', 'cus_farid', 'cus_grace', 'cus_hugo', 'cus_iris', (await newCustomer()).id]) {
      expect(await play(id, 'block')).toMatchObject({ id, state: 'blocked' });
      expect(await log(id)).toMatchObject({ status: 409, body: { code: 'customer_blocked' } });
      expect(await play(id, 'unblock')).toMatchObject({ id, state: 'active' });
    }
  });

  test('cannot block twice, unblock a customer who is not blocked, or use another verb', async () => {
    const { id } = await newCustomer();
    await play(id, 'block');
    await expect(play(id, 'block')).rejects.toThrow(/409 .* is blocked; block is possible from anonymous, /);
    await play(id, 'unblock');
    await expect(play(id, 'unblock')).rejects.toThrow(/409 .* is active; unblock is possible from blocked\./);
    await expect(play(id, 'promote')).rejects.toThrow('A customer cannot be made to promote; it can be made to block, unblock.');
    await expect(play('cus_nobody', 'block')).rejects.toThrow(/404 .*cus_nobody/);
  });

  test('stops a blocked customer from growing idle until unblocked', async () => {
    await using world = await newRehearsal();
    const move = (verb: string) => world.client.control('move-customer-by-hand', { params: { id: 'cus_ada', verb } });
    await move('block');
    await world.advance('P400D');
    expect(await world.api('get-customer-api', { params: { id: 'cus_ada' } })).toMatchObject({ state: 'blocked' });
    await move('unblock');
    await world.advance('P89D');
    expect(await world.api('get-customer-api', { params: { id: 'cus_ada' } })).toMatchObject({ state: 'active' });
    await world.advance('P1D');
    expect(await world.api('get-customer-api', { params: { id: 'cus_ada' } })).toMatchObject({ state: 'at-risk' });
  });
});

describe('Get Customer 360', () => {
  const view = (id: string) => rehearsal.call('get-customer-360-api', { params: { id } });

  test('shows profile, points, orders, open baskets, returns and interactions', async () => {
    const basket = await rehearsal.basket({ qty: 1 });
    const reply = await view('cus_ada');
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      customer: { id: 'cus_ada', loyaltyAccountId: 'loy_ada' },
      loyalty: { id: 'loy_ada', pointsBalance: 500 },
      ...{ orders: [], returns: [], degraded: [] },
    });
    expect(reply.body.openBaskets).toEqual([basket]);
    expect(reply.body.interactions).toEqual(reply.body.customer.interactions);
    expect(reply.body.interactions.length).toBeGreaterThan(0);
  });

  test('of a customer without membership has no loyalty and is not degraded', async () => {
    const { id } = await newCustomer();
    const { body } = await view(id);
    expect(body).toMatchObject({ customer: { id }, orders: [], openBaskets: [], returns: [], interactions: [], degraded: [] });
    expect(body).not.toHaveProperty('loyalty');
  });

  test('of an unknown customer is 404', async () => {
    expect(await view('cus_nobody')).toMatchObject({ status: 404, body: { code: 'not_found', objectType: 'customer' } });
  });

  test.each([
    ['crm', ['customer', 'loyalty', 'interactions']],
    ['oms', ['orders']],
    ['loyalty-platform', ['loyalty']],
    ['ecommerce-platform', ['openBaskets']],
    ['fms', ['returns']],
  ])('while %s is down lists %j as degraded and shows the rest', async (application, degraded) => {
    await using world = await newRehearsal();
    await world.down(application);
    const reply = await world.call('get-customer-360-api', { params: { id: 'cus_ada' } });
    expect(reply).toMatchObject({ status: 200, body: { degraded, orders: [], openBaskets: [], returns: [] } });
    expect('customer' in reply.body).toBe(application !== 'crm');
    expect('loyalty' in reply.body).toBe(!degraded.includes('loyalty'));
  });

  test('answers within a time acceptable in a store', async () => {
    await using world = await newRehearsal();
    await world.fault('slow', { match: { application: 'oms' }, fault: { kind: 'latency', ms: 8_000 } });
    expect(await world.call('get-customer-360-api', { params: { id: 'cus_ada' } })).toMatchObject({
      status: 200,
      body: { degraded: ['orders'] },
    });
  });
});
