// A web shop orders two mugs for a customer, and then shows its page of thanks.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';

const { ESTATE_URL, ESTATE_BEARER_TOKEN, ESTATE_REHEARSAL, CHECK_FILE } = process.env;
setTimeout(() => process.exit(1), 18_000).unref();
const shippingAddress = { name: 'Ada Byrne', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

async function post(path, body) {
  const response = await fetch(`${ESTATE_URL}${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${ESTATE_BEARER_TOKEN}`,
      'X-Rehearsal': ESTATE_REHEARSAL,
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  return response.json();
}

const basket = await post('/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] });
const { orderId } = await post(`/baskets/${basket.id}/checkout`, { placeOrder: true, shippingAddress });
await post('/payments/authorizations', { orderId, tender: { type: 'card', token: 'tok_visa' } });
await post(`/orders/${orderId}/confirm`, {});
if (CHECK_FILE) writeFileSync(CHECK_FILE, JSON.stringify({ page: 'thanks' }));
