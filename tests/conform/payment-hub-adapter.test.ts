import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { Payment } from '../../shared/catalog/payment/objects.ts';
import { eventually } from '../support/eventually.ts';
import { eur } from '../support/steps/tender.ts';
import { startAdapter } from './example-adapter.ts';

/** Keeps what the adapter sends to the gateway. */
async function receiveCalls() {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads bodies without a schema
  const calls: { path: string; headers: Record<string, unknown>; body: any }[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    calls.push({ path: String(request.url), headers: request.headers, body });
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ orderId: body.params?.id, state: 'draft', total: eur(2_598) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    calls,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('The example adapter reads the order within the call, and reports what its provider does unasked', async () => {
  await using gateway = await receiveCalls();
  await using adapter = await startAdapter(gateway.url);
  const headers = { 'content-type': 'application/json', 'x-rehearsal': 'team-a', 'x-rehearsal-now': '2026-03-01T10:00:00.000Z' };
  const response = await fetch(`${adapter.url}/payments/authorizations`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': 'k1', 'x-estate-call': 'signed' },
    body: JSON.stringify({ orderId: 'ord_1', tender: { type: 'card', token: 'tok_visa' } }),
  });
  const payment = Payment.parse(await response.json());
  expect([response.status, payment.state, payment.amount]).toEqual([201, 'authorised', eur(2_598)]);
  expect(gateway.calls).toMatchObject([
    { path: '/_control/calls/get-payable', headers: { 'x-estate-call': 'signed' }, body: { params: { id: 'ord_1' } } },
  ]);

  expect(await adapter.expire(payment.id)).toBe(200);
  await eventually('the report', async () => gateway.calls.length === 2);
  const [, report] = gateway.calls;
  expect(report).toMatchObject({ path: '/_control/events', headers: { 'x-rehearsal': 'team-a' }, body: { object: 'payment' } });
  expect(Payment.parse(report?.body.data)).toMatchObject({ id: payment.id, state: 'voided', version: 2 });

  const forged = { method: 'POST', headers: { 'provider-signature': `t=1,v1=${'0'.repeat(64)}` }, body: '{"intent":{}}' };
  expect((await fetch(`${adapter.url}/webhook`, forged)).status).toBe(401);
  expect(gateway.calls.length).toBe(2);
});

test.each(['gift-card', 'loyalty', 'exchange-credit'])('The example adapter declines the tender %s by name', async (type) => {
  await using adapter = await startAdapter();
  const payable = { orderId: 'ord_1', channel: 'web', state: 'draft', total: eur(2_598) };
  const response = await fetch(`${adapter.url}/payments/authorizations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-rehearsal': 'team-a', 'idempotency-key': 'k1' },
    body: JSON.stringify({ orderId: 'ord_1', tender: { type, token: 'gift_5' }, payable }),
  });
  expect([response.status, await response.json()]).toEqual([
    402,
    expect.objectContaining({ code: 'payment_declined', declineCode: 'tender_not_supported', detail: expect.stringContaining(type) }),
  ]);
});
