import { describe, expect, test } from '@jest/globals';
import { curlOf } from '../../ui/data/curl.ts';
import { ADDRESS, newRehearsal } from '../support/estate.ts';

const CARD = '4111 1111 1111 1111';
const BARE = CARD.replaceAll(' ', '');

describe('A client that sends a card number in the wrong member', () => {
  test.each([
    ['a tender’s token', 'POST', '/payments/authorizations', { orderId: 'ord_1', tender: { type: 'card', token: BARE } }, '/tender/token'],
    ['a note', 'POST', '/interactions', { customerId: 'cus_ada', type: 'visit', note: `paid with ${CARD}` }, '/note'],
    ['a name', 'POST', '/customers', { firstName: 'Ada', lastName: CARD, email: 'x@people.example' }, '/lastName'],
    ['an address', 'POST', '/baskets/bas_1/checkout', { shippingAddress: { ...ADDRESS, line1: `card ${BARE}` } }, '/shippingAddress/line1'],
    ['a reason', 'POST', '/orders/ord_1/cancel', { reason: `refund to ${CARD}` }, '/reason'],
    ['a loyalty card', 'POST', '/transactions', { contact: { loyaltyCard: BARE } }, '/contact/loyaltyCard'],
    ['an unknown member', 'POST', '/baskets', { card: { number: Number(BARE) } }, '/card/number'],
  ])('is refused in %s: the number is in no event and in no record of the journal', async (_what, method, path, body, pointer) => {
    await using rehearsal = await newRehearsal();
    const reply = await rehearsal.call(method, path, body);
    expect(reply.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer, code: 'card_number' }] });
    expect(reply.status).toBe(422);
    const told = JSON.stringify([await rehearsal.events({ ext: true }), await rehearsal.journal()]);
    expect(told).not.toMatch(/4111/);
    expect(told).toContain('"status":422');
  });

  test('is refused by the control plane as well, where the text would reach an event', async () => {
    await using rehearsal = await newRehearsal();
    const asked = { params: { id: 'shp_1', scan: 'collect' }, body: { message: CARD } };
    await expect(rehearsal.client.control('play-scan', asked)).rejects.toThrow('422');
  });
});

describe('The control plane refuses, without storing it,', () => {
  const ON_EVENT = { match: { event: 'payment-authorized' }, fault: { kind: 'withhold' } };
  const CREDENTIAL = 'reh_mine_abcdefghijklmnopqrstuvwxyz';

  test.each([
    ['a card as a seed', 'PUT', '/faults/f', { ...ON_EVENT, probability: 0.5, seed: CARD }, '/seed', 'card_number'],
    ['a credential as a seed', 'PUT', '/faults/f', { ...ON_EVENT, probability: 0.5, seed: CREDENTIAL }, '/seed', 'credential'],
    [
      'a webhook secret as a subject',
      ...(['PUT', '/faults/f'] as const),
      ...[{ ...ON_EVENT, match: { event: 'payment-authorized', subject: 'whsec_abcdefgh' } }, '/match/subject', 'credential'],
    ],
    ['a card as the name of a fault', 'PUT', `/faults/${BARE}`, ON_EVENT, '{name}', 'card_number'],
    ['a credential as the name of a fault', 'PUT', `/faults/${CREDENTIAL}`, ON_EVENT, '{name}', 'credential'],
    ['a card as the name of a rehearsal', 'POST', '/rehearsals', { name: BARE }, '/name', 'card_number'],
    ['a credential as the name of a rehearsal', 'POST', '/rehearsals', { name: 'demo-store-key' }, '/name', 'credential'],
  ] as const)('%s', async (_what, method, path, body, pointer, code) => {
    await using rehearsal = await newRehearsal();
    const reply = await rehearsal.call(method, `/_control${path}`, body, { as: 'admin', headers: { 'x-rehearsal': rehearsal.name } });
    expect(reply.body).toMatchObject({ code: 'validation_failed', errors: [{ pointer, code }] });
    expect(await rehearsal.faults()).toEqual([]);
  });
});

test('A credential sent anywhere is in no event and no journal record', async () => {
  await using rehearsal = await newRehearsal();
  const { credentials, call } = rehearsal;
  const secrets = [credentials.bearer, credentials.apiKey, credentials.webhookSecret, 'demo-integration-token'];
  for (const secret of secrets) {
    const encoded = encodeURIComponent(secret);
    const spread = [...secret].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
    const inHeader = { headers: { 'x-correlation-id': secret.replaceAll(/[+/]/g, '.'), 'idempotency-key': secret } };
    await call('GET', `/baskets/${encoded}`);
    await call('GET', `/customers?q=${encoded}&key=${encoded}`);
    await call('GET', `/customers?q=${spread}`);
    await call('POST', '/vouchers/none/validate', { note: secret, apiKey: 'something-else-secret' }, inHeader);
    await rehearsal.api('create-basket-api', { body: { channel: 'web' }, ...inHeader });
    const refused = await call('POST', '/interactions', { customerId: 'cus_ada', type: 'visit', note: `key: ${secret}` });
    expect(refused.body).toMatchObject({ errors: [{ pointer: '/note', code: 'credential' }] });
  }
  const told = JSON.stringify([await rehearsal.events({ ext: true }), await rehearsal.journal()]);
  for (const secret of [...secrets, 'something-else-secret', credentials.webhookSecret.slice(6, 20), 'reh_', 'whsec_']) {
    expect(told).not.toContain(secret);
    expect(told).not.toContain(encodeURIComponent(secret));
  }
  expect(told).not.toMatch(/%72%65%68|%77%68%73/i);
});

test.each(['5555%205555%205555%204444', '%35555555555554444', '5555%2D5555%2D5555%2D4444', '5555+5555+5555+4444'])(
  'A card number written as %s in a path is not in the journal',
  async (written) => {
    await using rehearsal = await newRehearsal();
    await rehearsal.call('get-customer-api', { params: { id: written } });
    const told = JSON.stringify(await rehearsal.journal());
    expect(told).toContain('[redacted]');
    expect(told).not.toMatch(/5555|4444/);
  },
);

test('A body that is too large for the journal is truncated, and the record says so', async () => {
  await using rehearsal = await newRehearsal();
  const lines = Array.from({ length: 1_000 }, () => ({ sku: 'mug-blue', qty: 1 }));
  const { headers } = await rehearsal.call('create-basket-api', { body: { channel: 'web', lines } });
  const [record] = await rehearsal.journal(String(headers['x-correlation-id']));
  expect(record).toMatchObject({ truncated: true, request: { truncated: true, bytes: expect.any(Number), start: expect.any(String) } });
});

describe('A command copied from the journal', () => {
  const decline = (token: string) => ({ orderId: 'ord_none', tender: { type: 'card', token } });
  const OPTIONS = { origin: 'http://gateway', rehearsal: 'r', auth: 'bearer', credential: 'token', bound: false } as const;

  test.each(['tok_visa', 'tok_decline_insufficient_funds', 'tok_decline_lost_card', 'tok_timeout'])(
    'has the magic token %s of its request',
    async (token) => {
      await using rehearsal = await newRehearsal();
      await rehearsal.call('authorize-payment-api', { body: decline(token) });
      const hop = (await rehearsal.journal()).find(({ api }) => api === 'authorize-payment-api');
      expect(curlOf(hop as Parameters<typeof curlOf>[0], OPTIONS)).toContain(JSON.stringify(decline(token)));
    },
  );

  test('is refused where a token of its request was redacted', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.call('authorize-payment-api', { body: decline('tok_live') });
    const [hop] = (await rehearsal.journal()).filter(({ api }) => api === 'authorize-payment-api');
    expect(hop).toMatchObject({ request: decline('[redacted]') });
    expect(await rehearsal.call('authorize-payment-api', { body: hop?.request })).toMatchObject({
      status: 422,
      body: {
        code: 'validation_failed',
        errors: [{ pointer: '/tender/token', code: 'redacted', detail: expect.stringContaining('Send the value itself') }],
      },
    });
  });
});

describe('A request with the text [redacted]', () => {
  const NOTE = { customerId: 'cus_ada', type: 'visit', note: 'key: [redacted]' };
  const ON_EVENT = { match: { event: 'payment-authorized' }, fault: { kind: 'withhold' }, probability: 0.5, seed: '[redacted]' };

  test.each([
    ['a body', 'POST', '/interactions', NOTE, {}, 422, '/note'],
    ['a query', 'GET', '/customers?q=%5Bredacted%5D', undefined, {}, 422, '?q'],
    ['a path', 'GET', '/customers/%5Bredacted%5D', undefined, {}, 422, '{id}'],
    ['an Idempotency-Key', 'POST', '/baskets', { channel: 'web' }, { 'idempotency-key': 'a [redacted]' }, 400, 'Idempotency-Key'],
    ['a body for the control plane', 'PUT', '/_control/faults/f', ON_EVENT, {}, 422, '/seed'],
    ['a query for the control plane', 'GET', '/_control/traces?q=%5Bredacted%5D', undefined, {}, 422, '?q'],
    ['a path for the control plane', 'GET', '/_control/events/%5Bredacted%5D', undefined, {}, 422, '{id}'],
  ] as const)('in %s is refused by name', async (_where, method, path, body, headers, status, pointer) => {
    await using rehearsal = await newRehearsal();
    const isControl = path.startsWith('/_control');
    const named = isControl ? { ...headers, 'x-rehearsal': rehearsal.name } : headers;
    const reply = await rehearsal.call(method, path, body, { ...(isControl && { as: 'admin' as const }), headers: named });
    expect([reply.status, reply.body.errors[0].pointer]).toEqual([status, pointer]);
    expect(reply.body.errors[0].detail).toContain('[redacted]');
  });
});
