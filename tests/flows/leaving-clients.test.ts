import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, test as plainTest } from '@jest/globals';
import { callOfApi } from '../../rehearsal/estate-client.ts';
import type { ApiId } from '../../shared/catalog/apis.ts';
import { head } from '../gateway/running-gateway.ts';
import { ADDRESS, ADMIN, estate, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';
import { testIn } from '../support/test-in.ts';

const test = testIn(newRehearsal);

/** Sends a request and closes the connection when the slow call has begun. @returns the hops of the request, once it has ended */
async function askAndLeave(rehearsal: TestRehearsal, slow: ApiId, api: ApiId, input: Parameters<typeof callOfApi>[1]) {
  await rehearsal.fault('slow', { match: { api: slow }, fault: { kind: 'latency', ms: 1_500 } });
  const { method, path, body } = callOfApi(api, input);
  const authorization = `Bearer ${rehearsal.credentials.bearer}`;
  const headers = { authorization, 'x-correlation-id': 'left', ...(body !== undefined && { 'content-type': 'application/json' }) };
  const leaving = request(`${estate.gateway}${path}`, { method, agent: false, headers });
  leaving.on('error', () => {});
  leaving.end(body === undefined ? undefined : JSON.stringify(body));
  await eventually('the fault struck', async () => (await rehearsal.faults()).some(({ hits }) => hits > 0));
  leaving.destroy();
  const hop = await eventually(`the hop of ${api}`, async () => (await rehearsal.journal('left')).find((record) => record.api === api));
  const called = (await rehearsal.journal('left')).map((record) => record.api).filter((one) => one !== api);
  return { status: hop.status, called };
}

test('A checkout without a commit ends when its client has left, and the same request can be repeated', async (rehearsal) => {
  const { id } = await rehearsal.basket();
  const input = { params: { id }, body: { shippingAddress: ADDRESS } };
  const left = await askAndLeave(rehearsal, 'get-customer-api', 'checkout-basket-api', input);
  expect(left).toEqual({ status: 0, called: ['get-customer-api'] });
  expect(await rehearsal.object('basket', id)).toMatchObject({ state: 'open' });
  await rehearsal.noFaults();
  expect(await rehearsal.checkedOut(id)).toMatchObject({ state: 'locked' });
});

test('A checkout with a commit continues to its order when its client has left', async (rehearsal) => {
  const { id } = await rehearsal.basket();
  const input = { params: { id }, body: { shippingAddress: ADDRESS, placeOrder: true } };
  expect((await askAndLeave(rehearsal, 'reserve-inventory-api', 'checkout-basket-api', input)).status).toBe(200);
  expect(await rehearsal.object('basket', id)).toMatchObject({ state: 'converted', orderId: expect.any(String) });
});

const BEARER = 'Authorization: Bearer demo-integration-token';
const BODY = '{"channel":"web"}';
const POST = `${head('POST /baskets', BEARER, 'Content-Type: application/json', `Content-Length: ${BODY.length}`)}${BODY}`;
const oms = estate.applications['oms'] ?? '';
plainTest.each([
  ['an API', estate.gateway, head('GET /customers/cus_ada/360', BEARER), 200],
  ['an API that was sent a body', estate.gateway, POST, 201],
  ['the control plane', estate.gateway, head('GET /_control/verify', `Authorization: Bearer ${ADMIN}`), 200],
  ['the health of the gateway', estate.gateway, head('GET /healthz'), 200],
  ['an application', oms, head('GET /readyz'), 200],
  ['an application that refuses it', oms, head('GET /orders/none'), 403],
])('A half-closed connection gets its answer from %s, and ends', async (_what, url, bytes, status) => {
  let received = '';
  await new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.end(bytes));
    socket.on('data', (chunk) => (received += chunk.toString('latin1'))).on('close', () => resolve());
  });
  expect(received).toMatch(new RegExp(`^(HTTP/1\\.1 100 Continue\\r\\n\\r\\n)*HTTP/1\\.1 ${status} [\\s\\S]*[}>]\\s*$`));
});
