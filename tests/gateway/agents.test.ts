import { expect, test } from '@jest/globals';
import { BODY_BYTES } from '../../shared/contract/body-limit.ts';
import { ADMIN, asIntegration, sharedRig } from './running-gateway.ts';

const PAGE = 'https://shop.example.com';
const asAdmin = { authorization: `Bearer ${ADMIN}` };

let admitted: object[] = [];
const rig = sharedRig({
  corsOrigins: [PAGE],
  agents: async ({ principal, key, body }, response) => {
    admitted.push({ principal, key, body: String(body) });
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  },
});
const post = (headers: Record<string, string>, body = '{"id":1}') => rig.call({ method: 'POST', path: '/mcp', headers, body });

test('An agent is admitted with the scope control, from no page or from an allowed one, with the headers of the control plane', async () => {
  admitted = [];
  for (const origin of [undefined, PAGE]) {
    const { status, headers } = await post({ ...asAdmin, ...(origin && { origin }), 'x-correlation-id': 'cor-1' });
    expect([status, headers['x-correlation-id'], headers['x-content-type-options']]).toEqual([200, 'cor-1', 'nosniff']);
    expect(headers['access-control-allow-origin']).toBe(origin);
  }
  expect(admitted).toEqual(Array(2).fill({ principal: 'admin', key: ADMIN, body: '{"id":1}' }));
});

test.each<[string, number, string, Record<string, string>, string?]>([
  ['no credential', 401, 'unauthenticated', {}],
  ['a credential without the scope control', 403, 'forbidden', asIntegration],
  ['a page of another origin', 403, 'forbidden', { ...asAdmin, origin: 'https://evil.example.com' }],
  ['the origin of a sandboxed page', 403, 'forbidden', { ...asAdmin, origin: 'null' }],
  ['a body above the limit', 413, 'payload_too_large', asAdmin, 'x'.repeat(BODY_BYTES + 1)],
])('A request of an agent with %s is refused with %i %s', async (_what, status, code, headers, body = '{}') => {
  admitted = [];
  const refused = await post(headers, body);
  expect([refused.status, refused.json, admitted]).toEqual([status, expect.objectContaining({ code }), []]);
});
