import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { ADDRESS, estate, eventually, newRehearsal, type TestRehearsal } from '../support/estate.ts';

/** Sends a request and closes the connection when the fault has struck. */
async function askAndLeave(rehearsal: TestRehearsal, fault: string, method: string, path: string, body?: unknown): Promise<void> {
  const leaving = request(`${estate.gateway}${path}`, {
    method,
    agent: false,
    headers: {
      authorization: `Bearer ${rehearsal.credentials.bearer}`,
      'x-correlation-id': 'left',
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
  });
  leaving.on('error', () => {});
  leaving.end(body === undefined ? undefined : JSON.stringify(body));
  await eventually('the fault struck', async () => (await rehearsal.faults()).some(({ name, hits }) => name === fault && hits > 0));
  leaving.destroy();
}

/** The hop of an API in the journal, once it has ended. */
const hop = (rehearsal: TestRehearsal, api: string) =>
  eventually(`the hop of ${api}`, async () => (await rehearsal.journal('left')).find((record) => record.api === api));

async function aBasket(rehearsal: TestRehearsal): Promise<string> {
  const basket = await rehearsal.basket();
  return basket.id;
}

const slow = (api: string) => ({ match: { api }, fault: { kind: 'latency', ms: 1_500 } });

describe('After the client has disconnected', () => {
  test('an application that has only read makes no further call', async () => {
    await using rehearsal = await newRehearsal();
    await rehearsal.fault('slow', slow('get-customer-api'));
    await askAndLeave(rehearsal, 'slow', 'GET', '/customers/cus_ada/360');
    expect(await hop(rehearsal, 'get-customer-360-api')).toMatchObject({ status: 0 });
    const called = (await rehearsal.journal('left')).map(({ api }) => api);
    expect(called).toContain('get-customer-api');
    expect(called).not.toContain('get-member-balance-api');
  });

  test('a checkout without a commit ends: no stock is held, and the same request may be repeated', async () => {
    await using rehearsal = await newRehearsal();
    const id = await aBasket(rehearsal);
    await rehearsal.fault('slow', slow('get-customer-api'));
    await askAndLeave(rehearsal, 'slow', 'POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS });
    expect(await hop(rehearsal, 'checkout-basket-api')).toMatchObject({ status: 0 });
    const called = (await rehearsal.journal('left')).map(({ api }) => api);
    expect(called.filter((api: string) => api !== 'checkout-basket-api')).toEqual(['get-customer-api']);
    expect(await rehearsal.object('basket', id)).toMatchObject({ state: 'open' });
    await rehearsal.noFaults();
    expect(await rehearsal.checkedOut(id)).toMatchObject({ state: 'locked' });
    await rehearsal.verify();
  });

  test('a checkout with a commit continues to its order', async () => {
    await using rehearsal = await newRehearsal();
    const id = await aBasket(rehearsal);
    await rehearsal.fault('slow', slow('reserve-inventory-api'));
    await askAndLeave(rehearsal, 'slow', 'POST', `/baskets/${id}/checkout`, { shippingAddress: ADDRESS, placeOrder: true });
    expect((await hop(rehearsal, 'checkout-basket-api')).status).toBe(200);
    expect(await rehearsal.object('basket', id)).toMatchObject({ state: 'converted', orderId: expect.any(String) });
    await rehearsal.verify();
  });
});

describe('A client that has half-closed its connection', () => {
  const { host } = new URL(estate.gateway);
  const at = (url: string): number => Number(new URL(url).port);

  test.each([
    ['an API without a credential', () => at(estate.gateway), '/products/mug-blue', '', 200],
    ['an API', () => at(estate.gateway), '/customers/cus_ada/360', 'Authorization: Bearer demo-integration-token\r\n', 200],
    ['the control plane', () => at(estate.gateway), '/_control/verify', 'Authorization: Bearer demo-control-token\r\n', 200],
    ['an application', () => at(estate.applications['oms'] ?? ''), '/readyz', '', 200],
    ['an application that refuses it', () => at(estate.applications['oms'] ?? ''), '/orders/none', '', 403],
  ])('gets its answer from %s', async (_what, port, path, credential, status) => {
    let received = '';
    const ended = new Promise<void>((resolve) => {
      const socket = connect(port(), '127.0.0.1', () => socket.end(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${credential}\r\n`));
      socket.on('data', (chunk) => (received += chunk.toString('latin1'))).on('close', () => resolve());
    });
    await ended;
    expect(received).toMatch(new RegExp(`^(HTTP/1\\.1 100 Continue\\r\\n\\r\\n)*HTTP/1\\.1 ${status} [\\s\\S]*\\}$`));
  });

  test.each([
    ['the gateway', estate.gateway, 201],
    ['the portal', estate.portal, 404],
  ])('after a complete POST gets its answer from %s', async (_what, door, status) => {
    const url = new URL(door);
    const body = JSON.stringify({ channel: 'web' });
    const head = `POST /baskets HTTP/1.1\r\nHost: ${url.host}\r\nAuthorization: Bearer demo-integration-token\r\n`;
    let received = '';
    await new Promise<void>((resolve) => {
      const socket = connect(Number(url.port), '127.0.0.1', () =>
        socket.end(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
      );
      socket.on('data', (chunk) => (received += chunk.toString('latin1'))).on('close', () => resolve());
    });
    expect(received).toMatch(new RegExp(`^(HTTP/1\\.1 100 Continue\\r\\n\\r\\n)*HTTP/1\\.1 ${status} `));
  });
});
