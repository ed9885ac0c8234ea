import { describe, expect, test } from '@jest/globals';
import { createDocuments } from '../../gateway/documents.ts';
import { aRig, asIntegration, BEARER, raw } from './running-gateway.ts';

const documents = createDocuments('memory');
const SHOWN = ['/', '/openapi.json', '/openapi.yaml', '/asyncapi.json', '/asyncapi.yaml'];

describe('A foreign page that resolves its own name to the gateway', () => {
  test.each([...SHOWN, '/nothing'])('cannot read %s', async (path) => {
    await using rig = await aRig({ documents });
    for (const host of ['evil.example', 'evil.example:8080', 'localhost.evil.example', '127.0.0.1.evil.example']) {
      for (const method of ['GET', 'POST']) {
        const reply = await rig.call({ method, path, headers: { host } });
        expect(reply).toMatchObject({
          status: 421,
          json: { code: 'misdirected_request', detail: expect.stringContaining('ALLOWED_HOSTS') },
        });
      }
    }
  });
});

describe('The documents of the gateway are served', () => {
  test.each([
    ...['localhost', 'localhost:8080', '127.0.0.1', '[::1]:8080', '192.168.1.7:8080', 'gateway:8080'],
    ...['estate.example.com', 'gateway.team.svc.cluster.local'],
  ])('under the name %s', async (host) => {
    await using rig = await aRig({ documents, allowedHosts: ['estate.example.com', '.svc.cluster.local'] });
    for (const path of SHOWN) expect([path, (await rig.call({ path, headers: { host } })).status]).toEqual([path, 200]);
  });
});

test('APIs, health and readiness answer under any name, because the cluster decides the name of the gateway', async () => {
  await using rig = await aRig({ documents });
  const headers = { ...asIntegration, host: 'gateway.example.org' };
  for (const path of ['/orders/o', '/healthz', '/readyz']) expect((await rig.call({ path, headers })).status).toBe(200);
});

test.each([
  ['Authorization', `Authorization: Bearer ${BEARER}`],
  ['Authorization', 'authorization: Bearer nobody-knows-this'],
  ['X-API-Key', 'X-API-Key: carrier-key\r\nx-api-key: another'],
  ['X-Rehearsal', 'X-Rehearsal: one\r\nX-Rehearsal: other'],
  ['Idempotency-Key', 'Idempotency-Key: one\r\nIdempotency-Key: other'],
  ['Content-Type', 'Content-Type: application/json\r\nContent-Type: text/plain'],
])('A request with two %s headers is refused by name and reaches no application', async (name, lines) => {
  await using rig = await aRig({ documents });
  const reply = await raw(
    rig.gateway.port,
    `GET /orders/o HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${BEARER}\r\n${lines}\r\nConnection: close\r\n\r\n`,
  );
  expect(reply).toMatch(/^HTTP\/1\.1 400 /);
  expect(reply.toLowerCase()).toContain(`more than one ${name.toLowerCase()} header; send one.`);
  expect(rig.upstream.received).toEqual([]);
});

test.each(['HTTP/1.1', 'HTTP/1.0'])('A request of %s with two Host headers is refused and reaches no application', async (version) => {
  await using rig = await aRig({ documents });
  const hosts = 'Host: localhost\r\nhost: localhost\r\n';
  const reply = await raw(
    rig.gateway.port,
    `GET /orders/o ${version}\r\n${hosts}Authorization: Bearer ${BEARER}\r\nConnection: close\r\n\r\n`,
  );
  expect(reply).toMatch(/^HTTP\/1\.1 400 /);
  expect(reply).toContain('malformed_request');
});
