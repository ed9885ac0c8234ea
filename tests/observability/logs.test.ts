import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { createLogger } from '../../shared/process/logger.ts';
import { anObservedEstate, placeAnOrder } from './observed-estate.ts';

const demo = JSON.parse(readFileSync(new URL('../../fixtures/credentials.json', import.meta.url), 'utf8')) as {
  secret: string;
  name: string;
}[];
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const TOKEN = 'an-estate-token-of-thirty-two-characters-and-more';
const PEPPER = 'a-pepper-that-has-more-than-thirty-two-characters';

function written(act: (log: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  act(createLogger('trace', { write: (line) => void lines.push(line) }));
  return lines.join('');
}

describe('The log', () => {
  test('has one line of JSON per request, with ids that lead to its other records', async () => {
    await using estate = await anObservedEstate({}, 'info');
    await placeAnOrder(estate.running.gateway, { traceparent: TRACEPARENT, 'x-correlation-id': 'the-order' });
    const records = estate.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const answered = records.filter(({ msg, correlationId }) => msg === 'answered' && correlationId === 'the-order');
    const applications = new Set(answered.map(({ application }) => application));
    for (const expected of ['gateway', 'ecommerce-platform', 'oms', 'sim', 'payment-hub', 'inventory-service']) {
      expect(applications).toContain(expected);
    }
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

  test('has no access log at its default level, and names the trace of failures', async () => {
    await using estate = await anObservedEstate({}, 'warn');
    await estate.client.control('put-fault', {
      params: { name: 'away' },
      body: { match: { application: 'crm' }, fault: { kind: 'outage' } },
    });
    const response = await fetch(`${estate.running.gateway}/customers/cus_ada`, {
      headers: { authorization: 'Bearer demo-integration-token', traceparent: TRACEPARENT },
    });
    expect(response.status).toBe(503);
    expect(estate.lines.filter((line) => line.includes('"answered"'))).toEqual([]);
  });

  test('never contains a secret, even at level trace and in a rehearsal with errors of every kind', async () => {
    await using estate = await anObservedEstate({ ESTATE_TOKEN: TOKEN, CREDENTIAL_PEPPER: PEPPER }, 'trace');
    const { gateway, applications } = estate.running;
    const { credentials } = await estate.client.control('create-rehearsal', { body: { name: 'secretive' } });
    const bound = { authorization: `Bearer ${credentials.bearer}` };
    await placeAnOrder(gateway, bound);
    const ask = (path: string, init: RequestInit = {}) => fetch(`${gateway}${path}`, init);
    const json = { 'content-type': 'application/json' };
    const admin = { authorization: 'Bearer demo-control-token', 'x-rehearsal': 'secretive' };
    // Refused at the gateway: no credential, a wrong scheme, an unreadable body, a key in the query.
    await ask('/customers/cus_ada', { headers: { authorization: 'Bearer reh_secretive_abcdefghijklmnopqrstuvwxyz' } });
    await ask('/customers/cus_ada', { headers: { 'x-api-key': credentials.apiKey } });
    await ask(`/customers/cus_ada?key=${credentials.bearer}`, { headers: bound });
    await ask('/payments/authorizations', {
      method: 'POST',
      headers: { ...bound, ...json },
      body: '{"tender":{"type":"card","token":"tok_visa"',
    });
    await ask('/payments/authorizations', {
      method: 'POST',
      headers: { ...bound, ...json },
      body: '{"tender":{"type":"card","token":"tok_declined"},"orderId":"ord_none"}',
    });
    await ask('/webhooks/carrier?rehearsal=secretive', {
      method: 'POST',
      headers: { ...json, 'webhook-id': 'w', 'webhook-timestamp': '1', 'webhook-signature': `v1,${credentials.webhookSecret}` },
      body: '{}',
    });
    // Refused by an application itself, and broken on the way.
    const inside = applications['oms'] ?? '';
    await fetch(`${inside}/orders`, { headers: { 'x-estate-token': TOKEN, 'x-estate-context': 'nonsense' } });
    const strike = (name: string, match: object, fault: object) =>
      ask(`/_control/faults/${name}`, { method: 'PUT', headers: { ...admin, ...json }, body: JSON.stringify({ match, fault }) });
    await strike('wrong', { api: 'allocate-inventory-api' }, { kind: 'status', status: 500 });
    await placeAnOrder(gateway, bound);
    await strike('away', { application: 'crm' }, { kind: 'outage' });
    await strike('cut', { application: 'payment-hub' }, { kind: 'drop' });
    await placeAnOrder(gateway, bound).catch(() => undefined);
    await ask('/payments/authorizations', {
      method: 'POST',
      headers: { ...bound, ...json },
      body: '{"tender":{"type":"card","token":"tok_visa"},"orderId":"ord_none"}',
    });
    await ask('/_control/clock/advance', { method: 'POST', headers: { ...admin, ...json }, body: '{"by":"P3D","timeoutMs":3000}' });

    const all = estate.lines.join('');
    expect(estate.lines.length).toBeGreaterThan(30);
    for (const expected of ['"answered"', '"refused"', '"status":401', '"status":503', '"level":40', 'due work'])
      expect(all).toContain(expected);
    const secrets = [
      ...demo.map(({ secret }) => secret),
      ...Object.values(credentials).filter((value) => !value.startsWith('/')),
      TOKEN,
      PEPPER,
      'tok_visa',
      'tok_declined',
      'Bearer demo',
    ];
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  });

  test.each([
    [
      'headers of a request',
      { headers: { authorization: 'Bearer s3cr3t-of-somebody', 'x-api-key': 's3cr3t', 'x-estate-token': 's3cr3t' } },
    ],
    [
      'headers deep within an error',
      {
        err: Object.assign(new Error('no'), {
          cause: { request: { options: { headers: { authorization: 's3cr3t', 'x-estate-context': 's3cr3t' } } } },
        }),
      },
    ],
    ['a text that quotes headers', { detail: 'sent {"x-api-key":"s3cr3t","Authorization":"Bearer s3cr3t-of-somebody"}' }],
    ['the password of a Redis', { url: 'redis://estate:s3cr3t@redis:6379/0', other: 'rediss://:s3cr3t@redis' }],
    ['a credential of a rehearsal', { key: 'reh_mine_s3cr3tabcdefghijklmnopqrstu' }],
    ['a webhook secret', { key: 'whsec_s3cr3t/abc+def=' }],
    ['the token of a card', { tender: { token: 'tok_s3cr3t' } }],
  ])('leaves out %s', (_what, record) => {
    const line = written((log) => log.child({ application: 'oms' }).warn(record, 'something'));
    expect(line).toContain('[redacted]');
    expect(line).not.toContain('s3cr3t');
    expect(JSON.parse(line)).toMatchObject({ application: 'oms', msg: 'something' });
  });

  test('names the rehearsal of a world', () => {
    expect(JSON.parse(written((log) => log.warn({ world: 'mine~01ABC' }, 'late')))).toMatchObject({
      world: 'mine~01ABC',
      rehearsal: 'mine',
    });
  });
});
