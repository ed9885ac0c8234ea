import { replacedInParcel, replacementReasons } from '../../shared/catalog/order/replaced.ts';
import { type Check, findings, grouped, type InvariantResult } from './invariant.ts';
import type { FulfillmentOrder, Order, PickingOrder, Return, Shipment } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

/** OMS, FMS, WMS and Carrier Platform must agree on the goods of each order. */
export function fulfillment(world: WorldRecords): InvariantResult {
  const { check, result } = findings('fulfilment');
  const fulfillmentOrders = world.of<FulfillmentOrder>('fulfillment-order');
  const byOrder = grouped(fulfillmentOrders, ({ orderId }) => orderId);
  const orders = world.of<Order>('order');
  const booked = world.records<{ readonly seen: readonly { readonly id: string; readonly booked?: string }[] }>(
    'oms',
    'fulfilment-records',
  );
  const givenUp = new Set(booked.flatMap(({ seen }) => seen.flatMap((one) => (one.booked === 'cancelled' ? [one.id] : []))));
  for (const order of orders) {
    const placed = { order, fulfillmentOrders: byOrder.get(order.id) ?? [], givenUp };
    checkLines(world, placed, check);
    checkNodes(world, placed, check);
  }
  const known = new Set(orders.map(({ id }) => id));
  const pickings = grouped(world.records<PickingOrder>('wms', 'picking-orders'), ({ fulfillmentOrderId }) => fulfillmentOrderId);
  for (const one of fulfillmentOrders) {
    check(known.has(one.orderId), `fulfillment-order/${one.id}: belongs to order/${one.orderId}, which does not exist`);
    checkPicking(world, { fulfillmentOrder: one, pickings: pickings.get(one.id) ?? [] }, check);
  }
  checkParcels(world, fulfillmentOrders, check);
  return result();
}

/**
 * Whether its goods are on hand again after a parcel. Goods at a counter are in the stock of their store. A fulfillment order that timed out
 * counts as returned before its parcel arrives.
 */
export const isBackAtSender = ({ state, shipments, collection }: Pick<FulfillmentOrder, 'state' | 'shipments' | 'collection'>): boolean =>
  collection?.readyAt === undefined && state === 'returned-to-sender' && shipments.some((parcel) => parcel.state === 'returned-to-sender');

/** Where the goods are on hand again. Goods that reach their store after a refund go to its shelf. */
export const backAt = ({ locationId, collection }: Pick<FulfillmentOrder, 'locationId' | 'collection'>): string =>
  collection?.arrivedAt === undefined ? locationId : collection.locationId;

/** Whether its units have reached the customer, or may still do so. */
const isServing = ({ state, failureReason }: FulfillmentOrder): boolean =>
  state !== 'cancelled' && state !== 'returned-to-sender' && !(state === 'failed-delivery' && failureReason === 'lost');

function checkLines({ queued }: WorldRecords, { order, fulfillmentOrders, givenUp }: PlacedOrder, check: Check): void {
  const { reconciliation = [], replacements = [] } = order;
  // A parcel that arrives after it was given up delivers no units: they were refunded, or found goods stand in for them.
  const settled = new Set(
    reconciliation.flatMap(({ fulfillmentOrderId: id, reason }) => (reason === 'delivered-after-refund' || givenUp.has(id) ? [id] : [])),
  );
  // Goods in place of delivered ones are counted by their replacement only.
  const extra = new Set(replacements.flatMap(({ id, reason }) => (replacementReasons[reason].of === 'delivered' ? [id] : [])));
  const serving = fulfillmentOrders.filter(
    (one) => isServing(one) && !settled.has(one.id) && !(one.replacementId !== undefined && extra.has(one.replacementId)),
  );
  const unitsOf = (ones: readonly FulfillmentOrder[], lineId: string): number =>
    ones
      .flatMap(({ id, lines }) => lines.map((line) => ({ ...line, id })))
      .filter(({ orderLineId }) => orderLineId === lineId)
      .reduce((sum, { id, qty, shortQty }) => sum + qty - shortQty - replacedInParcel(id, lineId, replacements), 0);
  for (const { lineId, qty, fulfilledQty, cancelledQty, returnedQty } of order.lines) {
    const name = `order/${order.id} ${lineId}`;
    const ids = serving.map(({ id }) => `fulfillment-order/${id}`).join(', ') || 'no fulfillment order';
    check(
      [qty, fulfilledQty, cancelledQty, returnedQty].every((units) => Number.isSafeInteger(units) && units >= 0),
      `${name}: units are not integers ≥ 0: ${[qty, fulfilledQty, cancelledQty, returnedQty].join(', ')}`,
    );
    check(fulfilledQty + cancelledQty <= qty, `${name}: ${fulfilledQty} delivered and ${cancelledQty} cancelled of ${qty}`);
    check(returnedQty <= fulfilledQty, `${name}: ${returnedQty} returned of ${fulfilledQty} delivered`);
    const handedOver = replacements
      .filter(({ reason, storeId }) => storeId !== undefined && replacementReasons[reason].of === 'lost')
      .flatMap((one) => one.lines.filter(({ orderLineId }) => orderLineId === lineId))
      .reduce((sum, { deliveredQty }) => sum + deliveredQty, 0);
    const units = unitsOf(serving, lineId) + handedOver;
    check(units + cancelledQty <= qty, `${name}: ${ids} have ${units} and ${cancelledQty} are cancelled, of ${qty}`);
    const ended = serving.filter(({ state }) => state === 'delivered');
    const delivered = unitsOf(ended, lineId) + handedOver;
    check(
      delivered === fulfilledQty || order.channel === 'pos' || queued('oms', order.id),
      `${name}: ${fulfilledQty} delivered, and its fulfillment orders delivered ${delivered}`,
    );
    if (order.state === 'completed') {
      check(
        fulfilledQty + cancelledQty === qty,
        `${name}: completed with ${fulfilledQty} delivered and ${cancelledQty} cancelled of ${qty}`,
      );
    }
  }
}

interface PlacedOrder {
  readonly order: Order;
  /** Fulfillment orders whose units the order counts as cancelled. */
  readonly givenUp: ReadonlySet<string>;
  readonly fulfillmentOrders: readonly FulfillmentOrder[];
}

/** Several locations serve a line only if the retailer splits lines. Until picking begins, each has a fulfillment order with its units. */
function checkNodes({ queued, figures, swapped }: WorldRecords, { order, fulfillmentOrders }: PlacedOrder, check: Check): void {
  const live = fulfillmentOrders.filter(({ state }) => state !== 'cancelled');
  const isUntouched =
    order.state === 'confirmed' &&
    order.pendingAction === undefined &&
    live.length > 0 &&
    fulfillmentOrders.every((one) => UNTOUCHED.has(one.state) || one.failureReason === 'changed');
  for (const { lineId, qty, nodeId, nodes } of order.lines) {
    const name = `order/${order.id} ${lineId}`;
    if (nodes) {
      const sum = nodes.reduce((units, at) => units + at.qty, 0);
      const isWhole = sum === qty && nodes[0]?.locationId === nodeId && new Set(nodes.map(({ locationId }) => locationId)).size > 1;
      check(isWhole, `${name}: ${qty} units from ${nodeId}, and its locations serve ${sum}`);
      const isAllowed = figures.splitLines || swapped.has('inventory-service') || swapped.has('sim');
      check(isAllowed, `${name}: several locations serve it, and the retailer does not split lines`);
    }
    if (!isUntouched || queued('oms', order.id) || swapped.has('fms')) continue;
    for (const at of nodes ?? (nodeId === undefined ? [] : [{ locationId: nodeId, qty }])) {
      const there = live.filter(({ locationId }) => locationId === at.locationId).flatMap(({ lines }) => lines);
      const units = there.reduce((total, line) => total + (line.orderLineId === lineId ? line.qty : 0), 0);
      check(units === at.qty, `${name}: ${at.locationId} serves ${at.qty}, and its fulfillment orders have ${units}`);
    }
  }
}

/** States before picking. */
const UNTOUCHED: ReadonlySet<string> = new Set(['created', 'allocated']);

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
    check(picking.id === pickingOrderId, `picking-order/${picking.id}: picks ${name}, which is picked by ${pickingOrderId ?? 'none'}`);
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

/** The FMS's private record of a parcel. */
interface Parcel {
  readonly id: string;
  readonly newestOutsideScanAt?: string;
}

/** Work of the Carrier Platform that sends a scan. */
const WEBHOOK = 'deliver-webhook';

/**
 * The FMS's copy of a parcel must have the carrier's latest state, unless a webhook is still queued, the endpoint for webhooks answered
 * 410, or a carrier outside the estate scans the parcel.
 */
function checkParcels({ of, records, queued }: WorldRecords, fulfillmentOrders: readonly FulfillmentOrder[], check: Check): void {
  const shipments = new Map(of<Shipment>('shipment').map((shipment) => [shipment.id, shipment]));
  const parcels = new Map(records<Parcel>('fms', 'trackings').map((parcel) => [parcel.id, parcel]));
  const isEndpointGone = records('carrier-platform', 'webhook-endpoints').length > 0;
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
        check(queued('fms', id), `shipment/${copy.id}: belongs to ${name}, and the carrier has no record of it`);
        continue;
      }
      const isScannedOutside = parcels.get(copy.id)?.newestOutsideScanAt !== undefined;
      check(
        copy.state === shipment.state ||
          isScannedOutside ||
          isEndpointGone ||
          queued('carrier-platform', copy.id, WEBHOOK) ||
          queued('fms', id, 'report-unit'),
        `shipment/${copy.id}: ${shipment.state} at the carrier, ${copy.state} at ${name}, and no webhook is on its way`,
      );
    }
  }
  for (const id of shipments.keys()) check(copied.has(id), `shipment/${id}: belongs to no fulfillment order and no return`);
}
