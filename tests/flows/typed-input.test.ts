import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADDRESS, newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** What people type, paste and send by the clients of many languages: accepted, or refused with the remedy, alike in every request. */
let rehearsal: TestRehearsal;
beforeAll(async () => {
  rehearsal = await newRehearsal();
});
afterAll(() => rehearsal[Symbol.asyncDispose]());

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  rehearsal.call(
    method,
    path,
    body,
    path.startsWith('/_control') ? { as: 'admin', headers: { 'x-rehearsal': rehearsal.name } } : { headers },
  );
const found = async (query: string): Promise<string[]> => {
  const { body } = await ask('GET', `/customers?${query}`);
  return body.items.map(({ id }: { id: string }) => id);
};

describe('A + in a query', () => {
  test.each([
    ['email', 'a+b@people.example'],
    ['phone', '+353209100002'],
  ])('is refused with the remedy in %s', async (name, value) => {
    const { status, body } = await ask('GET', `/customers?${name}=${value}`);
    expect([status, body.errors[0].pointer]).toEqual([422, `?${name}`]);
    expect(body.errors[0].detail).toMatch(/\. A \+ in a query stands for a blank: write it as %2B\.$/);
  });

  test.each(['/_control/events?after=+1', '/_control/traces?fault=a+b', '/_control/stock?sku=mug+blue'])(
    'is explained where the value is refused: %s',
    async (path) => {
      const { status, body } = await ask('GET', path);
      expect(status).toBe(422);
      expect(body.errors[0].detail).toContain('write it as %2B');
    },
  );

  test.each(['/customers?email=nobody', '/customers?phone=0', '/_control/events?after=x', '/customers?nothing=a+b'])(
    'is not mentioned where there is none, or no such parameter: %s',
    async (path) => expect(JSON.stringify((await ask('GET', path)).body.errors)).not.toContain('%2B'),
  );

  test('finds the same as %2B in a search', async () => {
    const email = 'lena+shop@people.example';
    const { id } = await rehearsal.api('create-customer-api', { body: { firstName: 'Lena', lastName: 'Plus', email } });
    for (const q of ['lena+shop@people', 'lena%2Bshop@people', 'a+shop', encodeURIComponent(email)])
      expect([q, await found(`q=${q}`)]).toEqual([q, [id]]);
    expect(await found(`email=${encodeURIComponent(email)}`)).toEqual([id]);
    expect(await found('q=+353209100001')).toEqual(['cus_ada']);
  });
});

describe('A blank at the edge of an e-mail address or a phone number in a query', () => {
  test.each([
    ['email', '+ada@people.example'],
    ['email', 'ada@people.example+'],
    ['email', '%20ada@people.example'],
    ['phone', '+353209100001'],
    ['phone', '%2B353209100001+'],
  ])('finds nobody else: %s=%s is refused with the remedy', async (name, value) => {
    const { status, body } = await ask('GET', `/customers?${name}=${value}`);
    const rule =
      name === 'email' ? 'This must not begin or end with a blank.' : 'This must be a phone number in E.164, such as +353915550101.';
    const detail = `${rule} A + in a query stands for a blank: write it as %2B.`;
    expect([status, body.errors.length, body.errors[0].pointer, body.errors[0].detail]).toEqual([422, 1, `?${name}`, detail]);
  });
});

describe('A query', () => {
  test('has parameters, and a refusal calls them so', async () => {
    expect((await ask('GET', '/customers?nothing=1')).body.errors).toEqual([
      { pointer: '?nothing', code: 'unknown_member', detail: 'This parameter is unknown.' },
    ]);
    expect((await ask('POST', '/interactions', { nothing: 1 })).body.errors).toContainEqual({
      pointer: '/nothing',
      code: 'unknown_member',
      detail: 'This member is unknown.',
    });
  });
});

describe('Blanks around a value', () => {
  test('are no part of a card number that is enrolled, used at the till or given at checkout', async () => {
    const account = await rehearsal.api('enroll-loyalty-member-api', { body: { customerId: 'cus_ben', cardNumber: ' BEN-0001 ' } });
    expect(account.cardNumber).toBe('BEN-0001');
    const lines = [{ sku: 'mug-blue', qty: 1 }];
    const sale = await rehearsal.sale({ lines, loyaltyId: 'BEN-0001 ' });
    expect(sale.customerId).toBe('cus_ben');
    const { id } = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines } });
    const contact = { loyaltyCard: '\tBEN-0001' };
    expect((await rehearsal.api('checkout-basket-api', { params: { id }, body: { contact, shippingAddress: ADDRESS } })).customerId).toBe(
      'cus_ben',
    );
  });

  test('inside a card number are refused with the rule in words', async () => {
    const { body } = await ask('POST', '/loyalty/members', { customerId: 'cus_ben', cardNumber: 'BEN 1' });
    expect(body.errors).toEqual([
      { pointer: '/cardNumber', code: 'invalid_format', detail: 'This must have 4 to 32 letters, digits, dots, hyphens and underscores.' },
    ]);
  });

  test('are no part of a voucher code, in body and path', async () => {
    const { id } = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    const basket = await ask('POST', '/vouchers/%20WELCOME10%09/validate', { basketId: id });
    expect([basket.status, basket.body.valid ?? basket.body.code]).toEqual([200, true]);
  });

  test('are no part of a card, an e-mail address, a name and a note', async () => {
    const contact = { email: ' Typed@people.example ', phone: ' +353915550177 ' };
    const created = await rehearsal.api('create-customer-api', { body: { firstName: ' Tess ', lastName: '\tTyped\n', ...contact } });
    expect(created).toMatchObject({ firstName: 'Tess', lastName: 'Typed', email: 'typed@people.example', phone: '+353915550177' });
    const { interactions } = await rehearsal.api('log-interaction-api', {
      body: { customerId: created.id, type: 'visit', note: ' tried lamps ' },
    });
    expect(interactions[0].note).toBe('tried lamps');
    expect((await rehearsal.api('get-member-balance-api', { params: { id: ' 2990000123459 ' } })).id).toBe('loy_ada');
    expect(await found('q=%20typed%20')).toEqual([created.id]);
  });

  test('do not turn a token that is declined into one that is approved', async () => {
    const { id } = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    const { orderId } = await rehearsal.api('checkout-basket-api', {
      params: { id },
      body: { placeOrder: true, shippingAddress: ADDRESS },
    });
    const tender = { type: 'card', token: ' tok_decline_insufficient_funds ' };
    expect((await ask('POST', '/payments/authorizations', { orderId, tender })).body.code).toBe('payment_declined');
  });

  test.each([
    ['/customers', { firstName: ' ', email: 'x@people.example' }, '/firstName'],
    ['/interactions', { customerId: 'cus_ada', type: 'visit', note: '\n' }, '/note'],
  ])('alone are no value for POST %s', async (path, body, pointer) => {
    expect(await ask('POST', path, body)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer, detail: 'This must not be empty.' }] },
    });
  });
});

describe('A phone number', () => {
  test.each(['+353 (0)91 555 0122', '+353 091 555 0122', '+353-91-555-0122', '+353 91/5550122', '+3530915550122', '+353 (091) 555.0122'])(
    'written as %s is stored and found in E.164',
    async (written) => {
      await using own = await newRehearsal();
      const customer = await own.api('create-customer-api', { body: { firstName: 'Rua', phone: written } });
      expect(customer.phone).toBe('+353915550122');
      for (const phone of [written, '+353915550122']) {
        const { items } = await own.api('search-customer-api', { query: { phone } });
        expect(items.map(({ id }) => id)).toEqual([customer.id]);
      }
    },
  );

  test('in the contact of a checkout is the number of the registered customer', async () => {
    const { id } = await rehearsal.api('create-basket-api', { body: { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    const contact = { phone: '+353 (0)20 910 0002' };
    const checkedOut = await rehearsal.api('checkout-basket-api', { params: { id }, body: { contact, shippingAddress: ADDRESS } });
    expect(checkedOut.customerId).toBe('cus_ben');
  });

  test.each(['091 555 0122', '00353915550122', '+353', '+0353915550122', '+353 91 CALL NOW', '+39-'])(
    'written as %s is refused',
    async (phone) => {
      expect(await ask('POST', '/customers', { firstName: 'Rua', phone })).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/phone', detail: 'This must be a phone number in E.164, such as +353915550101.' }] },
      });
    },
  );

  test('of a country without a trunk zero keeps its 0', async () => {
    await using own = await newRehearsal();
    expect((await own.api('create-customer-api', { body: { firstName: 'Rosa', phone: '+39 06 6982 0000' } })).phone).toBe('+390669820000');
  });
});

describe('Decomposed letters', () => {
  const [composed, decomposed] = ['Renée', 'Renée'.normalize('NFD')];

  test.each([
    [composed, decomposed],
    [decomposed, composed],
  ])('are found whichever form is stored and sought (%j, %j)', async (stored, sought) => {
    await using own = await newRehearsal();
    const { id } = await own.api('create-customer-api', { body: { firstName: stored, lastName: 'Ó Sé', email: 'r@people.example' } });
    for (const q of [sought, sought.toUpperCase(), 'ó SÉ'.normalize('NFD')]) {
      expect((await own.api('search-customer-api', { query: { q } })).items.map((one: { id: string }) => one.id)).toEqual([id]);
      const { items } = await own.client.control('list-objects', { params: { type: 'customer' }, query: { q } });
      expect(items.map((one) => one.id)).toEqual([id]);
    }
  });
});

test('Somebody with one name is a customer, and is found and labelled by that name', async () => {
  await using own = await newRehearsal();
  const created = await own.api('create-customer-api', { body: { firstName: 'Sukarno', email: 'sukarno@people.example' } });
  expect(created).not.toHaveProperty('lastName');
  expect((await own.api('search-customer-api', { query: { q: 'sukarno' } })).items).toEqual([created]);
  const { items } = await own.client.control('list-objects', { params: { type: 'customer' }, query: { q: 'sukarno' } });
  expect(items[0]?.label).toBe('Sukarno');
});

test('An interaction a second ahead counts as now, as far ahead as the timestamp of a webhook may be', async () => {
  await using own = await newRehearsal();
  const now = await own.now();
  const log = (aheadMs: number) =>
    own.call('log-interaction-api', { body: { customerId: 'cus_ada', type: 'visit', occurredAt: new Date(now + aheadMs).toISOString() } });
  for (const aheadMs of [1_000, 300_000]) {
    const { status, body } = await log(aheadMs);
    expect([status, body.interactions[0].occurredAt]).toEqual([201, body.updatedAt]);
  }
  expect((await log(600_000)).body.errors).toMatchObject([{ pointer: '/occurredAt', code: 'in_the_future' }]);
});

describe('The body null', () => {
  test.each([
    ['POST', '/orders/ord_none/cancel'],
    ['POST', '/orders/ord_none/confirm'],
    ['POST', '/interactions'],
    ['POST', '/_control/settle'],
    ['PUT', '/_control/progression'],
  ])('is refused with the remedy by %s %s', async (method, path) => {
    expect(await ask(method, path, null)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '', detail: 'This must be an object, not null. Send {} or no body if it has no members.' }] },
    });
  });
});
