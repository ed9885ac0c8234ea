// A shop copies each order from its events, and writes a mail to the customer when it arrives and when it is cancelled. Nobody pays.
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const { ESTATE_URL, ESTATE_BEARER_TOKEN, ESTATE_ADMIN_TOKEN, ESTATE_REHEARSAL, CHECK_FILE } = process.env;
setTimeout(() => process.exit(1), 18_000).unref();
const shippingAddress = { name: 'Ada Byrne', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
const copies = new Map();
const mails = new Map();
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
  const { id, type, data } = JSON.parse(body);
  mails.set(id, `About your order: ${type.split('.').at(-1)}`);
  if (data.object.version > (copies.get(data.object.id)?.version ?? 0)) copies.set(data.object.id, data.object);
  response.writeHead(204).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');

/** Tries a call up to four times, with one key. */
async function call(method, path, body) {
  const token = path.startsWith('/_control') ? ESTATE_ADMIN_TOKEN : ESTATE_BEARER_TOKEN;
  const own = { Authorization: `Bearer ${token}`, 'X-Rehearsal': ESTATE_REHEARSAL };
  const headers = { ...own, 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() };
  for (let attempt = 1; ; attempt++) {
    const options = { method, headers, body: JSON.stringify(body), signal: AbortSignal.timeout(8_000) };
    const response = await fetch(`${ESTATE_URL}${path}`, options).catch(() => undefined);
    if (response?.ok) return response.json();
    const mayPass = response === undefined || response.status >= 500 || response.status === 429;
    if (attempt === 4 || !mayPass) throw new Error(`${method} ${path}: ${response?.status ?? 'no answer'}`);
    await pause(100 * attempt);
  }
}

const url = `http://127.0.0.1:${server.address().port}/events`;
({ secret } = await call('PUT', '/_control/webhooks/copy', { url, types: ['order-created', 'order-cancelled'] }));
const basket = await call('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 2 }] });
await call('POST', `/baskets/${basket.id}/checkout`, { shippingAddress });
const order = await call('POST', '/orders', { basketId: basket.id });
await call('POST', '/_control/clock/advance', { by: 'P2D' });
const states = [...copies.values()].map(({ state }) => state);
if (CHECK_FILE) writeFileSync(CHECK_FILE, JSON.stringify({ states, mails: [...mails.values()].sort() }));
process.exit(copies.has(order.id) && mails.size === 2 ? 0 : 1);
