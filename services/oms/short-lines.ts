import { checkAvailability, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { undefinedIf } from '../../shared/catalog/problems.ts';
import { handleDue, type Scope } from '../../shared/work/handler.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type ShortUnits, type StoredOrder } from './collections.ts';
import { NEW_RESERVATION_TTL_SECONDS, RECHECK_MS, serveShortLinesDue } from './due-work.ts';
import { applyProgress, cancelUnits, isMoving } from './fulfillment.ts';
import { nodesOf, type OrderLine, servedFrom } from './lines.ts';
import { createFulfillmentOrdersFor, tryConfirmReservation } from './routing.ts';

/** Serves or cancels short units, one entry of the record at a time. */
export const serveShortLines = handleDue(serveShortLinesDue)(async ({ key }, scope) => {
  const { work } = scope;
  const order = await work.get(orders, key);
  const record = await work.get(fulfillmentRecords, key);
  if (!order || !record || !isMoving(order)) return;
  const open = record.short.filter(({ status }) => status === 'open' || status === 'held');
  const [units] = open;
  if (!units) return;
  if (order.pendingAction) {
    work.schedule(serveShortLinesDue, key, work.now + RECHECK_MS, {});
    return;
  }
  if (open.length > 1) work.schedule(serveShortLinesDue, key, work.now, {});
  await serveElsewhere({ order, record, units }, scope);
});

/** An order, its record, and short units of it. */
interface ShortCase {
  readonly order: StoredOrder;
  readonly record: FulfillmentRecord;
  readonly units: ShortUnits;
}

const isSame = (one: ShortUnits, other: ShortUnits): boolean =>
  one.fulfillmentOrderId === other.fulfillmentOrderId && one.orderLineId === other.orderLineId && one.part === other.part;

/** @param rest units that `units` no longer includes, as a separate entry */
const withUnits = (record: FulfillmentRecord, units: ShortUnits, rest: readonly ShortUnits[] = []): FulfillmentRecord => ({
  ...record,
  short: record.short.flatMap((one) => (isSame(one, units) ? [units, ...rest] : [one])),
});

/**
 * Serves short units from another location: makes a reservation there, stores it, confirms it, and requests a fulfillment order from the
 * FMS as a separate attempt. Every step may be repeated. Units that this location lacks stay open for the next one. Units that no location
 * has are cancelled.
 * @throws Problem when another application does not answer
 */
async function serveElsewhere({ order, record, units }: ShortCase, scope: Scope): Promise<void> {
  const { work } = scope;
  const noted = await heldElsewhere({ order, record, units }, scope);
  if (!noted) {
    const cancelled = cancelUnits(order, withUnits(record, { ...units, status: 'cancelled' }), new Map([[units.orderLineId, units.qty]]));
    await applyProgress(order, { ...cancelled, foundAfterRefund: false }, units.fulfillmentOrderId, scope);
    return;
  }
  const { held } = noted.units;
  if (!held) throw new Error(`The short units of ${units.orderLineId} have no reservation.`);
  if (!(await tryConfirmReservation(held.reservationId, order.id, scope))) {
    const { held: _lost, ...lost } = noted.units;
    work.put(fulfillmentRecords, withUnits(noted.record, { ...lost, status: 'open', lostHolds: units.lostHolds + 1 }));
    work.schedule(serveShortLinesDue, order.id, work.now + RECHECK_MS, {});
    return;
  }
  const line = { orderLineId: units.orderLineId, sku: units.sku, qty: noted.units.qty };
  const { attempt, reservationId, locationId } = held;
  const replacementId = record.seen.find(({ id }) => id === units.fulfillmentOrderId)?.replacementId;
  const groups = [{ locationId, reservationId, lines: [line] }];
  const [servedBy] = await createFulfillmentOrdersFor(order, { attempt, groups, replacementId }, scope);
  work.put(fulfillmentRecords, withUnits(noted.record, { ...noted.units, status: 'served', servedBy }));
  if (!hasLeftNode(order, noted)) return;
  const lines = order.lines.map((one) => (one.lineId === units.orderLineId ? movedLine(one, units.locationId, held) : one));
  work.transition(orders, order, 'note', { lines });
}

async function heldElsewhere(found: ShortCase, scope: Scope): Promise<Omit<ShortCase, 'order'> | undefined> {
  if (found.units.status === 'held') return found;
  return found.order.shortage === 'cancel' ? undefined : reserveElsewhere(found, scope);
}

/** Whether a node of the line serves none of its units any more. Then the line gets the first location that serves some. */
function hasLeftNode({ lines }: StoredOrder, { record, units }: Omit<ShortCase, 'order'>): boolean {
  const line = lines.find(({ lineId }) => lineId === units.orderLineId);
  const node = line && nodesOf(line).find(({ locationId }) => locationId === units.locationId);
  const seen = record.seen.find(({ id }) => id === units.fulfillmentOrderId);
  return node !== undefined && seen?.lines.find(({ orderLineId }) => orderLineId === units.orderLineId)?.shortQty === node.qty;
}

/** The line with another node. The reservation of a line with several nodes stays, because the others use it. */
function movedLine(line: OrderLine, from: string, { locationId, reservationId }: NonNullable<ShortUnits['held']>): OrderLine {
  const nodes = nodesOf(line).map((at) => (at.locationId === from ? { ...at, locationId } : at));
  return { ...servedFrom(line, nodes), reservationId: line.nodes ? line.reservationId : reservationId };
}

/**
 * Makes a timed reservation at another location, and stores it before it is confirmed: one that was not stored expires. If another action
 * has begun, the commit fails.
 * @returns undefined if no location has any of the units
 */
async function reserveElsewhere({ order, record, units }: ShortCase, scope: Scope): Promise<Omit<ShortCase, 'order'> | undefined> {
  const { work, call } = scope;
  for (const { locationId, qty } of await locationsWith({ order, record, units }, scope)) {
    const body = { orderId: order.id, locationId, items: [{ sku: units.sku, qty }], ttlSeconds: NEW_RESERVATION_TTL_SECONDS };
    const { fulfillmentOrderId, orderLineId, part = 0, lostHolds } = units;
    const step = `short ${fulfillmentOrderId} ${orderLineId} ${part} ${locationId} ${qty} ${lostHolds}`;
    const reservation = await call(reserveInventory, { body }, { intent: order.id, step }).catch(undefinedIf('insufficient_stock'));
    if (!reservation) continue;
    const attempt = record.attempts + 1;
    const held: ShortUnits = { ...units, qty, status: 'held', held: { reservationId: reservation.id, locationId, attempt } };
    const rest = qty < units.qty ? [{ ...units, qty: units.qty - qty, part: nextPart(record, units) }] : [];
    work.expect(orders, order);
    const noted = work.put(fulfillmentRecords, { ...withUnits(record, held, rest), attempts: attempt });
    if (rest.length > 0) work.schedule(serveShortLinesDue, order.id, work.now, {});
    await work.checkpoint();
    return { record: noted, units: held };
  }
  return undefined;
}

const nextPart = ({ short }: FulfillmentRecord, { fulfillmentOrderId, orderLineId }: ShortUnits): number =>
  short.filter((one) => one.fulfillmentOrderId === fulfillmentOrderId && one.orderLineId === orderLineId).length;

/**
 * Locations with the units that each can serve. To send few parcels, locations with all units come first, by priority; the others are sorted
 * by units. Locations where the line was short before are left out. The store where the customer collects the goods comes before equal ones.
 */
async function locationsWith({ order, record, units }: ShortCase, { call }: Scope): Promise<{ locationId: string; qty: number }[]> {
  const tried = new Set(record.short.filter(({ orderLineId }) => orderLineId === units.orderLineId).map(({ locationId }) => locationId));
  const isStore = ({ locationId }: { readonly locationId: string }): boolean => locationId === order.collection?.locationId;
  const { nodes } = await call(checkAvailability, { params: { sku: units.sku }, query: { qty: units.qty } });
  return nodes
    .filter(({ locationId, atp }) => atp > 0 && !tried.has(locationId))
    .map(({ locationId, atp }) => ({ locationId, qty: Math.min(atp, units.qty) }))
    .toSorted((one, other) => other.qty - one.qty || Number(isStore(other)) - Number(isStore(one)));
}
