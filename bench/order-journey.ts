import type { EstateClient } from '../rehearsal/estate-client.ts';

/** Requests from the first basket to the delivered order. */
export const REQUESTS_PER_JOURNEY = 16;

const ADDRESS = { name: 'Ada', line1: '1 Quay Street', city: 'Galway', postalCode: 'H91', country: 'IE' };

type As = 'bearer' | 'api-key' | 'admin';

/** One request of the journey; it must succeed. */
type Ask = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown, as?: As) => Promise<Answer>;

/** Members that the journey reads from an answer. An echo has none of them. */
interface Answer {
  readonly id?: string;
  readonly state?: string;
  readonly fulfillmentOrders?: readonly { readonly id: string }[];
  readonly shipments?: readonly { readonly id: string }[];
}

const STAND_IN = 'an-id-of-the-echo';

function asking(client: EstateClient): Ask {
  return async (method, path, body, as = 'bearer') => {
    const reply = await client.call(method, path, body, { as });
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body as Answer;
  };
}

/** Basket, line, checkout, order, authorisation, confirmation. @returns the order's id */
export async function placeOrder(client: EstateClient): Promise<string> {
  const ask = asking(client);
  const { id: basket = STAND_IN } = await ask('POST', '/baskets', { channel: 'web', customerId: 'cus_ada' });
  await ask('POST', `/baskets/${basket}/lines`, { sku: 'mug-blue', qty: 1 });
  await ask('POST', `/baskets/${basket}/checkout`, { shippingAddress: ADDRESS });
  const { id: order = STAND_IN } = await ask('POST', '/orders', { basketId: basket });
  await ask('POST', '/payments/authorizations', { orderId: order, tender: { type: 'card', token: 'tok_visa' } });
  await ask('POST', `/orders/${order}/confirm`, {});
  return order;
}

/** From basket to delivery, two days later. @returns the final state of the order; undefined for an echo */
export async function completeOrder(client: EstateClient): Promise<string | undefined> {
  const ask = asking(client);
  const order = await placeOrder(client);
  const { fulfillmentOrders } = await ask('GET', `/orders/${order}`);
  const fulfilment = fulfillmentOrders?.[0]?.id ?? STAND_IN;
  const { id: picking = STAND_IN } = await ask('POST', '/picking-orders', { fulfillmentOrderId: fulfilment });
  for (const status of ['started', 'picked', 'packed']) await ask('PUT', `/picking-orders/${picking}/status`, { status });
  const { shipments } = await ask('POST', `/fulfillment/orders/${fulfilment}/dispatch`, {});
  const parcel = shipments?.[0]?.id ?? STAND_IN;
  await ask('POST', `/shipments/${parcel}/label`, {}, 'api-key');
  await ask('GET', `/shipments/${parcel}/tracking`, undefined, 'api-key');
  await ask('POST', '/_control/clock/advance', { by: 'P2D' }, 'admin');
  const { state } = await ask('GET', `/orders/${order}`);
  return state;
}
