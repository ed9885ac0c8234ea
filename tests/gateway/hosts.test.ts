import { expect, test } from '@jest/globals';
import { createDocuments } from '../../gateway/documents.ts';
import { AUTHORIZED, aRig, asIntegration, head, sharedRig } from './running-gateway.ts';

const documents = createDocuments('memory');
const SHOWN = ['/', '/openapi.json', '/openapi.yaml', '/asyncapi.json', '/asyncapi.yaml', '/llms.txt'];
const rig = sharedRig({ documents });

test.each([...SHOWN, '/nothing'])('A foreign page that resolves its own name to the gateway cannot read %s', async (path) => {
  const json = { code: 'misdirected_request', detail: expect.stringContaining('ALLOWED_HOSTS') };
  for (const host of ['evil.example', 'evil.example:8080', 'localhost.evil.example', '127.0.0.1.evil.example'])
    for (const method of ['GET', 'POST']) expect(await rig.call({ method, path, headers: { host } })).toMatchObject({ status: 421, json });
});

test('The host of a whole address counts, and the header Host does not', async () => {
  const from = (address: string, host: string) => rig.raw(`GET ${address} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(await from('http://evil.example/openapi.json', 'localhost')).toMatch(/^HTTP\/1.1 421 .*misdirected_request/s);
  expect(await from('http://localhost/openapi.json', 'evil.example')).toMatch(/^HTTP\/1.1 200 /);
});

test.each(['localhost:8080', 'estate.example.com', 'gateway.team.svc.cluster.local'])(
  'The documents are served under the name %s',
  async (host) => {
    await using allowing = await aRig({ documents, allowedHosts: ['estate.example.com', '.svc.cluster.local'] });
    for (const path of SHOWN) expect([path, (await allowing.call({ path, headers: { host } })).status]).toEqual([path, 200]);
  },
);

test.each(['/orders/o', '/healthz', '/readyz'])('%s is answered under any name, because the cluster decides the name', async (path) => {
  expect((await rig.call({ path, headers: { ...asIntegration, host: 'gateway.example.org' } })).status).toBe(200);
});

test.each([
  ['Authorization', AUTHORIZED],
  ['Authorization', 'authorization: Bearer unknown-token'],
  ['X-API-Key', 'X-API-Key: carrier-key\r\nx-api-key: another'],
  ['X-Rehearsal', 'X-Rehearsal: one\r\nX-Rehearsal: other'],
  ['Idempotency-Key', 'Idempotency-Key: one\r\nIdempotency-Key: other'],
  ['Content-Type', 'Content-Type: application/json\r\nContent-Type: text/plain'],
])('A request with two %s headers is refused by name and reaches no application', async (name, lines) => {
  const reply = await rig.raw(head('GET /orders/o', AUTHORIZED, lines, 'Connection: close'));
  expect(reply).toMatch(/^HTTP\/1\.1 400 /);
  expect(reply.toLowerCase()).toContain(`more than one ${name.toLowerCase()} header; send one.`);
  expect(rig.upstream.received).toEqual([]);
});

test.each(['HTTP/1.1', 'HTTP/1.0'])('A request of %s with two Host headers is refused and reaches no application', async (version) => {
  const reply = await rig.raw(head('GET /orders/o', 'host: x', AUTHORIZED, 'Connection: close').replace('HTTP/1.1', version));
  expect(reply).toMatch(/^HTTP\/1\.1 400 .*malformed_request/s);
  expect(rig.upstream.received).toEqual([]);
});
