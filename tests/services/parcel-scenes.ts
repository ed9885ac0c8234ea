import { ordering } from './oms-scenes.ts';

/** An order and its way through warehouse and carrier, step by step; each step must succeed. */
export async function fulfilling() {
  const scene = await ordering();
  const { rehearsal } = scene;
  /** A confirmed order whose goods wait to be picked. @returns ids of the order and its fulfillment order */
  async function routed(goods: Parameters<typeof scene.confirmed>[0] = {}) {
    const { id: orderId } = await scene.confirmed(goods);
    await rehearsal.settle();
    const { fulfillmentOrders } = await scene.order(orderId);
    return { orderId, fulfillmentOrderId: fulfillmentOrders[0].id as string };
  }
  const open = (fulfillmentOrderId: string) => rehearsal.call('POST', '/picking-orders', { fulfillmentOrderId });
  const move = (pickingOrderId: string, status: string, lines?: readonly object[]) =>
    rehearsal.call('PUT', `/picking-orders/${pickingOrderId}/status`, { status, ...(lines && { lines }) });
  /** A picking order in the last of these statuses. */
  async function picking(goods: Parameters<typeof scene.confirmed>[0] = {}, ...statuses: readonly string[]) {
    const order = await routed(goods);
    const { body } = await open(order.fulfillmentOrderId);
    for (const status of statuses) await rehearsal.ok('PUT', `/picking-orders/${body.id}/status`, { status });
    return { ...order, pickingOrder: body };
  }
  const packed = (goods: Parameters<typeof scene.confirmed>[0] = {}) => picking(goods, 'started', 'picked', 'packed');
  /** A parcel that was handed over to the carrier. */
  async function dispatched(body: object = {}, goods: Parameters<typeof scene.confirmed>[0] = {}) {
    const order = await packed(goods);
    const { shipments } = await rehearsal.ok('POST', `/fulfillment/orders/${order.fulfillmentOrderId}/dispatch`, body);
    return { ...order, shipmentId: shipments[0].id as string };
  }
  return {
    ...scene,
    ...{ routed, open, move, picking, packed, dispatched },
    fulfillmentOrder: (id: string) => rehearsal.ok('GET', `/fulfillment/orders/${id}`),
    label: (id: string, body: object = {}, headers: Record<string, string> = {}) =>
      rehearsal.call('POST', `/shipments/${id}/label`, body, { as: 'api-key', headers }),
    track: (id: string) => rehearsal.call('GET', `/shipments/${id}/tracking`, undefined, { as: 'api-key' }),
    progression: (body: object) => rehearsal.client.control('set-progression', { body }),
    [Symbol.asyncDispose]: () => rehearsal[Symbol.asyncDispose](),
  };
}

export type Fulfilling = Awaited<ReturnType<typeof fulfilling>>;
