// An app shows a customer when her order was placed. She has just placed it.
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
  if (!response.ok) throw new Error(`POST ${path}: ${response.status}`);
  return response.json();
}

const basket = await post('/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] });
await post(`/baskets/${basket.id}/checkout`, { shippingAddress });
const order = await post('/orders', { basketId: basket.id });
const placedAt = new Date(`${order.createdAt.slice(0, 19)}Z`);
if (CHECK_FILE) writeFileSync(CHECK_FILE, JSON.stringify({ placedAt: placedAt.toISOString() }));
