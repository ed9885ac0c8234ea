import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCustomer } from '../../services/crm/apis/create-customer.ts';
import { customers } from '../../services/crm/collections.ts';
import * as crm from '../../services/crm/service.ts';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import { putParty } from '../../shared/catalog/customer/internal.ts';
import { customerLifeCycle } from '../../shared/catalog/customer/objects.ts';
import { Order, order } from '../../shared/catalog/order/objects.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import { defineCollection } from '../../shared/store/collections.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { type Inside, startInside } from '../support/inside.ts';

const DAY = durationMs('P1D');

let rehearsal: TestRehearsal;
beforeAll(async () => {
  rehearsal = await newRehearsal();
});
afterAll(() => rehearsal[Symbol.asyncDispose]());

let people = 0;
/** A new e-mail address and phone number. */
function newContact() {
  people += 1;
  return { email: `person-${people}@people.example`, phone: `+35320917${String(people).padStart(4, '0')}` };
}
const NAME = { firstName: 'Lena', lastName: 'Ward' };

describe('Create Customer', () => {
  test('registers a customer with e-mail, phone, name and consents, and publishes an event', async () => {
    const { email, phone } = newContact();
    const body = { ...NAME, email: email.toUpperCase(), phone, consents: { profiling: true } };
    const reply = await rehearsal.call('create-customer-api', { body });
    expect(reply.status).toBe(201);
    expect(reply.headers['etag']).toBe('"1"');
    expect(reply.body).toMatchObject({
      ...{ state: 'registered', version: 1, email, phone, ...NAME, addresses: [] },
      consents: { emailMarketing: false, smsMarketing: false, profiling: true },
    });
    expect(reply.body.id).toMatch(/^cus_[0-9A-Z]{26}$/);
    const [event, ...more] = await rehearsal.events({ subject: `customer/${reply.body.id}`, ext: true });
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'com.unified-commerce.customer-registered',
      ...{ source: 'urn:uc:app:crm', classification: 'created', aggregateversion: 1, data: { object: reply.body } },
    });
    expect(event.data).not.toHaveProperty('previousState');
    expect(await rehearsal.api('get-customer-api', { params: { id: reply.body.id } })).toEqual(reply.body);
  });

  test('accepts either an e-mail address or a phone number alone', async () => {
    const [one, other] = [newContact(), newContact()];
    expect(await rehearsal.api('create-customer-api', { body: { ...NAME, email: one.email } })).not.toHaveProperty('phone');
    expect(await rehearsal.api('create-customer-api', { body: { ...NAME, phone: other.phone } })).not.toHaveProperty('email');
  });

  test.each([
    ['the e-mail of one', { email: 'Ada@People.example' }, 'cus_ada', ['email']],
    ['the phone of one', { phone: '+353209100002' }, 'cus_ben', ['phone']],
    ['e-mail and phone of the same', { email: 'ada@people.example', phone: '+353209100001' }, 'cus_ada', ['email', 'phone']],
    ['the e-mail of one and the phone of another', { email: 'ada@people.example', phone: '+353209100002' }, 'cus_ada', ['email']],
    ['the e-mail of a guest and the phone of a customer', { email: 'hugo@people.example', phone: '+353209100002' }, 'cus_ben', ['phone']],
    ['the e-mail of a blocked one', { email: 'mallory@people.example' }, 'cus_mallory', ['email']],
    ['the phone of a churned one', { phone: '+353209100007' }, 'cus_farid', ['phone']],
  ])('refuses %s', async (_what, contact, existingCustomerId, matchedOn) => {
    expect(await rehearsal.call('create-customer-api', { body: { ...NAME, ...contact } })).toMatchObject({
      status: 409,
      body: { code: 'duplicate_customer', existingCustomerId, matchedOn, retryable: false },
    });
  });

  test('sent twenty times at once for one address registers one customer, and the other answers name it', async () => {
    const { email } = newContact();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => rehearsal.call('create-customer-api', { body: { ...NAME, email, phone: newContact().phone } })),
    );
    const registered = replies.filter(({ status }) => status === 201);
    expect(registered).toHaveLength(1);
    for (const { status, body } of replies.filter(({ status }) => status !== 201))
      expect([status, body.code, body.existingCustomerId]).toEqual([409, 'duplicate_customer', registered[0]?.body.id]);
    expect((await rehearsal.api('search-customer-api', { query: { email } })).items).toHaveLength(1);
  });

  test('repeated with the same Idempotency-Key answers as before, without another event', async () => {
    const headers = { 'idempotency-key': '"register-once"' };
    const body = { ...NAME, ...newContact() };
    const first = await rehearsal.call('create-customer-api', { body, headers });
    const repeat = await rehearsal.call('create-customer-api', { body, headers: { 'idempotency-key': 'register-once' } });
    expect(repeat).toMatchObject({ status: 201, body: first.body });
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    expect(await rehearsal.events({ subject: `customer/${first.body.id}`, ext: true })).toHaveLength(1);
    expect((await rehearsal.call('create-customer-api', { body })).body.code).toBe('duplicate_customer');
  });

  test('whose answer was lost has registered the customer, and a repeat with the key answers it', async () => {
    await using own = await newRehearsal();
    await own.fault('lost', { match: { api: 'create-customer-api' }, fault: { kind: 'lost-response' }, times: 1 });
    const send = () =>
      own.call('create-customer-api', { body: { ...NAME, email: 'lost@people.example' }, headers: { 'idempotency-key': 'k' } });
    expect((await send()).status).toBe(504);
    expect(await send()).toMatchObject({ status: 201, body: { email: 'lost@people.example' } });
  });

  test('refuses invalid addresses, numbers outside E.164, empty names and unknown members', async () => {
    const { email } = newContact();
    const bodies: [unknown, string][] = [
      [{ ...NAME }, ''],
      [{ ...NAME, email: 'nobody' }, '/email'],
      [{ ...NAME, phone: '020 91 7000' }, '/phone'],
      [{ ...NAME, phone: '+0123456789' }, '/phone'],
      [{ email, lastName: 'Lena' }, '/firstName'],
      [{ ...NAME, email, firstName: '' }, '/firstName'],
      [{ ...NAME, email, state: 'active' }, '/state'],
      [{ ...NAME, email, consents: { sms: true } }, '/consents/sms'],
    ];
    for (const [body, pointer] of bodies) {
      expect(await rehearsal.call('create-customer-api', { body })).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
    }
    expect((await rehearsal.call('create-customer-api', { body: { ...NAME, email }, as: 'none' })).status).toBe(401);
  });
});

describe('Search Customer', () => {
  const found = async (query: string): Promise<string[]> =>
    (await rehearsal.call('GET', `/customers?${query}`)).body.items.map(({ id }: { id: string }) => id);

  test('finds by the whole e-mail address in any case, and by phone', async () => {
    expect(await found('email=ADA@people.example')).toEqual(['cus_ada']);
    expect(await found('phone=%2B353209100002')).toEqual(['cus_ben']);
    expect(await found('email=nobody@people.example')).toEqual([]);
    expect(await found('email=hugo@people.example')).toEqual(['cus_hugo']);
  });

  test('finds by part of a name, an address or a number', async () => {
    expect(await found('q=bYrn')).toEqual(['cus_ada']);
    expect(await found('q=ada+byrne')).toEqual(['cus_ada']);
    expect(await found('q=kim@')).toEqual(['cus_kim']);
    expect(await found('q=9100011')).toEqual(['cus_jonas']);
    expect(await found('q=%2B353209100001')).toEqual(['cus_ada']);
    expect(await found('q=nobody+at+all')).toEqual([]);
  });

  test.each(['phone=+353209100002', 'phone=020917000', 'phone='])('refuses %s, and says how a number is written', async (query) => {
    const { status, body } = await rehearsal.call('GET', `/customers?${query}`);
    expect([status, body.errors]).toEqual([
      422,
      [
        {
          pointer: '?phone',
          code: expect.any(String),
          detail: expect.stringContaining('This must be a phone number in E.164, such as +353915550101.'),
        },
      ],
    ]);
  });

  test('combines several criteria with AND', async () => {
    expect(await found('email=ada@people.example&phone=%2B353209100001&q=byrne')).toEqual(['cus_ada']);
    expect(await found('email=ada@people.example&phone=%2B353209100002')).toEqual([]);
    expect(await found('phone=%2B353209100001&q=okafor')).toEqual([]);
  });

  test('pages in the order of creation and marks the last page', async () => {
    await using own = await newRehearsal();
    const page = async (query: string) => (await own.call('GET', `/customers?${query}`)).body;
    const everybody = (await page('limit=100')).items.map(({ id }: { id: string }) => id);
    expect(everybody).toHaveLength(12);
    expect(everybody.slice(0, 3)).toEqual(['cus_ada', 'cus_ben', 'cus_mallory']);
    for (const [query, expected] of [
      ['limit=5', everybody],
      ['limit=4', everybody],
      ['q=lin&limit=1', ['cus_eve']],
      ['q=an&limit=1', ['cus_clara', 'cus_kim']],
      ['q=an&limit=2', ['cus_clara', 'cus_kim']],
    ] as const) {
      const pages: string[][] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const body: { items: { id: string }[]; nextCursor?: string } = await page(`${query}${cursor && `&cursor=${cursor}`}`);
        pages.push(body.items.map(({ id }) => id));
        cursor = body.nextCursor;
      }
      expect([query, pages.flat()]).toEqual([query, expected]);
      expect(pages.every((items) => items.length > 0)).toBe(true);
    }
  });

  test('continues after the last page when a customer has registered since', async () => {
    await using own = await newRehearsal();
    const first = await own.api('search-customer-api', { query: { limit: '10' } });
    const { id } = await own.api('create-customer-api', { body: { ...NAME, email: 'later@people.example' } });
    const rest = await own.api('search-customer-api', { query: { limit: '10', cursor: first.nextCursor } });
    expect(rest.items.map((customer: { id: string }) => customer.id)).toEqual(['cus_jonas', 'cus_kim', id]);
  });

  test('refuses invalid limits and cursors, and unknown members', async () => {
    for (const query of ['limit=0', 'limit=101', 'limit=many', 'cursor=nonsense', 'name=ada', 'q=']) {
      expect(await rehearsal.call('GET', `/customers?${query}`)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    }
  });

  test.each(['limit=0', 'limit=101', 'limit=1&limit=2', 'limit=0x10'])('names the range of the limit when it refuses %s', async (query) => {
    const { body } = await rehearsal.call('GET', `/customers?${query}`);
    expect(body.errors).toMatchObject([{ pointer: '?limit', detail: 'Give one whole number from 1 to 100, in decimal digits.' }]);
  });
});

describe('Get Customer', () => {
  test('answers customers in every state, with their version as ETag', async () => {
    await using own = await newRehearsal();
    const { items } = await own.api('search-customer-api', { query: { limit: '100' } });
    for (const state of customerLifeCycle.states) {
      const { id = '', version } = items.find((customer) => customer.state === state) ?? {};
      const reply = await own.call('get-customer-api', { params: { id } });
      expect(reply).toMatchObject({ status: 200, body: { id, state }, headers: { etag: `"${version}"` } });
    }
  });

  test('refuses an unknown id', async () => {
    expect(await rehearsal.call('get-customer-api', { params: { id: 'cus_nobody' } })).toMatchObject({
      status: 404,
      body: { code: 'not_found', objectType: 'customer', id: 'cus_nobody' },
    });
  });
});

test('A registered customer becomes active with a confirmed order, at risk and then lost after 90 days of silence each', async () => {
  await using own = await newRehearsal();
  const { id } = await own.api('create-customer-api', { body: { ...NAME, email: 'shopper@people.example' } });
  const basket = await own.basket({ qty: 1, customerId: id });
  const { orderId } = await own.checkedOut(basket.id, { placeOrder: true });
  await own.authorisation(orderId);
  expect((await own.api('get-customer-api', { params: { id } })).state).toBe('registered');
  await own.confirmed(orderId);
  await own.settle();
  const active = await own.api('get-customer-api', { params: { id } });
  expect(active.state).toBe('active');
  await own.advance('P90D');
  expect((await own.api('get-customer-api', { params: { id } })).state).toBe('at-risk');
  await own.advance('P90D');
  expect(await own.api('get-customer-api', { params: { id } })).toMatchObject({ state: 'churned', lastActivityAt: active.lastActivityAt });
  const events = await own.events({ subject: `customer/${id}`, ext: true });
  expect(events.map(({ type, aggregateversion, data }) => [type.slice(21), aggregateversion, data.previousState])).toEqual([
    ['customer-registered', 1, undefined],
    ['ext.customer-changed', 2, 'registered'],
    ['ext.customer-changed', 3, 'active'],
    ['ext.customer-changed', 4, 'at-risk'],
  ]);
});

test('The customers of the fixtures grow idle like all others', async () => {
  await using own = await newRehearsal();
  const states = async () =>
    Object.fromEntries(
      await Promise.all(
        ['ada', 'kim', 'grace', 'eve', 'farid', 'ben', 'mallory'].map(async (name) => [
          name,
          (await own.api('get-customer-api', { params: { id: `cus_${name}` } })).state,
        ]),
      ),
    );
  expect(await states()).toMatchObject({ kim: 'active', eve: 'at-risk' });
  await own.advance('P59D');
  expect(await states()).toMatchObject({ kim: 'at-risk', eve: 'at-risk', ada: 'active' });
  await own.advance('P1D');
  expect(await states()).toMatchObject({ eve: 'churned', ada: 'active', grace: 'reactivated' });
  await own.advance('P28D');
  expect(await states()).toMatchObject({ ada: 'at-risk', grace: 'at-risk', farid: 'churned', ben: 'registered', mallory: 'blocked' });
  await own.advance('P90D');
  expect(await states()).toMatchObject({ ada: 'churned', grace: 'churned', kim: 'churned' });
  await own.verify();
});

/** The event of the OMS, which does not run here. */
const orders = defineCollection({ name: 'orders', object: order, schema: Order });
/** Another record of the same order: its confirmation is another event. */
const replayedOrders = defineCollection({ name: 'replayed-orders', object: order, schema: Order });
const zero = { amount: 0, currency: 'EUR' };
let orderCount = 0;

const confirmOrder = (inside: Inside, customerId: string | undefined, { id = `ord_${++orderCount}`, of = orders } = {}) =>
  inside.commitAs('oms', async (work) => {
    const draft = work.create(of, 'create', {
      ...{ id, orderNumber: id, channel: 'web', basketId: `bsk_${id}`, lines: [], validatedAt: new Date(work.now).toISOString() },
      ...(customerId !== undefined && { customerId }),
      totals: { subtotal: zero, discount: zero, shipping: zero, tax: zero, total: zero },
    });
    return work.transition(of, of === orders ? draft : work.transition(of, draft, 'note'), 'confirm');
  });

/** One fixture customer for each state. */
const inState = {
  ...{ anonymous: 'cus_iris', identified: 'cus_hugo', registered: 'cus_ben', active: 'cus_ada' },
  ...{ 'at-risk': 'cus_eve', churned: 'cus_farid', reactivated: 'cus_grace', blocked: 'cus_mallory' },
};

describe('Activity', () => {
  let inside: Inside;
  beforeAll(async () => {
    inside = await startInside(crm, loyaltyPlatform);
  });
  afterAll(() => inside[Symbol.asyncDispose]());
  const read = (id: string) => inside.stored('crm', customers, id);

  test.each(customerLifeCycle.states)('of a customer who is %s follows the table of the life cycle', async (state) => {
    const id = inState[state];
    const before = await read(id);
    expect(before.state).toBe(state);
    await confirmOrder(inside, id);
    const row = customerLifeCycle.rows.find(({ verb, from }) => verb === 'activity' && from.includes(state));
    if (!row) expect(await read(id)).toEqual(before);
    else {
      const at = new Date(await inside.now()).toISOString();
      expect(await read(id)).toMatchObject({ state: row.to[0] ?? state, version: before.version + 1 });
      const { lastActivityAt = '' } = await read(id);
      expect(Math.abs(Date.parse(lastActivityAt) - Date.parse(at))).toBeLessThan(10_000);
      expect((await inside.events(`customer/${id}`)).at(-1)).toMatchObject({
        type: 'com.unified-commerce.ext.customer-changed',
        data: { previousState: state },
      });
    }
  });

  test('counts once per order, and the second order of a reactivated customer makes the customer active', async () => {
    expect((await read('cus_farid')).state).toBe('reactivated');
    const { id } = await confirmOrder(inside, 'cus_farid');
    expect((await read('cus_farid')).state).toBe('active');
    const { version } = await read('cus_farid');
    const events = (await inside.events(`order/${id}`)).length;
    await confirmOrder(inside, 'cus_farid', { id, of: replayedOrders });
    expect(await inside.events(`order/${id}`)).toHaveLength(events + 3);
    expect((await read('cus_farid')).version).toBe(version);
  });

  test('without a customer, or of an unknown customer, changes nothing and does not block later events', async () => {
    const before = (await inside.events()).filter(({ subject }) => subject.startsWith('customer/')).length;
    await confirmOrder(inside, undefined);
    await confirmOrder(inside, 'cus_nobody');
    expect((await inside.events()).filter(({ subject }) => subject.startsWith('customer/'))).toHaveLength(before);
  });

  test('restarts both spans of silence', async () => {
    await inside.advance(60 * DAY);
    await confirmOrder(inside, 'cus_ben');
    const { lastActivityAt } = await read('cus_ben');
    await inside.advance(89 * DAY);
    expect(await read('cus_ben')).toMatchObject({ state: 'active', lastActivityAt });
    await inside.advance(DAY);
    expect((await read('cus_ben')).state).toBe('at-risk');
    await confirmOrder(inside, 'cus_ben');
    expect((await read('cus_ben')).state).toBe('active');
    await inside.advance(89 * DAY);
    expect((await read('cus_ben')).state).toBe('active');
    await inside.advance(91 * DAY);
    expect((await read('cus_ben')).state).toBe('churned');
  });

  test.each(customerLifeCycle.states)('that stops moves a customer who is %s only as the table says', async (state) => {
    await using own = await startInside(crm);
    const id = inState[state];
    await own.advance(400 * DAY);
    const idles = customerLifeCycle.rows.some(({ verb, from }) => verb === 'idle' && from.includes(state));
    expect((await own.stored('crm', customers, id)).state).toBe(idles ? 'churned' : state);
  });
});

describe('Put Party, called by the eCommerce Platform,', () => {
  let inside: Inside;
  beforeAll(async () => {
    inside = await startInside(crm, loyaltyPlatform);
  });
  afterAll(() => inside[Symbol.asyncDispose]());

  const put = (basketId: string, contact?: { email?: string; phone?: string; loyaltyCard?: string }) =>
    inside.as('ecommerce-platform')(putParty, { params: { basketId }, body: { ...(contact && { contact }) } });

  test('makes one anonymous party per basket', async () => {
    const party = await put('bsk_1');
    expect(party).toMatchObject({ state: 'anonymous', version: 1, addresses: [] });
    expect(await put('bsk_1')).toEqual(party);
    const several = await Promise.all(Array.from({ length: 5 }, () => put('bsk_2')));
    expect(new Set(several.map(({ id }) => id)).size).toBe(1);
    expect(several[0]?.id).not.toBe(party.id);
  });

  test('identifies the party of a basket by its contact, adds further contact and replaces older values', async () => {
    const { email, phone } = newContact();
    const party = await put('bsk_3');
    const identified = await put('bsk_3', { email: email.toUpperCase() });
    expect(identified).toMatchObject({ id: party.id, state: 'identified', version: 2, email });
    expect(await put('bsk_3', { email })).toEqual(identified);
    expect(await put('bsk_3')).toEqual(identified);
    expect(await put('bsk_3', { phone })).toMatchObject({ id: party.id, state: 'identified', version: 3, email, phone });
    const other = newContact();
    expect(await put('bsk_3', other)).toMatchObject({ id: party.id, version: 4, ...other });
    const types = (await inside.events(`customer/${party.id}`)).map(({ type, data }) => [type.slice(21), data.previousState]);
    expect(types).toEqual([
      ['ext.customer-changed', undefined],
      ['ext.customer-changed', 'anonymous'],
      ['ext.customer-changed', 'identified'],
      ['ext.customer-changed', 'identified'],
    ]);
  });

  test('creates an identified party when the basket has contact at once', async () => {
    const contact = newContact();
    const party = await put('bsk_4', contact);
    expect(party).toMatchObject({ state: 'identified', version: 2, ...contact });
    expect((await inside.events(`customer/${party.id}`)).map(({ aggregateversion }) => aggregateversion)).toEqual([1, 2]);
  });

  test.each([
    ['e-mail', { email: 'ADA@people.example' }, 'cus_ada'],
    ['phone', { phone: '+353209100002' }, 'cus_ben'],
    ['e-mail before phone', { email: 'ada@people.example', phone: '+353209100002' }, 'cus_ada'],
    ['card', { loyaltyCard: '2990000200044' }, 'cus_farid'],
    ['card, when e-mail and phone are unknown', { ...newContact(), loyaltyCard: '2990000200037' }, 'cus_eve'],
    ['e-mail before card', { email: 'ben@people.example', loyaltyCard: '2990000200037' }, 'cus_ben'],
    ['e-mail, although blocked', { email: 'mallory@people.example' }, 'cus_mallory'],
  ])('answers the registered customer with that %s', async (what, contact, id) => {
    const basketId = `bsk_known-${what.replaceAll(/\W/g, '')}`;
    const party = await put(basketId);
    expect((await put(basketId, contact)).id).toBe(id);
    expect(await inside.stored('crm', customers, party.id)).toMatchObject({ state: 'anonymous', version: 1 });
  });

  test('identifies no customer by an unknown card', async () => {
    expect(await put('bsk_5', { loyaltyCard: '0000000000000' })).toMatchObject({ state: 'anonymous', version: 1 });
    const { email } = newContact();
    expect(await put('bsk_5', { loyaltyCard: '0000000000000', email })).toMatchObject({ state: 'identified', email });
  });

  test('answers the second of two concurrent registrations with the first', async () => {
    const { email } = newContact();
    const register = (work: UnitOfWork) =>
      createCustomer.handler({ params: {}, query: {}, body: { ...NAME, email } } as never, { work } as Scope);
    expect(await inside.overlapping('crm', register, register)).toEqual(['committed', 'Conflict: unique: customers.registeredEmail']);
    expect((await inside.call('POST', '/customers', { ...NAME, email })).body.code).toBe('duplicate_customer');
  });

  test('turns a party that registers into this customer and keeps its contact', async () => {
    const { email, phone } = newContact();
    const party = await put('bsk_6', { email, phone });
    const reply = await inside.call('POST', '/customers', { ...NAME, email, consents: { emailMarketing: true } });
    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({ id: party.id, state: 'registered', version: 3, email, phone, ...NAME });
    expect(reply.body.consents).toEqual({ emailMarketing: true, smsMarketing: false, profiling: false });
    expect((await inside.events(`customer/${party.id}`)).at(-1)).toMatchObject({
      type: 'com.unified-commerce.customer-registered',
      ...{ classification: 'created', aggregateversion: 3, data: { previousState: 'identified' } },
    });
    expect((await put('bsk_6')).id).toBe(party.id);
    expect(await put('bsk_6', newContact())).toEqual(reply.body);
  });

  test('registers, of several guests, the one with both e-mail and phone, else the oldest with the e-mail', async () => {
    const { email, phone } = newContact();
    const oldest = await put('bsk_7', { email });
    const both = await put('bsk_8', { email, phone });
    expect((await inside.call('POST', '/customers', { ...NAME, email, phone })).body.id).toBe(both.id);
    const other = newContact();
    const [first] = [await put('bsk_9', { email: other.email }), await put('bsk_10', { email: other.email })];
    expect((await inside.call('POST', '/customers', { ...NAME, email: other.email })).body.id).toBe(first.id);
    expect(await inside.stored('crm', customers, oldest.id)).toMatchObject({ state: 'identified', email });
  });

  test('finds a guest by phone alone and drops contact that another customer has registered since', async () => {
    const { email, phone } = newContact();
    const guest = await put('bsk_11', { email, phone });
    const other = await inside.call('POST', '/customers', { ...NAME, phone: newContact().phone });
    expect(other.status).toBe(201);
    const first = await put('bsk_12', { email });
    expect((await inside.call('POST', '/customers', { ...NAME, email, phone: newContact().phone })).body.id).toBe(guest.id);
    // The second guest left the same address, which is now registered: registering by phone leaves it out.
    const number = newContact().phone;
    expect(await put('bsk_12', { phone: number })).toMatchObject({ id: first.id, email, phone: number });
    const registered = await inside.call('POST', '/customers', { ...NAME, phone: number });
    expect(registered).toMatchObject({ status: 201, body: { id: first.id, phone: number } });
    expect(registered.body).not.toHaveProperty('email');
  });

  test('decides without the card while the Loyalty Platform is down, and is refused when it has only the card', async () => {
    await inside.down('loyalty-platform');
    await expect(put('bsk_13', { loyaltyCard: '2990000200044' })).rejects.toMatchObject({
      code: 'dependency_unavailable',
      context: { dependency: 'loyalty-platform' },
    });
    expect((await put('bsk_13', { email: 'ada@people.example', loyaltyCard: '2990000200044' })).id).toBe('cus_ada');
    const { email } = newContact();
    expect(await put('bsk_14', { email, loyaltyCard: '2990000200044' })).toMatchObject({ state: 'identified', email, cardUnread: true });
    await inside.noFaults();
    expect((await put('bsk_13', { loyaltyCard: '2990000200044' })).id).toBe('cus_farid');
  });
});
