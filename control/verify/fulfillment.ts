import type { z } from 'zod';
import type { FulfillmentOrder as FulfillmentOrderSchema } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { PickingOrder as PickingOrderSchema } from '../../shared/catalog/fulfillment/picking-orders.ts';
import type { Order as OrderSchema } from '../../shared/catalog/order/objects.ts';
import { type Check, findings, grouped, type InvariantResult } from './invariant.ts';
import { checkParcels } from './parcels.ts';
import type { WorldRecords } from './world-records.ts';

type Order = z.output<typeof OrderSchema>;
type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema>;
type PickingOrder = z.output<typeof PickingOrderSchema>;

/** OMS, FMS, WMS and Carrier Platform must agree on the goods of each order. */
export function fulfillment(world: WorldRecords): InvariantResult {
  const { check, result } = findings(
    'fulfilment',
    'Order lines, fulfillment orders, picking orders and parcels agree: each unit of a line is counted once',
  );
  const fulfillmentOrders = world.of<FulfillmentOrder>('fulfillment-order');
  const byOrder = grouped(fulfillmentOrders, ({ orderId }) => orderId);
  const orders = world.of<Order>('order');
  for (const order of orders) checkLines(world, { order, fulfillmentOrders: byOrder.get(order.id) ?? [] }, check);
  const known = new Set(orders.map(({ id }) => id));
  const pickings = grouped(world.records<PickingOrder>('wms', 'picking-orders'), ({ fulfillmentOrderId }) => fulfillmentOrderId);
  for (const one of fulfillmentOrders) {
    check(known.has(one.orderId), `fulfillment-order/${one.id}: of order/${one.orderId}, which does not exist`);
    checkPicking(world, { fulfillmentOrder: one, pickings: pickings.get(one.id) ?? [] }, check);
  }
  checkParcels(world, fulfillmentOrders, check);
  return result();
}

/** Whether its goods are back. A fulfillment order that timed out counts as returned before its parcel arrives. */
export const isBackAtSender = ({ state, shipments }: Pick<FulfillmentOrder, 'state' | 'shipments'>): boolean =>
  state === 'returned-to-sender' && shipments.some((parcel) => parcel.state === 'returned-to-sender');

/** Whether its units have reached the customer or are still expected to. */
const isServing = ({ state, failureReason }: FulfillmentOrder): boolean =>
  state !== 'cancelled' && state !== 'returned-to-sender' && !(state === 'failed-delivery' && failureReason === 'lost');

function checkLines(
  { queued }: WorldRecords,
  { order, fulfillmentOrders }: { readonly order: Order; readonly fulfillmentOrders: readonly FulfillmentOrder[] },
  check: Check,
): void {
  const settled = new Set(order.reconciliation?.map(({ fulfillmentOrderId }) => fulfillmentOrderId));
  const serving = fulfillmentOrders.filter((one) => isServing(one) && !settled.has(one.id));
  const unitsOf = (ones: readonly FulfillmentOrder[], lineId: string): number =>
    ones
      .flatMap(({ lines }) => lines)
      .filter(({ orderLineId }) => orderLineId === lineId)
      .reduce((sum, { qty, shortQty }) => sum + qty - shortQty, 0);
  for (const { lineId, qty, fulfilledQty, cancelledQty, returnedQty } of order.lines) {
    const name = `order/${order.id} ${lineId}`;
    const ids = serving.map(({ id }) => `fulfillment-order/${id}`).join(', ') || 'no fulfillment order';
    check(
      [qty, fulfilledQty, cancelledQty, returnedQty].every((units) => Number.isSafeInteger(units) && units >= 0),
      `${name}: units are not integers ≥ 0: ${[qty, fulfilledQty, cancelledQty, returnedQty].join(', ')}`,
    );
    check(fulfilledQty + cancelledQty <= qty, `${name}: ${fulfilledQty} delivered and ${cancelledQty} cancelled of ${qty}`);
    check(returnedQty <= fulfilledQty, `${name}: ${returnedQty} returned of ${fulfilledQty} delivered`);
    const units = unitsOf(serving, lineId);
    check(units + cancelledQty <= qty, `${name}: ${ids} have ${units} and ${cancelledQty} are cancelled, of ${qty}`);
    const delivered = unitsOf(
      serving.filter(({ state }) => state === 'delivered'),
      lineId,
    );
    check(
      delivered === fulfilledQty || order.channel === 'pos' || queued('oms', order.id),
      `${name}: ${fulfilledQty} delivered, its fulfillment orders delivered ${delivered}`,
    );
    if (order.state === 'completed') {
      check(
        fulfilledQty + cancelledQty === qty,
        `${name}: completed with ${fulfilledQty} delivered and ${cancelledQty} cancelled of ${qty}`,
      );
    }
  }
}

function checkPicking(
  { queued }: WorldRecords,
  { fulfillmentOrder, pickings }: { readonly fulfillmentOrder: FulfillmentOrder; readonly pickings: readonly PickingOrder[] },
  check: Check,
): void {
  const { id, state, pickingOrderId, lines } = fulfillmentOrder;
  const name = `fulfillment-order/${id}`;
  for (const { orderLineId, qty, pickedQty, shortQty } of lines) {
    check(pickedQty + shortQty <= qty, `${name} ${orderLineId}: picked ${pickedQty} and short ${shortQty} of ${qty}`);
  }
  // A fulfillment order that was cancelled before its picking order reached the WMS has no record there.
  if (pickingOrderId !== undefined && state !== 'cancelled' && !queued('wms', pickingOrderId)) {
    check(
      pickings.some((picking) => picking.id === pickingOrderId),
      `${name}: picked by picking-order/${pickingOrderId}, which the WMS does not have`,
    );
  }
  for (const picking of pickings) {
    check(picking.id === pickingOrderId, `picking-order/${picking.id}: of ${name}, which is picked by ${pickingOrderId ?? 'none'}`);
    if (picking.status === 'open' || picking.status === 'started' || queued('wms', picking.id)) continue;
    const counted = new Map(lines.map(({ orderLineId, pickedQty }) => [orderLineId, pickedQty]));
    for (const { orderLineId, pickedQty } of picking.lines) {
      check(
        counted.get(orderLineId) === pickedQty,
        `picking-order/${picking.id} ${orderLineId}: picked ${pickedQty} at the WMS, and ${counted.get(orderLineId) ?? 'nothing'} at ${name}`,
      );
    }
  }
}
