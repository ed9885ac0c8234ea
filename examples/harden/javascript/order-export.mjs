// The accountants get a list of the orders of a customer, who has just placed three.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';

const { ESTATE_URL, ESTATE_BEARER_TOKEN, ESTATE_REHEARSAL, CHECK_FILE } = process.env;
setTimeout(() => process.exit(1), 18_000).unref();
const shippingAddress = { name: 'Ada Byrne', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

async function call(method, path, body) {
  const response = await fetch(`${ESTATE_URL}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${ESTATE_BEARER_TOKEN}`,
      'X-Rehearsal': ESTATE_REHEARSAL,
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json();
}

for (const qty of [1, 2, 3]) {
  const basket = await call('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty }] });
  await call('POST', `/baskets/${basket.id}/checkout`, { placeOrder: true, shippingAddress });
}
const { items } = await call('GET', '/orders?customerId=cus_ada&limit=100');
const orders = items.map(({ totals }) => totals.total.amount);
if (CHECK_FILE) writeFileSync(CHECK_FILE, JSON.stringify({ orders }));
if (orders.length === 0) process.exit(1);
