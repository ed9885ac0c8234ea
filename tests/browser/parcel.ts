import { ADDRESS, type TestRehearsal } from '../support/estate.ts';

/** Places and pays an order. @returns the order and its fulfillment order, which waits for the warehouse */
async function routedOrder(rehearsal: TestRehearsal): Promise<{ orderId: string; fulfillmentOrderId: string }> {
  const lines = [{ sku: 'mug-blue', qty: 2 }];
  const basket = await rehearsal.ok('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
  const { orderId } = await rehearsal.ok('POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS, placeOrder: true });
  await rehearsal.ok('POST', '/payments/authorizations', { orderId, tender: { type: 'card', token: 'tok_visa' } });
  await rehearsal.ok('POST', `/orders/${orderId}/confirm`);
  const { fulfillmentOrders } = await rehearsal.ok('GET', `/orders/${orderId}`);
  return { orderId, fulfillmentOrderId: fulfillmentOrders[0].id };
}

export const waitingFulfillmentOrder = async (rehearsal: TestRehearsal): Promise<string> =>
  (await routedOrder(rehearsal)).fulfillmentOrderId;

/** Places, picks and dispatches an order. The carrier scans nothing without a call. @returns the order and its labelled parcel */
export async function dispatchedParcel(rehearsal: TestRehearsal): Promise<{ orderId: string; shipmentId: string }> {
  await rehearsal.client.control('set-progression', { body: { carrier: 'manual' } });
  const { orderId, fulfillmentOrderId } = await routedOrder(rehearsal);
  const picking = await rehearsal.ok('POST', '/picking-orders', { fulfillmentOrderId });
  for (const status of ['started', 'picked', 'packed']) await rehearsal.ok('PUT', `/picking-orders/${picking.id}/status`, { status });
  const { shipments } = await rehearsal.ok('POST', `/fulfillment/orders/${fulfillmentOrderId}/dispatch`, {});
  await rehearsal.settle();
  return { orderId, shipmentId: shipments[0].id };
}
