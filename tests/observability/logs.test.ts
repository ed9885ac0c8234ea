import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { readConfiguration } from '../../estate/configuration.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { ownFolder } from '../support/own-folder.ts';
import { plain } from '../support/plain-client.ts';
import { anObservedEstate, placeAnOrder } from './observed-estate.ts';

const demo = JSON.parse(readFileSync(new URL('../../fixtures/credentials.json', import.meta.url), 'utf8')) as { secret: string }[];
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const TOKEN = 'an-estate-token-of-thirty-two-characters-and-more';
const PEPPER = 'a-pepper-that-has-more-than-thirty-two-characters';
const { at, load } = ownFolder();

function written(act: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  act(createLogger('trace', { write: (line) => void lines.push(line) }));
  return lines.join('');
}

test('The default level of the log has the default rows that do not fit the data of a folder', async () => {
  await load({ 'products.overlay.json': [{ sku: 'lamp-last-one', $remove: true }] });
  await using estate = await anObservedEstate({ FIXTURES_DIR: at() }, readConfiguration({}).LOG_LEVEL);
  expect(estate.lines.join('')).toContain('Default rows of stock.json that do not fit your data and are left out: lamp-last-one');
});

test('The log has one line of JSON per request, with ids that lead to its other records', async () => {
  await using estate = await anObservedEstate({}, 'info');
  await placeAnOrder(estate.running.gateway, { traceparent: TRACEPARENT, 'x-correlation-id': 'the-order' });
  const records = estate.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const answered = records.filter(({ msg, correlationId }) => msg === 'answered' && correlationId === 'the-order');
  const expected = ['gateway', 'ecommerce-platform', 'oms', 'sim', 'payment-hub', 'inventory-service'];
  expect(answered.map(({ application }) => application)).toEqual(expect.arrayContaining(expected));
  for (const record of answered) {
    expect(record).toMatchObject({
      level: 30,
      application: expect.any(String),
      requestId: expect.stringMatching(/^req_/),
      rehearsal: 'default',
      world: expect.stringMatching(/^default~/),
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      method: expect.stringMatching(/^(GET|POST|PUT|DELETE)$/),
      route: expect.stringMatching(/^\//),
      status: expect.any(Number),
      ms: expect.any(Number),
    });
    expect(record['route']).not.toMatch(/_[0-9A-Z]{26}/);
  }
});

test('The log has no access log at its default level', async () => {
  await using estate = await anObservedEstate({}, 'warn');
  await estate.client.control('put-fault', {
    params: { name: 'away' },
    body: { match: { application: 'crm' }, fault: { kind: 'outage' } },
  });
  expect((await estate.client.call('get-customer-api', { params: { id: 'cus_ada' } })).status).toBe(503);
  expect(estate.lines.filter((line) => line.includes('"answered"'))).toEqual([]);
});

test('The log never contains a secret, even at level trace and in a rehearsal with errors of every kind', async () => {
  await using estate = await anObservedEstate({ ESTATE_TOKEN: TOKEN, CREDENTIAL_PEPPER: PEPPER }, 'trace');
  const { gateway, applications } = estate.running;
  const { call } = plain(estate.client);
  const { credentials } = await estate.client.control('create-rehearsal', { body: { name: 'secretive' } });
  const headers = { authorization: `Bearer ${credentials.bearer}` };
  const pay = (body: string) =>
    call('POST', '/payments/authorizations', body, { headers: { ...headers, 'content-type': 'application/json' } });
  await placeAnOrder(gateway, headers);
  // Refused at the gateway: no credential, a wrong scheme, an unreadable body, a key in the query.
  await call('GET', '/customers/cus_ada', undefined, { headers: { authorization: 'Bearer reh_secretive_abcdefghijklmnopqrstuvwxyz' } });
  await call('GET', '/customers/cus_ada', undefined, { as: 'none', headers: { 'x-api-key': credentials.apiKey } });
  await call('GET', `/customers/cus_ada?key=${credentials.bearer}`, undefined, { headers });
  await pay('{"tender":{"type":"card","token":"tok_visa"');
  await pay('{"tender":{"type":"card","token":"tok_declined"},"orderId":"ord_none"}');
  const signature = { 'webhook-id': 'w', 'webhook-timestamp': '1', 'webhook-signature': `v1,${credentials.webhookSecret}` };
  await call('POST', '/webhooks/carrier?rehearsal=secretive', {}, { as: 'none', headers: signature });
  // Refused by an application itself, and broken on the way.
  await fetch(`${applications['oms']}/orders`, { headers: { 'x-estate-token': TOKEN, 'x-estate-context': 'nonsense' } });
  const admin = { as: 'admin', headers: { 'x-rehearsal': 'secretive' } } as const;
  const strike = (name: string, match: object, fault: object) => call('PUT', `/_control/faults/${name}`, { match, fault }, admin);
  await strike('wrong', { api: 'allocate-inventory-api' }, { kind: 'status', status: 500 });
  await placeAnOrder(gateway, headers);
  await strike('away', { application: 'crm' }, { kind: 'outage' });
  await strike('cut', { application: 'payment-hub' }, { kind: 'drop' });
  await placeAnOrder(gateway, headers).catch(() => undefined);
  await pay('{"tender":{"type":"card","token":"tok_visa"},"orderId":"ord_none"}');
  await call('POST', '/_control/clock/advance', { by: 'P3D', timeoutMs: 3_000 }, admin);

  const all = estate.lines.join('');
  expect(estate.lines.length).toBeGreaterThan(30);
  for (const expected of ['"answered"', '"refused"', '"status":401', '"status":503', '"level":40', 'due work'])
    expect(all).toContain(expected);
  const ofRehearsal = Object.values(credentials).filter((value) => !value.startsWith('/'));
  const secrets = [...demo.map(({ secret }) => secret), ...ofRehearsal, TOKEN, PEPPER, 'tok_visa', 'tok_declined', 'Bearer demo'];
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
});

const SENT = { authorization: 's3cr3t', 'x-estate-context': 's3cr3t' };
test.each([
  ['headers of a request', { headers: { authorization: 'Bearer s3cr3t-of-somebody', 'x-api-key': 's3cr3t', 'x-estate-token': 's3cr3t' } }],
  ['headers deep within an error', { err: Object.assign(new Error('no'), { cause: { request: { options: { headers: SENT } } } }) }],
  ['a text that quotes headers', { detail: 'sent {"x-api-key":"s3cr3t","Authorization":"Bearer s3cr3t-of-somebody"}' }],
  ['the password of a Redis', { url: 'redis://estate:s3cr3t@redis:6379/0', other: 'rediss://:s3cr3t@redis' }],
])('The log leaves out %s', (_what, record) => {
  const line = written((log) => log.child({ application: 'oms' }).warn(record, 'something'));
  expect(line).toContain('[redacted]');
  expect(line).not.toContain('s3cr3t');
  expect(JSON.parse(line)).toMatchObject({ application: 'oms', msg: 'something' });
});
