// A shop writes a mail to each customer whose order has arrived. One order arrives.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const { ESTATE_URL, ESTATE_BEARER_TOKEN, ESTATE_ADMIN_TOKEN, ESTATE_REHEARSAL, CHECK_FILE } = process.env;
setTimeout(() => process.exit(1), 18_000).unref();
const shippingAddress = { name: 'Ada Byrne', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
const mails = new Map();

const server = createServer(async (request, response) => {
  const body = await text(request);
  const { id, data } = JSON.parse(body);
  mails.set(id, `Thank you for your order of ${data.object.totals.total.amount / 100} euros.`);
  response.writeHead(204).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');

async function call(method, path, body) {
  const token = path.startsWith('/_control') ? ESTATE_ADMIN_TOKEN : ESTATE_BEARER_TOKEN;
  const own = { Authorization: `Bearer ${token}`, 'X-Rehearsal': ESTATE_REHEARSAL };
  const headers = { ...own, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
  const response = await fetch(`${ESTATE_URL}${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(15_000),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return response.json();
}

const url = `http://127.0.0.1:${server.address().port}/events`;
await call('PUT', '/_control/webhooks/copy', { url, types: ['order-created'] });
const basket = await call('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] });
await call('POST', `/baskets/${basket.id}/checkout`, { placeOrder: true, shippingAddress });
await call('POST', '/_control/clock/advance', { by: 'P2D' });
if (CHECK_FILE) writeFileSync(CHECK_FILE, JSON.stringify({ mails: [...mails.values()] }));
process.exit(mails.size > 0 ? 0 : 1);
