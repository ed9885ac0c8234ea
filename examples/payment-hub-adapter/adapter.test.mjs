// Usage: ESTATE_URL=http://127.0.0.1:8080 node --test examples/payment-hub-adapter

import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { createAdapter } from './adapter.mjs';
import { createProvider } from './provider.mjs';

const { ESTATE_URL, ESTATE_TOKEN = 'demo-control-token', CLIENT_TOKEN = 'demo-integration-token' } = process.env;
const rehearsal = `adapter-${Date.now()}`;

async function listening(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return `http://127.0.0.1:${server.address().port}`;
}

async function estate(method, path, body, token = CLIENT_TOKEN) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'X-Rehearsal': rehearsal };
  const response = await fetch(ESTATE_URL + path, { method, headers, body: JSON.stringify(body) });
  return response.status === 204 ? undefined : response.json();
}

test('The estate takes payments with the adapter in place of the Payment Hub', async () => {
  const { server, expire } = createProvider({ WEBHOOK_SECRET: 'secret' });
  const url = await listening(createAdapter({ PROVIDER_URL: await listening(server), WEBHOOK_SECRET: 'secret', ESTATE_URL, ESTATE_TOKEN }));
  await estate('POST', '/_control/rehearsals', { name: rehearsal, swap: { 'payment-hub': { url } } }, ESTATE_TOKEN);
  const { id: basketId } = await estate('POST', '/baskets', { channel: 'web', lines: [{ sku: 'mug-blue', qty: 2 }] });
  const shippingAddress = { name: 'Ada Quay', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
  await estate('POST', `/baskets/${basketId}/checkout`, { shippingAddress });
  const { id: orderId, totals } = await estate('POST', '/orders', { basketId });
  const pay = (type) => estate('POST', '/payments/authorizations', { orderId, tender: { type, token: 'tok_visa' } });

  const declined = await pay('gift-card');
  assert.deepEqual([declined.status, declined.declineCode], [402, 'tender_not_supported'], 'An unsupported tender is declined by name.');
  const [payment, refused] = (await Promise.all([pay('card'), pay('card')])).sort((one) => (one.state === 'authorised' ? -1 : 1));
  assert.deepEqual(payment.amount, totals.total, 'The adapter reads the amount of the order within the call.');
  assert.equal(refused.code, 'overpayment', 'Tenders at the same time never exceed the order.');
  assert.equal(await expire(payment.id, `${url}/webhook`), 200);
  const object = await estate('GET', `/_control/objects/payment/${payment.id}`, undefined, ESTATE_TOKEN);
  assert.equal(object.state, 'voided', 'The estate shows what the provider changed without a call.');
  assert.equal((await fetch(`${url}/webhook`, { method: 'POST', body: '{}' })).status, 401, 'A webhook must be signed.');
  const text = JSON.stringify({ type: 'balance.available' });
  const signature = `t=1,v1=${createHmac('sha256', 'secret').update(`1.${text}`).digest('hex')}`;
  const other = await fetch(`${url}/webhook`, { method: 'POST', headers: { 'Provider-Signature': signature }, body: text });
  assert.equal(other.status, 200, 'A webhook about other things is accepted.');
  await estate('DELETE', `/_control/rehearsals/${rehearsal}`, undefined, ESTATE_TOKEN);
});
