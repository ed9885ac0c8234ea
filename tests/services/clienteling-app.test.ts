import { describe, expect, test } from '@jest/globals';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { sharedIn } from '../support/test-in.ts';

const rehearsal = sharedIn(newRehearsal);

const HOUR = 3_600_000;

let people = 0;
async function newCustomer(from = rehearsal): Promise<string> {
  people += 1;
  const phone = `+3532092${String(people).padStart(5, '0')}`;
  return (await from.api('create-customer-api', { body: { firstName: 'Olive', lastName: 'Marsh', phone } })).id;
}
const log = (customerId: string, more: object = {}, from = rehearsal, headers: Record<string, string> = {}) =>
  from.call('log-interaction-api', { body: { customerId, type: 'visit', ...more }, headers });
const customer = (id: string, from = rehearsal) => from.api('get-customer-api', { params: { id } });
const stateOf = async (id: string, from = rehearsal) => (await customer(id, from)).state;
const move = (id: string, verb: string, from = rehearsal) => from.control('move-customer-by-hand', { params: { id, verb } });
/** States of a customer after each of these spans. */
async function statesAfter(from: TestRehearsal, id: string, ...spans: readonly string[]): Promise<string[]> {
  const states: string[] = [];
  for (const span of spans) {
    await from.advance(span);
    states.push(await stateOf(id, from));
  }
  return states;
}

/** Customers who are not blocked, and their states after an interaction. */
const PEOPLE = [
  ['cus_iris', 'anonymous', 'anonymous'],
  ['cus_hugo', 'identified', 'identified'],
  ['cus_ben', 'registered', 'active'],
  ['cus_ada', 'active', 'active'],
  ['cus_eve', 'at-risk', 'active'],
  ['cus_farid', 'churned', 'reactivated'],
  ['cus_grace', 'reactivated', 'reactivated'],
] as const;

test('Log Customer Interaction adds the interaction, makes the customer active, and publishes an event', async () => {
  const id = await newCustomer();
  const { status, body } = await log(id, { type: 'styling-session', note: 'Prefers oak.' });
  expect([status, body.id, body.state, body.version]).toEqual([201, id, 'active', 2]);
  const interaction = { type: 'styling-session', note: 'Prefers oak.', occurredAt: body.lastActivityAt };
  expect(body.interactions).toEqual([{ id: expect.stringMatching(/^int_/), ...interaction }]);
  const [event, ...more] = await rehearsal.events({ type: 'customer-interaction-logged', subject: `customer/${id}` });
  expect(more).toEqual([]);
  expect(event).toMatchObject({ source: 'urn:uc:app:crm', classification: 'updated', aggregateversion: 2 });
  expect(event.data).toMatchObject({ previousState: 'registered', object: body });
  expect(await customer(id)).toEqual(body);
});

test.each(PEOPLE)('Log Customer Interaction of %s, who is %s, leaves the customer %s', async (id, before, after) => {
  await using own = await newRehearsal();
  const old = await customer(id, own);
  expect(old.state).toBe(before);
  // An interaction of years ago leaves the customer as idle as before.
  const occurredAt = '2019-05-01T10:00:00.000Z';
  const late = await log(id, { occurredAt }, own);
  expect(late).toMatchObject({ status: 201, body: { state: before, lastActivityAt: old.lastActivityAt ?? occurredAt } });
  expect(late.body.interactions).toContainEqual(expect.objectContaining({ occurredAt }));
  await own.advance('PT1H');
  expect(await customer(id, own)).toEqual(late.body);
  expect(await log(id, { type: 'callback' }, own)).toMatchObject({ status: 201, body: { state: after } });
  await own.verify();
});

test('Log Customer Interaction of 30 days ago makes a registered customer active for the rest of the 90 days', async () => {
  await using own = await newRehearsal();
  const id = await newCustomer(own);
  const occurredAt = new Date((await own.now()) - 30 * 24 * HOUR).toISOString();
  expect((await log(id, { occurredAt }, own)).body).toMatchObject({ state: 'active' });
  expect(await statesAfter(own, id, 'P59D', 'P2D')).toEqual(['active', 'at-risk']);
});

test('Log Customer Interaction keeps the newest twenty, sorted by time', async () => {
  const id = await newCustomer();
  const now = await rehearsal.now();
  const at = (hours: number) => new Date(now - hours * HOUR).toISOString();
  for (let hours = 22; hours > 1; hours -= 1) await log(id, { note: `${hours} h ago`, occurredAt: at(hours) });
  const { interactions, lastActivityAt } = (await log(id, { note: 'in between', occurredAt: at(2.5) })).body;
  const notes = interactions.map(({ note }: { note: string }) => note);
  expect(notes).toHaveLength(20);
  expect(notes.slice(0, 3)).toEqual(['2 h ago', 'in between', '3 h ago']);
  expect(lastActivityAt).toBe(at(2));
});

test('Log Customer Interaction restarts the silence: 90 days to at-risk, 180 days to churned', async () => {
  await using own = await newRehearsal();
  const id = await newCustomer(own);
  for (let n = 0; n < 2; n++) {
    await log(id, {}, own);
    await own.advance('P89D');
  }
  expect(await statesAfter(own, id, 'PT0S', 'P1D', 'P90D')).toEqual(['active', 'at-risk', 'churned']);
  expect((await log(id, {}, own)).body).toMatchObject({ state: 'reactivated' });
});

test('Log Customer Interaction refuses a blocked customer', async () => {
  expect((await log('cus_mallory')).body).toMatchObject({ status: 409, code: 'customer_blocked' });
});

test('A customer who is moved by an unknown verb is refused with the known ones', async () => {
  await expect(move('cus_ada', 'promote')).rejects.toThrow('A customer cannot be made to promote; it can be made to block, unblock.');
});

test('A blocked customer does not become idle until unblocked', async () => {
  await using own = await newRehearsal();
  await move('cus_ada', 'block', own);
  expect(await statesAfter(own, 'cus_ada', 'P400D')).toEqual(['blocked']);
  await move('cus_ada', 'unblock', own);
  expect(await statesAfter(own, 'cus_ada', 'P89D', 'P1D')).toEqual(['active', 'at-risk']);
});

describe('Get Customer 360', () => {
  const view = async (id: string, from = rehearsal) => (await from.call('get-customer-360-api', { params: { id } })).body;

  test('Get Customer 360 shows profile, points, orders, open baskets, returns and interactions', async () => {
    const basket = await rehearsal.basket({ qty: 1 });
    const { customer: profile, openBaskets, interactions, ...rest } = await view('cus_ada');
    expect(profile).toMatchObject({ id: 'cus_ada', loyaltyAccountId: 'loy_ada' });
    expect(rest).toMatchObject({ loyalty: { id: 'loy_ada', pointsBalance: 500 }, orders: [], returns: [], degraded: [] });
    expect([openBaskets, interactions]).toEqual([[basket], profile.interactions]);
    expect(interactions.length).toBeGreaterThan(0);
  });

  test.each([
    ['crm', ['customer', 'loyalty', 'interactions']],
    ['oms', ['orders']],
    ['loyalty-platform', ['loyalty']],
    ['ecommerce-platform', ['openBaskets']],
    ['fms', ['returns']],
  ])('Get Customer 360 lists what is degraded while the %s is down: %j', async (application, degraded) => {
    await using own = await newRehearsal();
    await own.down(application);
    const body = await view('cus_ada', own);
    expect(body).toMatchObject({ degraded, orders: [], openBaskets: [], returns: [] });
    expect(['customer' in body, 'loyalty' in body]).toEqual([application !== 'crm', !degraded.includes('loyalty')]);
  });

  test('Get Customer 360 shows the newest twenty orders and open baskets', async () => {
    await using own = await newRehearsal();
    const made = { orders: [] as string[], openBaskets: [] as string[] };
    for (let n = 0; n < 21; n++) {
      made.orders.unshift((await own.draft({ customerId: 'cus_ben', qty: 1 })).id);
      made.openBaskets.unshift((await own.basket({ customerId: 'cus_ben', qty: 1 })).id);
    }
    const shown = await view('cus_ben', own);
    for (const list of ['orders', 'openBaskets'] as const)
      expect(shown[list].map(({ id }: { id: string }) => id)).toEqual(made[list].slice(0, 20));
  });

  test('Get Customer 360 does not wait for a slow application', async () => {
    await using own = await newRehearsal();
    await own.fault('slow', { match: { application: 'oms' }, fault: { kind: 'latency', ms: 8_000 } });
    expect(await view('cus_ada', own)).toMatchObject({ degraded: ['orders'] });
  });
});
