import { expect } from '@jest/globals';
import { curlOf } from '../../ui/data/curl.ts';
import { ADDRESS, newRehearsal } from '../support/estate.ts';
import { card } from '../support/steps/tender.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const CARD = '4111 1111 1111 1111';
const BARE = CARD.replaceAll(' ', '');
const CREDENTIAL = 'reh_mine_abcdefghijklmnopqrstuvwxyz';
const WITHHELD = { match: { event: 'payment-authorized' }, fault: { kind: 'withhold' } };
const SEEDED = { ...WITHHELD, probability: 0.5 };

test.each([
  ['the token of a tender', 'authorize-payment-api', { orderId: 'ord_1', tender: card(BARE) }, '/tender/token'],
  ['a note', 'log-interaction-api', { customerId: 'cus_ada', type: 'visit', note: `paid with ${CARD}` }, '/note'],
  ['a name', 'create-customer-api', { firstName: 'Ada', lastName: CARD, email: 'x@people.example' }, '/lastName'],
  ['an address', 'checkout-basket-api', { shippingAddress: { ...ADDRESS, line1: `card ${BARE}` } }, '/shippingAddress/line1'],
  ['an unknown member', 'create-basket-api', { card: { number: Number(BARE) } }, '/card/number'],
] as const)(
  'A card number in %s is refused, and is in no event and no record of the journal',
  async (rehearsal, _what, api, body, pointer) => {
    const reply = await rehearsal.call(api, { params: { id: 'some_1' }, body });
    expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer, code: 'card_number' }] } });
    const recorded = JSON.stringify([await rehearsal.events({ ext: true }), await rehearsal.journal()]);
    expect(recorded).not.toMatch(/4111/);
    expect(recorded).toContain('"status":422');
  },
);

test.each([
  ['a card as the seed of a fault', 'PUT', '/faults/f', { ...SEEDED, seed: CARD }, '/seed', 'card_number'],
  ['a credential as the seed of a fault', 'PUT', '/faults/f', { ...SEEDED, seed: CREDENTIAL }, '/seed', 'credential'],
  ['a card as the name of a fault', 'PUT', `/faults/${BARE}`, WITHHELD, '{name}', 'card_number'],
  ['a credential as the name of a rehearsal', 'POST', '/rehearsals', { name: 'demo-store-key' }, '/name', 'credential'],
  ['a card in the message of a scan', 'POST', '/shipments/shp_1/collect', { message: CARD }, '/message', 'card_number'],
] as const)('The control plane refuses %s', async (rehearsal, _what, method, path, body, pointer, code) => {
  const reply = await rehearsal.call(method, `/_control${path}`, body, { as: 'admin' });
  expect(reply).toMatchObject({ status: 422, body: { code: 'validation_failed', errors: [{ pointer, code }] } });
  expect(await rehearsal.faults()).toEqual([]);
});

test('A long text that its schema refuses is not searched for secrets, and no record shows one', async (rehearsal) => {
  const seed = `${CARD} `.repeat(4_000);
  const { body } = await rehearsal.call('POST', '/_control/rehearsals', { name: 'long', seed }, { as: 'admin' });
  expect(body.errors).toMatchObject([{ pointer: '/seed', code: 'too_big' }]);
  expect(JSON.stringify([body, await rehearsal.journal()])).not.toMatch(/card_number|4111/);
});

test('A long body with a secret is refused after its schema has accepted it', async (rehearsal) => {
  const data = { customers: [{ id: 'cus_long', note: 'x'.repeat(70_000), card: CARD }] };
  const refused = await rehearsal.call('POST', '/_control/rehearsals', { name: 'long', data }, { as: 'admin' });
  expect(refused.body).toMatchObject({ errors: [{ pointer: '/data/customers/0/card', code: 'card_number' }] });
});

test('A body with more secrets than a problem lists is refused with the first twenty', async (rehearsal) => {
  const data = { customers: Array.from({ length: 900 }, () => ({ card: CARD })) };
  const { body } = await rehearsal.call('POST', '/_control/rehearsals', { name: 'many', data }, { as: 'admin' });
  expect(body).toMatchObject({ code: 'validation_failed', detail: expect.stringContaining('/data/customers/0/card') });
  const { errors, errorsOmitted } = body as { readonly errors: readonly unknown[]; readonly errorsOmitted?: number };
  expect([errors.length, errorsOmitted]).toEqual([20, undefined]);
});

test('A credential sent anywhere is in no event and no journal record', async (rehearsal) => {
  const { credentials, call } = rehearsal;
  const secrets = [credentials.bearer, credentials.apiKey, credentials.webhookSecret, credentials.clientSecret, 'demo-integration-token'];
  for (const secret of secrets) {
    const encoded = encodeURIComponent(secret);
    const spread = [...secret].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
    const headers = { 'x-correlation-id': secret.replaceAll(/[+/]/g, '.'), 'idempotency-key': secret };
    await call('GET', `/baskets/${encoded}`);
    await call('GET', `/customers?q=${encoded}&key=${encoded}`);
    await call('GET', `/customers?q=${spread}`);
    const body = { note: secret, apiKey: 'something-else-secret' };
    await call('validate-voucher-api', { params: { code: 'none' }, body, headers });
    await call('create-basket-api', { body: { channel: 'web' }, headers });
    const refused = await call('log-interaction-api', { body: { customerId: 'cus_ada', type: 'visit', note: `key: ${secret}` } });
    expect(refused.body).toMatchObject({ errors: [{ pointer: '/note', code: 'credential' }] });
  }
  const recorded = JSON.stringify([await rehearsal.events({ ext: true }), await rehearsal.journal()]);
  for (const secret of [...secrets, 'something-else-secret', credentials.webhookSecret.slice(6, 20), 'reh_', 'whsec_']) {
    expect(recorded).not.toContain(secret);
    expect(recorded).not.toContain(encodeURIComponent(secret));
  }
  expect(recorded).not.toMatch(/%72%65%68|%77%68%73/i);
});

test.each(['5555%205555%205555%204444', '%35555555555554444', '5555%2D5555%2D5555%2D4444', '5555+5555+5555+4444'])(
  'A card number written as %s in a path is not in the journal',
  async (rehearsal, written) => {
    await rehearsal.call('GET', `/customers/${written}`);
    const recorded = JSON.stringify(await rehearsal.journal());
    expect(recorded).toContain('[redacted]');
    expect(recorded).not.toMatch(/5555|4444/);
  },
);

test('A body that is too large for the journal is truncated, and its record is marked', async (rehearsal) => {
  const lines = Array.from({ length: 1_000 }, () => ({ sku: 'mug-blue', qty: 1 }));
  const { headers } = await rehearsal.call('create-basket-api', { body: { channel: 'web', lines } });
  const [record] = await rehearsal.journal(String(headers['x-correlation-id']));
  expect(record).toMatchObject({ truncated: true, request: { truncated: true, bytes: expect.any(Number), start: expect.any(String) } });
});

const bodyWith = (token: string) => ({ orderId: 'ord_none', tender: card(token) });
/** The hop of a payment with a token. */
const hopOf = async (rehearsal: Awaited<ReturnType<typeof newRehearsal>>, token: string) => {
  await rehearsal.call('authorize-payment-api', { body: bodyWith(token) });
  return (await rehearsal.journal()).find(({ api }) => api === 'authorize-payment-api');
};

test.each(['tok_visa', 'tok_decline_insufficient_funds', 'tok_decline_lost_card', 'tok_timeout'])(
  'A copied command has the magic token %s of its request',
  async (rehearsal, token) => {
    const options = { origin: 'http://gateway', rehearsal: 'r', auth: 'bearer', credential: 'token', bound: false } as const;
    expect(curlOf(await hopOf(rehearsal, token), options)).toContain(JSON.stringify(bodyWith(token)));
  },
);

test('A copied command is refused where a token of its request was redacted', async (rehearsal) => {
  const { request: body } = await hopOf(rehearsal, 'tok_live');
  expect(body).toEqual(bodyWith('[redacted]'));
  const errors = [{ pointer: '/tender/token', code: 'redacted', detail: expect.stringContaining('Send the value itself') }];
  expect(await rehearsal.call('authorize-payment-api', { body })).toMatchObject({
    status: 422,
    body: { code: 'validation_failed', errors },
  });
});

test.each([
  ['a body', 'POST', '/interactions', { customerId: 'cus_ada', type: 'visit', note: 'key: [redacted]' }, {}, 422, '/note'],
  ['a query', 'GET', '/customers?q=%5Bredacted%5D', undefined, {}, 422, '?q'],
  ['a path', 'GET', '/customers/%5Bredacted%5D', undefined, {}, 422, '{id}'],
  ['an Idempotency-Key', 'POST', '/baskets', { channel: 'web' }, { 'idempotency-key': 'a [redacted]' }, 400, 'Idempotency-Key'],
  ['a path for the control plane', 'GET', '/_control/events/%5Bredacted%5D', undefined, {}, 422, '{id}'],
] as const)('The text [redacted] in %s is refused by name', async (rehearsal, _where, method, path, body, headers, status, pointer) => {
  const as = path.startsWith('/_control') ? 'admin' : 'bearer';
  const errors = [{ pointer, detail: expect.stringContaining('[redacted]') }];
  expect(await rehearsal.call(method, path, body, { as, headers })).toMatchObject({ status, body: { errors } });
});
