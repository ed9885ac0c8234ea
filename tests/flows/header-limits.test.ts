import { expect } from '@jest/globals';
import { head, raw } from '../gateway/running-gateway.ts';
import { ADMIN, estate, newRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

const port = Number(new URL(estate.gateway).port);

/** The head of a request with exactly this many bytes. */
function headOf(bytes: number, line: string, ...headers: readonly string[]): string {
  const empty = head(line, ...headers, 'X-Padding: ');
  return empty.replace('X-Padding: ', `X-Padding: ${'x'.repeat(bytes - empty.length)}`);
}

test.each([15_000, 15_750, 16_000, 16_200, 16_384])(
  'A head of %i bytes reaches an application with the added headers',
  async (rehearsal, bytes) => {
    await rehearsal.progress({ warehouse: 'immediate', carrier: 'manual', returns: 'manual' });
    const tracing = ['traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', `X-Correlation-Id: ${'c'.repeat(128)}`];
    const own = ['Connection: close', `Authorization: Bearer ${rehearsal.credentials.bearer}`];
    expect(await raw(port, headOf(bytes, 'GET /customers/cus_ada', ...own, ...tracing))).toMatch(/^HTTP\/1\.1 200 .*"cus_ada"/s);
  },
);

test.each(['Idempotency-Key', 'X-Correlation-Id', 'traceparent', 'tracestate', 'X-Rehearsal', 'webhook-id', 'User-Agent', 'If-Match'])(
  'The header %s is refused with NUL, and causes no error with bytes beyond ASCII',
  async (rehearsal, name) => {
    const send = (value: string) => {
      const own = [`Authorization: Bearer ${rehearsal.credentials.bearer}`, `${name}: ${value}`];
      const lines = ['Connection: close', 'Content-Type: application/json', 'Content-Length: 17', ...own];
      return raw(port, `${head('POST /baskets', ...lines)}{"channel":"web"}`);
    };
    expect(await send('a\0b')).toMatch(/^HTTP\/1\.1 400 .*"code":"malformed_request"/s);
    expect(await send('caf\xe9 \xed\xa0\x80\xff')).toMatch(`HTTP/1.1 ${name === 'X-Rehearsal' || name === 'If-Match' ? 400 : 201} `);
    expect(JSON.stringify(await rehearsal.journal())).not.toContain('caf');
  },
);

test('The control plane sends the interim answer for "Expect: 100-continue"', async (rehearsal) => {
  const before = await rehearsal.now();
  const own = [`Authorization: Bearer ${ADMIN}`, `X-Rehearsal: ${rehearsal.name}`, 'Content-Type: application/json'];
  const expecting = ['Expect: 100-continue', 'Content-Length: 13', 'Connection: close'];
  const answer = await raw(port, `${head('POST /_control/clock/advance', ...own, ...expecting)}{"by":"P10D"}`);
  expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  expect(await rehearsal.now()).toBeGreaterThanOrEqual(before + 10 * 24 * 60 * 60 * 1_000);
});

test('A refusal of the control plane has the headers of every refusal', async (rehearsal) => {
  const { headers, ...refused } = await rehearsal.call('POST', '/_control/settle', '[', {
    as: 'admin',
    headers: { 'x-correlation-id': 'mine' },
  });
  expect(refused).toMatchObject({ status: 400, body: { code: 'malformed_request', instance: '/_control/settle' } });
  expect(headers).toMatchObject({
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'x-correlation-id': 'mine',
    'x-request-id': expect.stringMatching(/^req_/),
  });
});
