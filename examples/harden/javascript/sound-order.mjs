// A member buys two mugs, gets 20 points more for a review, and looks at all of her orders, and when she placed this one.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const { ESTATE_URL, ESTATE_REHEARSAL, CHECK_FILE } = process.env;
setTimeout(() => process.exit(1), 18_000).unref();
const shippingAddress = { name: 'Ada Byrne', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
const client = { Authorization: `Basic ${Buffer.from('demo-client:demo-client-secret').toString('base64')}` };
let token = '';

const send = (method, path, headers, body) => {
  const options = { method, headers: { 'X-Rehearsal': ESTATE_REHEARSAL, ...headers }, body, signal: AbortSignal.timeout(5_000) };
  return fetch(`${ESTATE_URL}${path}`, options).then(async (response) => ({ status: response.status, body: await response.json() }));
};

/** Tries a call up to five times, with one key. */
async function call(method, path, body) {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
  for (let attempt = 1; ; attempt++) {
    const own = { ...headers, Authorization: `Bearer ${token}` };
    const { status = 0, ...answer } = await send(method, path, own, JSON.stringify(body)).catch((error) => ({ body: error.message }));
    if (status >= 200 && status < 300) return answer.body;
    if (attempt === 5 || (status >= 400 && status < 500 && ![401, 429].includes(status) && !answer.body.retryable))
      throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer.body)}`);
    if (status === 401) {
      const form = new URLSearchParams({ grant_type: 'client_credentials', scope: 'catalog' });
      token = await send('POST', '/oauth/token', client, form).then(
        ({ body }) => body.access_token,
        () => token,
      );
    } else await pause(100 * 2 ** attempt);
  }
}

const basket = await call('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] });
await call('POST', `/baskets/${basket.id}/checkout`, { shippingAddress });
const { id, createdAt } = await call('POST', '/orders', { basketId: basket.id });
await call('POST', '/payments/authorizations', { orderId: id, tender: { type: 'card', token: 'tok_visa' } });
const { orderNumber, state } = await call('POST', `/orders/${id}/confirm`, {});
await call('POST', '/loyalty/accounts/loy_ada/points', { points: 20, reason: 'review' });
const orders = [];
for (let cursor = ''; cursor !== undefined; ) {
  const page = await call('GET', `/orders?customerId=cus_ada&limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
  orders.push(...page.items.map((order) => order.orderNumber));
  cursor = page.nextCursor;
}
if (CHECK_FILE)
  writeFileSync(CHECK_FILE, JSON.stringify({ order: state, placedAt: new Date(createdAt).toISOString(), orders: orders.length }));
if (state !== 'confirmed' || !orders.includes(orderNumber)) process.exit(1);
