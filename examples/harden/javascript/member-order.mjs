// A member buys two mugs, and gets 20 points more for a review. The shop has a client of OAuth.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const { ESTATE_URL, ESTATE_REHEARSAL, CHECK_FILE } = process.env;
setTimeout(() => process.exit(1), 18_000).unref();
const shippingAddress = { name: 'Ada Byrne', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

/** Tries a call up to four times, with one key. */
async function send(path, headers, body) {
  for (let attempt = 1; ; attempt++) {
    const options = { method: 'POST', headers: { 'X-Rehearsal': ESTATE_REHEARSAL, ...headers }, body, signal: AbortSignal.timeout(4_000) };
    const response = await fetch(`${ESTATE_URL}${path}`, options).catch(() => undefined);
    if (response?.ok) return response.json();
    const mayPass = response === undefined || response.status >= 500 || response.status === 429;
    if (attempt === 4 || !mayPass) throw new Error(`POST ${path}: ${response?.status ?? 'no answer'}`);
    await pause(100 * attempt);
  }
}

const client = { Authorization: `Basic ${Buffer.from('demo-client:demo-client-secret').toString('base64')}` };
const token = await send('/oauth/token', client, new URLSearchParams({ grant_type: 'client_credentials', scope: 'catalog' }));
const post = (path, body) => {
  const own = { Authorization: `Bearer ${token.access_token}`, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
  return send(path, own, JSON.stringify(body));
};

const basket = await post('/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] });
const { orderId } = await post(`/baskets/${basket.id}/checkout`, { placeOrder: true, shippingAddress });
await post('/payments/authorizations', { orderId, tender: { type: 'card', token: 'tok_visa' } });
const { state } = await post(`/orders/${orderId}/confirm`, {});
await post('/loyalty/accounts/loy_ada/points', { points: 20, reason: 'review' });
if (CHECK_FILE) writeFileSync(CHECK_FILE, JSON.stringify({ order: state, points: 20 }));
