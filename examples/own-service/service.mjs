// A service that buys a product at the estate: POST /purchases {"sku":…,"qty":…}. Usage: PORT=3000 node service.mjs
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

const { PORT = '3000', ESTATE_TOKEN = 'demo-integration-token' } = process.env;
const {
  ECOMMERCE_PLATFORM_URL = 'http://127.0.0.1:8080',
  PAYMENT_HUB_URL = ECOMMERCE_PLATFORM_URL,
  OMS_URL = ECOMMERCE_PLATFORM_URL,
} = process.env;
const ADDRESS = { name: 'Ada Byrne', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };
const PASSED_ON = ['x-rehearsal', 'x-correlation-id', 'traceparent'];

/** Calls of one purchase. They carry the context of its request, and keys derived from its key. */
function callsOf({ headers }) {
  const context = Object.fromEntries(PASSED_ON.filter((name) => headers[name]).map((name) => [name, headers[name]]));
  return async (step, url, body) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        ...context,
        Authorization: `Bearer ${ESTATE_TOKEN}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': `${headers['idempotency-key']}:${step}`,
      },
      body: JSON.stringify(body),
    });
    const answer = await response.json();
    if (!response.ok) throw Object.assign(new Error(answer.detail), { status: response.status, answer });
    return answer;
  };
}

async function purchase(request, { sku, qty }) {
  const call = callsOf(request);
  const basket = await call('basket', `${ECOMMERCE_PLATFORM_URL}/baskets`, {
    channel: 'web',
    customerId: 'cus_ada',
    lines: [{ sku, qty }],
  });
  const checkout = { shippingAddress: ADDRESS, placeOrder: true };
  const { orderId } = await call('checkout', `${ECOMMERCE_PLATFORM_URL}/baskets/${basket.id}/checkout`, checkout);
  await call('payment', `${PAYMENT_HUB_URL}/payments/authorizations`, { orderId, tender: { type: 'card', token: 'tok_visa' } });
  return call('confirmation', `${OMS_URL}/orders/${orderId}/confirm`, {});
}

async function answer(request) {
  if (request.url === '/healthz') return { status: 200, body: { status: 'ok' } };
  if (request.method !== 'POST' || request.url !== '/purchases') return { status: 404, body: { detail: 'Send POST /purchases.' } };
  if (!request.headers['idempotency-key']) return { status: 422, body: { detail: 'Send an Idempotency-Key.' } };
  try {
    return { status: 201, body: await purchase(request, await json(request)) };
  } catch (error) {
    return { status: error.status ?? 502, body: error.answer ?? { detail: error.message } };
  }
}

// The service is healthy once every application of the estate is ready.
const isReady = () =>
  fetch(`${OMS_URL}/readyz?all=true`).then(
    ({ ok }) => ok,
    () => false,
  );
while (!(await isReady())) await pause(500);

createServer(async (request, response) => {
  const { status, body } = await answer(request);
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}).listen(Number(PORT));
