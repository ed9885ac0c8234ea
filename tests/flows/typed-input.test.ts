import { expect, test } from '@jest/globals';
import { newRehearsal } from '../support/estate.ts';
import { card } from '../support/steps/tender.ts';
import { sharedIn } from '../support/test-in.ts';

const rehearsal = sharedIn(newRehearsal);

/** A GET with a query as it is written. */
const get = (path: string) => rehearsal.call('GET', path, undefined, path.startsWith('/_control') ? { as: 'admin' } : {});
const idsOf = ({ items }: { readonly items: readonly { readonly id: string }[] }): string[] => items.map(({ id }) => id);
const found = async (query: string): Promise<string[]> => idsOf((await get(`/customers?${query}`)).body);
const AS_BLANK = 'A + in a query stands for a blank: write it as %2B.';
const NO_PHONE = 'This must be a phone number in E.164, such as +353915550101.';

test.each(['/_control/events?after=+1', '/_control/traces?fault=a+b', '/_control/stock?sku=mug+blue'])(
  'A refused value with a + in the query is refused with the remedy: %s',
  async (path) => expect(await get(path)).toMatchObject({ status: 422, body: { errors: [{ detail: expect.stringContaining('%2B') }] } }),
);

test.each(['/customers?email=nobody', '/customers?phone=0', '/_control/events?after=x', '/customers?nothing=a+b'])(
  'A refusal that no + in the query has caused does not mention it: %s',
  async (path) => expect(JSON.stringify((await get(path)).body.errors)).not.toContain('%2B'),
);

test('A + in a search finds the same as %2B', async () => {
  const email = 'lena+shop@people.example';
  const { id } = await rehearsal.api('create-customer-api', { body: { firstName: 'Lena', lastName: 'Plus', email } });
  for (const q of ['lena+shop@people', 'lena%2Bshop@people', 'a+shop', encodeURIComponent(email)])
    expect([q, await found(`q=${q}`)]).toEqual([q, [id]]);
  expect(await found(`email=${encodeURIComponent(email)}`)).toEqual([id]);
  expect(await found('q=+353209100001')).toEqual(['cus_ada']);
});

test.each([
  ['email', 'a+b@people.example', 'This must be an e-mail address.'],
  ['email', '+ada@people.example', 'This must not begin or end with a blank.'],
  ['phone', '+353209100001', NO_PHONE],
])('A blank in %s=%s is refused with the remedy', async (name, value, rule) => {
  const { status, body } = await get(`/customers?${name}=${value}`);
  expect([status, body.errors]).toMatchObject([422, [{ pointer: `?${name}`, detail: `${rule} ${AS_BLANK}` }]]);
});

const LINES = [{ sku: 'mug-blue', qty: 1 }];
const guest = async () => (await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: LINES } })).id;

test('Blanks around a loyalty card are ignored at enrolment, at the till and at checkout, and blanks around a voucher at its validation', async () => {
  const account = await rehearsal.api('enroll-loyalty-member-api', { body: { customerId: 'cus_ben', cardNumber: ' BEN-0001 ' } });
  expect(account.cardNumber).toBe('BEN-0001');
  expect((await rehearsal.sale({ lines: LINES, loyaltyId: 'BEN-0001 ' })).customerId).toBe('cus_ben');
  const checkedOut = await rehearsal.checkedOut(await guest(), { contact: { loyaltyCard: '\tBEN-0001' } });
  expect(checkedOut.customerId).toBe('cus_ben');
  expect((await rehearsal.api('get-member-balance-api', { params: { id: ' 2990000123459 ' } })).id).toBe('loy_ada');
  const voucher = { params: { code: ' WELCOME10\t' }, body: { basketId: await guest() } };
  expect(await rehearsal.api('validate-voucher-api', voucher)).toMatchObject({ valid: true });
});

test('Blanks around an e-mail address, a phone number, a name and a note are ignored', async () => {
  const contact = { email: ' Typed@people.example ', phone: ' +353915550177 ' };
  const created = await rehearsal.api('create-customer-api', { body: { firstName: ' Tess ', lastName: '\tTyped\n', ...contact } });
  expect(created).toMatchObject({ firstName: 'Tess', lastName: 'Typed', email: 'typed@people.example', phone: '+353915550177' });
  const body = { customerId: created.id, type: 'visit', note: ' tried lamps ' } as const;
  expect((await rehearsal.api('log-interaction-api', { body })).interactions[0].note).toBe('tried lamps');
  expect(await found('q=%20typed%20')).toEqual([created.id]);
});

test('A token of a declined card is declined with blanks around it', async () => {
  const { orderId } = await rehearsal.checkedOut(await guest(), { placeOrder: true });
  const body = { orderId, tender: card(' tok_decline_insufficient_funds ') };
  expect((await rehearsal.call('authorize-payment-api', { body })).body.code).toBe('payment_declined');
});

test.each([
  ['create-customer-api', { firstName: ' ', email: 'x@people.example' }, '/firstName'],
  ['log-interaction-api', { customerId: 'cus_ada', type: 'visit', note: '\n' }, '/note'],
] as const)('A blank value of %s is refused as empty', async (api, body, pointer) => {
  const errors = [{ pointer, detail: 'This must not be empty.' }];
  expect(await rehearsal.call(api, { body })).toMatchObject({ status: 422, body: { errors } });
});

test.each([
  ...['+353 (0)91 555 0122', '+353 091 555 0122', '+353-91-555-0122', '+353 91/5550122', '+3530915550122', '+353 (091) 555.0122'].map(
    (written) => [written, '+353915550122'] as const,
  ),
  // Italy has no trunk zero.
  ['+39 06 6982 0000', '+390669820000'],
] as const)('The phone number %s is stored and found in E.164', async (written, stored) => {
  await using own = await newRehearsal();
  const { id, phone } = await own.api('create-customer-api', { body: { firstName: 'Rua', phone: written } });
  expect(phone).toBe(stored);
  for (const sought of [written, phone]) expect(idsOf(await own.api('search-customer-api', { query: { phone: sought } }))).toEqual([id]);
});

test('A phone number in the contact of a checkout identifies the registered customer', async () =>
  expect((await rehearsal.checkedOut(await guest(), { contact: { phone: '+353 (0)20 910 0002' } })).customerId).toBe('cus_ben'));

test.each(['091 555 0122', '00353915550122', '+353', '+0353915550122', '+353 91 CALL NOW', '+39-'])(
  'The phone number %s is refused',
  async (phone) => {
    const reply = await rehearsal.call('create-customer-api', { body: { firstName: 'Rua', phone } });
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ pointer: '/phone', detail: NO_PHONE }] } });
  },
);

test.each(['NFC', 'NFD'] as const)('A name stored in the form %s is found in both forms and in any case', async (form) => {
  await using own = await newRehearsal();
  const body = { firstName: 'Renée'.normalize(form), lastName: 'Ó Sé', email: 'r@people.example' };
  const { id } = await own.api('create-customer-api', { body });
  for (const q of ['Renée'.normalize('NFC'), 'Renée'.normalize('NFD'), 'RENÉE', 'ó SÉ'.normalize('NFD')]) {
    expect(idsOf(await own.api('search-customer-api', { query: { q } }))).toEqual([id]);
    expect(idsOf(await own.control('list-objects', { params: { type: 'customer' }, query: { q } }))).toEqual([id]);
  }
});

test('A customer may have a single name, and is found and labelled by it', async () => {
  await using own = await newRehearsal();
  const created = await own.api('create-customer-api', { body: { firstName: 'Sukarno', email: 'sukarno@people.example' } });
  expect(created).not.toHaveProperty('lastName');
  expect((await own.api('search-customer-api', { query: { q: 'sukarno' } })).items).toEqual([created]);
  const { items } = await own.control('list-objects', { params: { type: 'customer' }, query: { q: 'sukarno' } });
  expect(items[0]?.label).toBe('Sukarno');
});

test('An interaction up to five minutes ahead counts as now, and a later one is refused', async () => {
  await using own = await newRehearsal();
  const now = await own.now();
  const log = (aheadMs: number) => {
    const occurredAt = new Date(now + aheadMs).toISOString();
    return own.call('log-interaction-api', { body: { customerId: 'cus_ada', type: 'visit', occurredAt } });
  };
  for (const aheadMs of [1_000, 300_000]) {
    const { status, body } = await log(aheadMs);
    expect([status, body.interactions[0].occurredAt]).toEqual([201, body.updatedAt]);
  }
  expect((await log(600_000)).body.errors).toMatchObject([{ pointer: '/occurredAt', code: 'in_the_future' }]);
});
