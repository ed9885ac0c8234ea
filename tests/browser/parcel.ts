import { ADDRESS, type TestRehearsal } from '../support/estate.ts';

/** Places, picks and dispatches an order. No scan happens by itself. @returns the order and its labelled parcel */
export async function dispatchedParcel(rehearsal: TestRehearsal): Promise<{ orderId: string; shipmentId: string }> {
  await rehearsal.client.control('set-progression', { body: { carrier: 'manual' } });
  const lines = [{ sku: 'mug-blue', qty: 2 }];
  const basket = await rehearsal.ok('POST', '/baskets', { channel: 'web', customerId: 'cus_ada', lines });
  const { orderId } = await rehearsal.ok('POST', `/baskets/${basket.id}/checkout`, { shippingAddress: ADDRESS, placeOrder: true });
  await rehearsal.ok('POST', '/payments/authorizations', { orderId, tender: { type: 'card', token: 'tok_visa' } });
  await rehearsal.ok('POST', `/orders/${orderId}/confirm`);
  const { fulfillmentOrders } = await rehearsal.ok('GET', `/orders/${orderId}`);
  const [{ id: fulfillmentOrderId }] = fulfillmentOrders;
  const picking = await rehearsal.ok('POST', '/picking-orders', { fulfillmentOrderId });
  for (const status of ['started', 'picked', 'packed']) await rehearsal.ok('PUT', `/picking-orders/${picking.id}/status`, { status });
  const { shipments } = await rehearsal.ok('POST', `/fulfillment/orders/${fulfillmentOrderId}/dispatch`, {});
  await rehearsal.settle();
  return { orderId, shipmentId: shipments[0].id };
}
