// A screen in the office shows how many units of each product were ordered. Two orders arrive.
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const { ESTATE_URL, ESTATE_BEARER_TOKEN, ESTATE_ADMIN_TOKEN, ESTATE_REHEARSAL, CHECK_FILE } = process.env;
setTimeout(() => process.exit(1), 18_000).unref();
const shippingAddress = { name: 'Ada Byrne', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
const units = {};
let secret = '';

function isGenuine({ 'webhook-id': id, 'webhook-timestamp': sentAt, 'webhook-signature': signatures = '' }, body) {
  const signed = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`${id}.${sentAt}.${body}`)
    .digest('base64');
  return Math.abs(Date.now() / 1000 - sentAt) < 300 && signatures.split(' ').includes(`v1,${signed}`);
}

const server = createServer(async (request, response) => {
  const body = await text(request);
  if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
  for (const { sku, qty } of JSON.parse(body).data.object.lines) units[sku] = (units[sku] ?? 0) + qty;
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
({ secret } = await call('PUT', '/_control/webhooks/copy', { url, types: ['order-created'] }));
for (const qty of [1, 2]) {
  const basket = await call('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty }] });
  await call('POST', `/baskets/${basket.id}/checkout`, { placeOrder: true, shippingAddress });
}
await call('POST', '/_control/clock/advance', { by: 'P2D' });
if (CHECK_FILE) writeFileSync(CHECK_FILE, JSON.stringify(units));
process.exit(units['mug-blue'] >= 3 ? 0 : 1);
