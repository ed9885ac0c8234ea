import { describe, expect, test } from '@jest/globals';
import { customers } from '../../services/crm/collections.ts';
import { createCustomer } from '../../services/crm/registration.ts';
import * as crm from '../../services/crm/service.ts';
import * as loyaltyPlatform from '../../services/loyalty-platform/service.ts';
import { changeCustomer, moveCustomer, putParty } from '../../shared/catalog/customer/internal.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { startInside } from '../support/inside.ts';
import { typesOf } from '../support/steps/events.ts';
import { insideCall } from '../support/steps/inside-call.ts';
import { sharedIn } from '../support/test-in.ts';

const NAME = { firstName: 'Lena', lastName: 'Ward' };

const rehearsal = sharedIn(newRehearsal);

let people = 0;
/** A new e-mail address and phone number. */
function newContact() {
  people += 1;
  return { email: `person-${people}@people.example`, phone: `+35320917${String(people).padStart(4, '0')}` };
}

const create = (body: object) => rehearsal.call('create-customer-api', { body: { ...NAME, ...body } });
const search = (query: Record<string, string>) => rehearsal.call('search-customer-api', { query });
const read = (from: TestRehearsal, id: string) => from.api('get-customer-api', { params: { id } });
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

test('Create Customer registers a customer with e-mail, phone, name and consents, and publishes an event', async () => {
  const { email, phone } = newContact();
  const { status, headers, body } = await create({ email: email.toUpperCase(), phone, consents: { profiling: true } });
  expect([status, headers['etag']]).toEqual([201, '"1"']);
  const consents = { emailMarketing: false, smsMarketing: false, profiling: true };
  expect(body).toMatchObject({ state: 'registered', version: 1, email, phone, ...NAME, addresses: [], consents });
  expect(body.id).toMatch(/^cus_[0-9A-Z]{26}$/);
  const events = await rehearsal.events({ subject: `customer/${body.id}`, ext: true });
  expect(typesOf(events)).toEqual(['customer-registered']);
  const [event] = events;
  expect(event).toMatchObject({ source: 'urn:uc:app:crm', classification: 'created' });
  expect(event.data).not.toHaveProperty('previousState');
  expect(await read(rehearsal, body.id)).toEqual(body);
  expect(event.data.object).toEqual(body);
});

test.each([
  ['the e-mail of one customer', { email: 'Ada@People.example' }, 'cus_ada', ['email']],
  ['e-mail and phone of one customer', { email: 'ada@people.example', phone: '+353209100001' }, 'cus_ada', ['email', 'phone']],
  ['the e-mail of one customer and the phone of another', { email: 'ada@people.example', phone: '+353209100002' }, 'cus_ada', ['email']],
  ['the e-mail of a blocked customer', { email: 'mallory@people.example' }, 'cus_mallory', ['email']],
])('Create Customer refuses %s', async (_what, contact, existingCustomerId, matchedOn) => {
  const { body } = await create(contact);
  expect(body).toMatchObject({ status: 409, code: 'duplicate_customer', existingCustomerId, matchedOn, retryable: false });
});

test.each([
  ['no contact', {}, ''],
  ['an invalid e-mail address', { email: 'nobody' }, '/email'],
  ['no first name', { ...newContact(), firstName: undefined }, '/firstName'],
  ['an unknown consent', { ...newContact(), consents: { sms: true } }, '/consents/sms'],
])('Create Customer refuses %s', async (_what, body, pointer) => {
  expect((await create(body)).body).toMatchObject({ status: 422, errors: [{ pointer }] });
});

describe('Search Customer', () => {
  test.each<[Record<string, string>, string[]]>([
    [{ email: 'ADA@people.example' }, ['cus_ada']],
    [{ phone: '+353209100002' }, ['cus_ben']],
    [{ email: 'nobody@people.example' }, []],
    [{ email: 'hugo@people.example' }, ['cus_hugo']],
    [{ q: 'bYrn' }, ['cus_ada']],
    [{ q: 'ada byrne' }, ['cus_ada']],
    [{ q: 'kim@' }, ['cus_kim']],
    [{ q: '9100011' }, ['cus_jonas']],
    [{ q: 'nobody at all' }, []],
    [{ email: 'ada@people.example', phone: '+353209100001', q: 'byrne' }, ['cus_ada']],
    [{ email: 'ada@people.example', phone: '+353209100002' }, []],
  ])('Search Customer with %j finds %j', async (query, ids) => {
    expect(idsOf((await search(query)).body.items)).toEqual(ids);
  });

  test('Search Customer pages by creation and marks the last page', async () => {
    await using own = await newRehearsal();
    const page = (query: Record<string, string>) => own.api('search-customer-api', { query });
    const everybody = idsOf((await page({ limit: '100' })).items);
    expect(everybody).toHaveLength(12);
    expect(everybody.slice(0, 3)).toEqual(['cus_ada', 'cus_ben', 'cus_mallory']);
    for (const [query, expected] of [
      [{ limit: '5' }, everybody],
      [{ q: 'lin', limit: '1' }, ['cus_eve']],
      [{ q: 'an', limit: '1' }, ['cus_clara', 'cus_kim']],
    ] as const) {
      const pages: string[][] = [];
      for (let next: { cursor?: string } | undefined = {}; next; ) {
        const { items, nextCursor } = await page({ ...query, ...next });
        pages.push(idsOf(items));
        next = nextCursor === undefined ? undefined : { cursor: nextCursor };
      }
      expect([query, pages.flat()]).toEqual([query, expected]);
      expect(pages.every((items) => items.length > 0)).toBe(true);
    }
  });

  test('Search Customer continues after the last page when a customer has registered since', async () => {
    await using own = await newRehearsal();
    const { nextCursor } = await own.api('search-customer-api', { query: { limit: '10' } });
    const { id } = await own.api('create-customer-api', { body: { ...NAME, email: 'later@people.example' } });
    const { items } = await own.api('search-customer-api', { query: { limit: '10', cursor: nextCursor } });
    expect(idsOf(items)).toEqual(['cus_jonas', 'cus_kim', id]);
  });

  const phone = { pointer: '?phone', detail: 'This must be a phone number in E.164, such as +353915550101.' };
  const limit = { pointer: '?limit', detail: 'Give one whole number from 1 to 100, in decimal digits.' };
  test.each<[Record<string, string>, object]>([
    [{ phone: '020917000' }, phone],
    [{ phone: '' }, phone],
    [{ limit: '0' }, limit],
    [{ limit: '101' }, limit],
    [{ cursor: 'nonsense' }, {}],
    [{ name: 'ada' }, {}],
    [{ q: '' }, {}],
  ])('Search Customer refuses %j', async (query, error) => {
    expect((await search(query)).body).toMatchObject({ status: 422, code: 'validation_failed', errors: [error] });
  });
});

test('The customers of the fixtures become idle like other customers', async () => {
  await using own = await newRehearsal();
  const expectStates = async (states: Record<string, string>) => {
    const found = await Promise.all(Object.keys(states).map(async (name) => [name, (await read(own, `cus_${name}`)).state]));
    expect(Object.fromEntries(found)).toEqual(states);
  };
  await expectStates({ kim: 'active', eve: 'at-risk', hugo: 'identified', iris: 'anonymous' });
  await own.advance('P59D');
  await expectStates({ kim: 'at-risk', eve: 'at-risk', ada: 'active' });
  await own.advance('P1D');
  await expectStates({ eve: 'churned', ada: 'active', grace: 'reactivated' });
  await own.advance('P28D');
  await expectStates({ ada: 'at-risk', grace: 'at-risk', farid: 'churned', ben: 'registered', mallory: 'blocked' });
  await own.advance('P90D');
  await expectStates({ ada: 'churned', grace: 'churned', kim: 'churned', hugo: 'identified', iris: 'anonymous' });
  await own.verify();
});

describe('Put Party', () => {
  const inside = sharedIn(() => startInside(crm, loyaltyPlatform));

  const put = (basketId: string, contact?: { email?: string; phone?: string; loyaltyCard?: string }) =>
    inside.as('ecommerce-platform')(putParty, { params: { basketId }, body: { ...(contact && { contact }) } });
  const register = (contact: object) => insideCall(inside, 'create-customer-api', { body: { ...NAME, ...contact } });
  const KNOWN_CARD = '2990000200044';

  test('Put Party creates one anonymous party per basket', async () => {
    const party = await put('bsk_1');
    expect(party).toMatchObject({ state: 'anonymous', version: 1, addresses: [] });
    expect(await put('bsk_1')).toEqual(party);
    const ids = new Set(idsOf(await Promise.all(Array.from({ length: 5 }, () => put('bsk_2')))));
    expect([ids.size, ids.has(party.id)]).toEqual([1, false]);
  });

  test('Put Party identifies the party of a basket by its contact, adds further contact and replaces older values', async () => {
    const { email, phone } = newContact();
    const { id } = await put('bsk_3');
    const identified = await put('bsk_3', { email: email.toUpperCase() });
    expect(identified).toMatchObject({ id, state: 'identified', version: 2, email });
    for (const same of [{ email }, undefined]) expect(await put('bsk_3', same)).toEqual(identified);
    expect(await put('bsk_3', { phone })).toMatchObject({ id, state: 'identified', version: 3, email, phone });
    const other = newContact();
    expect(await put('bsk_3', other)).toMatchObject({ id, version: 4, ...other });
    const events = await inside.events(`customer/${id}`);
    expect(new Set(typesOf(events))).toEqual(new Set(['ext.customer-changed']));
    expect(events.map(({ data }) => data.previousState)).toEqual([undefined, 'anonymous', 'identified', 'identified']);
  });

  test.each([
    ['e-mail', { email: 'ADA@people.example' }, 'cus_ada'],
    ['phone', { phone: '+353209100002' }, 'cus_ben'],
    ['e-mail before phone', { email: 'ada@people.example', phone: '+353209100002' }, 'cus_ada'],
    ['card', { loyaltyCard: KNOWN_CARD }, 'cus_farid'],
    ['e-mail before card', { email: 'ben@people.example', loyaltyCard: '2990000200037' }, 'cus_ben'],
    ['e-mail, although blocked', { email: 'mallory@people.example' }, 'cus_mallory'],
  ])('Put Party returns the registered customer with that %s', async (what, contact, id) => {
    const basketId = `bsk_known-${what.replaceAll(/\W/g, '')}`;
    const party = await put(basketId);
    expect((await put(basketId, contact)).id).toBe(id);
    expect(await inside.stored('crm', customers, party.id)).toMatchObject({ state: 'anonymous', version: 1 });
  });

  test('Put Party identifies nobody by an unknown card', async () => {
    expect(await put('bsk_5', { loyaltyCard: '0000000000000' })).toMatchObject({ state: 'anonymous', version: 1 });
    const { email } = newContact();
    expect(await put('bsk_5', { loyaltyCard: '0000000000000', email })).toMatchObject({ state: 'identified', email });
  });

  test('Create Customer is committed by one of two overlapping requests with one address', async () => {
    const { email } = newContact();
    const input = { params: {}, query: {}, body: { ...NAME, email } };
    const commit = (work: UnitOfWork) => createCustomer.handler(input as never, { work } as Scope);
    expect(await inside.overlapping('crm', commit, commit)).toEqual(['committed', 'Conflict: unique: customers.registeredEmail']);
    expect((await register({ email })).body.code).toBe('duplicate_customer');
  });

  test('Create Customer turns the party with the same e-mail address into the customer and keeps its contact', async () => {
    const { email, phone } = newContact();
    const { id } = await put('bsk_6', { email, phone });
    const { status, body } = await register({ email, consents: { emailMarketing: true } });
    expect(status).toBe(201);
    expect(body).toMatchObject({ id, state: 'registered', version: 3, email, phone, ...NAME });
    expect(body.consents).toEqual({ emailMarketing: true, smsMarketing: false, profiling: false });
    const event = (await inside.events(`customer/${id}`)).at(-1);
    expect(event).toMatchObject({ type: 'com.unified-commerce.customer-registered', classification: 'created', aggregateversion: 3 });
    expect(event.data.previousState).toBe('identified');
    for (const contact of [undefined, newContact()]) expect(await put('bsk_6', contact)).toEqual(body);
  });

  test('A guest who is blocked loses the e-mail that another customer has registered since', async () => {
    const { email, phone } = newContact();
    const { id } = await put('bsk_10', { email, phone });
    await inside.play(changeCustomer, { params: { id: 'cus_farid' }, body: { email } });
    const blocked = await inside.play(moveCustomer, { params: { id }, body: { verb: 'block' } });
    expect(blocked).toMatchObject({ state: 'blocked', phone });
    expect(blocked).not.toHaveProperty('email');
  });

  test('Create Customer prefers the guest with both e-mail and phone, then the oldest with the e-mail', async () => {
    const { email, phone } = newContact();
    const oldest = await put('bsk_7', { email });
    const both = await put('bsk_8', { email, phone });
    expect((await register({ email, phone })).body.id).toBe(both.id);
    const other = { email: newContact().email };
    const [first] = [await put('bsk_9', other), await put('bsk_10', other)];
    expect((await register(other)).body.id).toBe(first.id);
    expect(await inside.stored('crm', customers, oldest.id)).toMatchObject({ state: 'identified', email });
  });

  test('Create Customer finds a guest by phone alone and drops contact that another customer has registered since', async () => {
    const { email, phone } = newContact();
    const guest = await put('bsk_11', { email, phone });
    const second = await put('bsk_12', { email });
    expect((await register({ email, phone: newContact().phone })).body.id).toBe(guest.id);
    const number = newContact().phone;
    expect(await put('bsk_12', { phone: number })).toMatchObject({ id: second.id, email, phone: number });
    const { status, body } = await register({ phone: number });
    expect([status, body.id, body.phone, body.email]).toEqual([201, second.id, number, undefined]);
  });

  test('Put Party ignores the card while the Loyalty Platform is down, and is refused when it has only the card', async () => {
    const card = { loyaltyCard: KNOWN_CARD };
    await inside.down('loyalty-platform');
    const context = { dependency: 'loyalty-platform' };
    await expect(put('bsk_13', card)).rejects.toMatchObject({ code: 'dependency_unavailable', context });
    expect((await put('bsk_13', { email: 'ada@people.example', ...card })).id).toBe('cus_ada');
    const { email } = newContact();
    expect(await put('bsk_14', { email, ...card })).toMatchObject({ state: 'identified', email, cardUnread: true });
    await inside.noFaults();
    expect((await put('bsk_13', card)).id).toBe('cus_farid');
  });
});
