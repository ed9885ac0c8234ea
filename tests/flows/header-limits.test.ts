import { describe, expect, test } from '@jest/globals';
import { raw } from '../gateway/running-gateway.ts';
import { ADMIN, estate, newRehearsal } from '../support/estate.ts';

const port = Number(new URL(estate.gateway).port);
const MIB = 1_048_576;

/** A request whose head has exactly this many bytes. */
function headOf(bytes: number, lines: readonly string[]): string {
  const head = `${[...lines, 'X-Padding: '].join('\r\n')}\r\n\r\n`;
  return head.replace('X-Padding: ', `X-Padding: ${'x'.repeat(bytes - head.length)}`);
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

describe('Request headers', () => {
  test.each([15_000, 15_750, 16_000, 16_200, 16_384])('of %i bytes reach an application with the added headers', async (bytes) => {
    await using rehearsal = await newRehearsal();
    await rehearsal.client.control('set-progression', { body: { warehouse: 'immediate', carrier: 'manual', returns: 'manual' } });
    const request = [
      'GET /customers/cus_ada HTTP/1.1',
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${rehearsal.credentials.bearer}`,
    ];
    const tracing = ['traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', `X-Correlation-Id: ${'c'.repeat(128)}`];
    const answer = await raw(port, headOf(bytes, [...request, ...tracing]));
    expect(statusOf(answer)).toBe(200);
    expect(answer).toContain('"cus_ada"');
  });

  test('of more than 16 KiB are refused with 431', async () => {
    const answer = await raw(port, headOf(17_000, ['GET /products/mug-blue HTTP/1.1', 'Host: x']));
    expect(statusOf(answer)).toBe(431);
    expect(answer).toContain('"code":"headers_too_large"');
  });

  test.each(['Idempotency-Key', 'X-Correlation-Id', 'traceparent', 'tracestate', 'X-Rehearsal', 'webhook-id', 'User-Agent', 'If-Match'])(
    'with NUL in %s are refused with 400',
    async (name) => {
      const head = [
        'POST /baskets HTTP/1.1',
        'Host: x',
        'Authorization: Bearer demo-integration-token',
        `${name}: a\0b`,
        'Content-Length: 2',
      ];
      const answer = await raw(port, `${head.join('\r\n')}\r\n\r\n{}`);
      expect(statusOf(answer)).toBe(400);
      expect(answer).toContain('"code":"malformed_request"');
    },
  );

  test.each([
    ['Idempotency-Key', 201],
    ['X-Correlation-Id', 201],
    ['traceparent', 201],
    ['tracestate', 201],
    ['X-Rehearsal', 400],
    ['webhook-id', 201],
    ['User-Agent', 201],
    ['If-Match', 400],
  ] as const)('with bytes beyond ASCII in %s never cause an error of the estate', async (name, status) => {
    await using rehearsal = await newRehearsal();
    const head = ['POST /baskets HTTP/1.1', 'Host: x', 'Connection: close', 'Content-Type: application/json', 'Content-Length: 17'];
    const own = [`Authorization: Bearer ${rehearsal.credentials.bearer}`, `${name}: caf\xe9 \xed\xa0\x80\xff`];
    const answer = await raw(port, `${[...head, ...own].join('\r\n')}\r\n\r\n{"channel":"web"}`);
    expect(statusOf(answer)).toBe(status);
    expect(JSON.stringify(await rehearsal.journal())).not.toContain('caf');
  });
});

describe('A body for the control plane', () => {
  const head = (path: string, rehearsal: string, ...lines: readonly string[]): string =>
    `${[`POST ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${ADMIN}`, `X-Rehearsal: ${rehearsal}`, 'Content-Type: application/json', ...lines].join('\r\n')}\r\n\r\n`;

  test('with "Expect: 100-continue" gets the interim answer', async () => {
    await using rehearsal = await newRehearsal();
    const before = await rehearsal.now();
    const expecting = head('/_control/clock/advance', rehearsal.name, 'Expect: 100-continue', 'Content-Length: 13', 'Connection: close');
    const answer = await raw(port, `${expecting}{"by":"P10D"}`);
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
    expect(await rehearsal.now()).toBeGreaterThanOrEqual(before + 10 * 24 * 60 * 60 * 1_000);
  });

  test('with "Expect: 100-continue" gets no interim answer when the caller is not authorised', async () => {
    const expecting = head('/_control/clock/advance', 'default', 'Expect: 100-continue', 'Content-Length: 13').replace(ADMIN, 'nobody');
    const answer = await raw(port, expecting);
    expect(statusOf(answer)).toBe(401);
    expect(answer).not.toContain('100 Continue');
  });

  test.each(['', 'Expect: 100-continue\r\n'])('announced with 1 GB is refused before it is sent (%j)', async (expectation) => {
    await using rehearsal = await newRehearsal();
    const announced = head('/_control/settle', rehearsal.name, `${expectation}Content-Length: 1000000000`);
    const answer = await raw(port, announced);
    expect(statusOf(answer)).toBe(413);
    expect(answer).toContain('"code":"payload_too_large"');
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  test('in chunks is counted and refused as soon as it is too large', async () => {
    await using rehearsal = await newRehearsal();
    const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`;
    const answer = await raw(port, head('/_control/settle', rehearsal.name, 'Transfer-Encoding: chunked') + chunk.repeat(17));
    expect(statusOf(answer)).toBe(413);
    expect(answer).toMatch(/^connection: close\r$/im);
  });

  test('may have exactly 1 MiB', async () => {
    await using rehearsal = await newRehearsal();
    const body = `${' '.repeat(MIB - 2)}{}`;
    expect(await rehearsal.call('POST', '/_control/settle', body, { as: 'admin' })).toMatchObject({ status: 200 });
    expect(await rehearsal.call('POST', '/_control/settle', `${body} `, { as: 'admin' })).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    });
  });

  test('beyond the limit is refused by a problem with the headers of every refusal', async () => {
    await using rehearsal = await newRehearsal();
    const refused = await rehearsal.call('POST', '/_control/settle', '[', { as: 'admin', headers: { 'x-correlation-id': 'mine' } });
    expect(refused).toMatchObject({ status: 400, body: { code: 'malformed_request', instance: '/_control/settle' } });
    expect(refused.headers).toMatchObject({
      'content-type': 'application/problem+json; charset=utf-8',
      'cache-control': 'no-store',
      'x-correlation-id': 'mine',
      'x-request-id': expect.stringMatching(/^req_/),
    });
    const wrongMethod = await rehearsal.call('DELETE', '/_control/settle', undefined, { as: 'admin' });
    expect(wrongMethod).toMatchObject({ status: 405, headers: { allow: 'POST' }, body: { code: 'method_not_allowed' } });
    expect(wrongMethod.body).not.toHaveProperty('allow');
  });
});
