import type { z } from 'zod';
import type { FulfillmentOrder as FulfillmentOrderSchema } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { PickingOrder as PickingOrderSchema } from '../../../shared/catalog/fulfillment/picking-orders.ts';
import type { Shipment as ShipmentSchema } from '../../../shared/catalog/fulfillment/shipments.ts';
import type { Order as OrderSchema } from '../../../shared/catalog/order/objects.ts';
import { compareInstants } from '../../../shared/domain/instant.ts';
import type { HeldWorld } from './held-world.ts';
import { findings, grouped, type InvariantResult } from './invariant.ts';
import type { Return } from './stored-records.ts';

type Order = z.output<typeof OrderSchema>;
type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema>;
type PickingOrder = z.output<typeof PickingOrderSchema>;
type Shipment = z.output<typeof ShipmentSchema>;
/** What the FMS keeps of a parcel for itself. */
interface Parcel {
  readonly id: string;
  readonly newestScanAt?: string;
}
type Check = ReturnType<typeof findings>['check'];

/** Work of the Carrier Platform that tells of a scan. */
const WEBHOOK = 'deliver-webhook';

/** What the OMS, the FMS, the WMS and the Carrier Platform say of the same goods. */
export function fulfilment(held: HeldWorld): InvariantResult {
  const { check, result } = findings(
    'fulfilment',
    'Order lines, fulfillment orders, picking orders and parcels agree: every unit of a line is on one way, and ends once',
  );
  const fulfillmentOrders = held.of<FulfillmentOrder>('fulfillment-order');
  const byOrder = grouped(fulfillmentOrders, ({ orderId }) => orderId);
  const orders = held.of<Order>('order');
  for (const order of orders) checkLines(held, { order, fulfillmentOrders: byOrder.get(order.id) ?? [] }, check);
  const known = new Set(orders.map(({ id }) => id));
  const pickings = grouped(held.records<PickingOrder>('wms', 'picking-orders'), ({ fulfillmentOrderId }) => fulfillmentOrderId);
  for (const one of fulfillmentOrders) {
    check(known.has(one.orderId), `fulfillment-order/${one.id}: of order/${one.orderId}, which nobody stores`);
    checkPicking(held, { fulfillmentOrder: one, pickings: pickings.get(one.id) ?? [] }, check);
  }
  checkParcels(held, fulfillmentOrders, check);
  return result();
}

/** Its goods came back. One that was given up by time counts as returned before that. */
export const isBack = ({ state, shipments }: Pick<FulfillmentOrder, 'state' | 'shipments'>): boolean =>
  state === 'returned-to-sender' && shipments.some((parcel) => parcel.state === 'returned-to-sender');

/** Units that are on their way to the customer, or arrived. */
const coming = ({ state, failureReason }: FulfillmentOrder): boolean =>
  state !== 'cancelled' && state !== 'returned-to-sender' && !(state === 'failed-delivery' && failureReason === 'lost');

function checkLines(
  { queued }: HeldWorld,
  { order, fulfillmentOrders }: { readonly order: Order; readonly fulfillmentOrders: readonly FulfillmentOrder[] },
  check: Check,
): void {
  const settled = new Set(order.reconciliation?.map(({ fulfillmentOrderId }) => fulfillmentOrderId));
  const serving = fulfillmentOrders.filter((one) => coming(one) && !settled.has(one.id));
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
  { queued }: HeldWorld,
  { fulfillmentOrder, pickings }: { readonly fulfillmentOrder: FulfillmentOrder; readonly pickings: readonly PickingOrder[] },
  check: Check,
): void {
  const { id, state, pickingOrderId, lines } = fulfillmentOrder;
  const name = `fulfillment-order/${id}`;
  for (const { orderLineId, qty, pickedQty, shortQty } of lines) {
    check(pickedQty + shortQty <= qty, `${name} ${orderLineId}: picked ${pickedQty} and short ${shortQty} of ${qty}`);
  }
  // One that was cancelled before the WMS heard that it may pick is picked by nobody, and the WMS has nothing to keep.
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

/**
 * The FMS’s copy of a parcel is what the carrier last said of it, unless a webhook is still to come, nobody is told any more, or
 * somebody else told the FMS more: other carriers may send webhooks too.
 */
function checkParcels({ of, records, queued }: HeldWorld, fulfillmentOrders: readonly FulfillmentOrder[], check: Check): void {
  const shipments = new Map(of<Shipment>('shipment').map((shipment) => [shipment.id, shipment]));
  const parcels = new Map(records<Parcel>('fms', 'trackings').map((parcel) => [parcel.id, parcel]));
  const isDeaf = records('carrier-platform', 'webhook-endpoints').length > 0;
  const copied = new Set<string>();
  const comingBack = of<Return>('return');
  const carried = [
    ...fulfillmentOrders.map(({ id, shipments: copies }) => ({ id, name: `fulfillment-order/${id}`, copies })),
    ...comingBack.map(({ id, shipments: copies }) => ({ id, name: `return/${id}`, copies })),
  ];
  for (const { id, name, copies } of carried) {
    for (const copy of copies) {
      copied.add(copy.id);
      const shipment = shipments.get(copy.id);
      if (!shipment) {
        check(queued('fms', id), `shipment/${copy.id}: of ${name}, and the carrier was never told of it`);
        continue;
      }
      const told = parcels.get(copy.id)?.newestScanAt;
      const newest = shipment.events.at(-1)?.occurredAt;
      const byOthers = copy.state !== 'pending' && !shipment.events.some(({ status }) => status === copy.state);
      const ahead = told !== undefined && newest !== undefined && compareInstants(told, newest) > 0;
      check(
        copy.state === shipment.state || byOthers || ahead || isDeaf || queued('carrier-platform', copy.id, WEBHOOK),
        `shipment/${copy.id}: ${shipment.state} at the carrier, ${copy.state} at ${name}, and no webhook is on its way`,
      );
    }
  }
  for (const id of shipments.keys()) check(copied.has(id), `shipment/${id}: of no fulfillment order and no return`);
}
