import type { TestRehearsal } from '../support/estate.ts';

/** Places and pays an order. @returns the order and its fulfillment order, which waits for the warehouse */
async function routedOrder(rehearsal: TestRehearsal): Promise<{ orderId: string; fulfillmentOrderId: string }> {
  const lines = [{ sku: 'mug-blue', qty: 2 }];
  const basket = await rehearsal.basket({ lines });
  const { orderId } = await rehearsal.checkedOut(basket.id, { placeOrder: true });
  await rehearsal.authorisation(orderId);
  await rehearsal.confirmed(orderId);
  const { fulfillmentOrders } = await rehearsal.order(orderId);
  return { orderId, fulfillmentOrderId: fulfillmentOrders[0].id };
}

export const waitingFulfillmentOrder = async (rehearsal: TestRehearsal): Promise<string> =>
  (await routedOrder(rehearsal)).fulfillmentOrderId;

/** Places, picks and dispatches an order. The carrier scans nothing without a call. @returns the order and its labelled parcel */
export async function dispatchedParcel(rehearsal: TestRehearsal): Promise<{ orderId: string; shipmentId: string }> {
  await rehearsal.client.control('set-progression', { body: { carrier: 'manual' } });
  const { orderId, fulfillmentOrderId } = await routedOrder(rehearsal);
  const picking = await rehearsal.picked(fulfillmentOrderId);
  for (const status of ['started', 'picked', 'packed'] as const)
    await rehearsal.api('update-picking-status-api', { params: { id: picking.id }, body: { status } });
  const { shipments } = await rehearsal.api('dispatch-fulfillment-order-api', { params: { id: fulfillmentOrderId } });
  await rehearsal.settle();
  return { orderId, shipmentId: shipments[0].id };
}
