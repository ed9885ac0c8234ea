import { checkAvailability, reserveInventory } from '../../../shared/catalog/inventory/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type ShortUnits, type StoredOrder } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import { LOOK_AGAIN_MS, NEW_HOLD_TTL_SECONDS } from '../timing.ts';
import { applyProgress } from './apply-progress.ts';
import { tryConfirmHold } from './confirm-hold.ts';
import { cancelUnits } from './progress.ts';
import { createFulfillmentOrdersFor } from './routing.ts';

/** An order, its record, and the units of it that are looked for. */
export interface Looking {
  readonly order: StoredOrder;
  readonly record: FulfillmentRecord;
  readonly units: ShortUnits;
}

const isSame = (one: ShortUnits, other: ShortUnits): boolean =>
  one.fulfillmentOrderId === other.fulfillmentOrderId && one.orderLineId === other.orderLineId;

const withUnits = (record: FulfillmentRecord, units: ShortUnits): FulfillmentRecord => ({
  ...record,
  short: record.short.map((one) => (isSame(one, units) ? units : one)),
});

/**
 * Serves units that were short from another location: held there, noted, confirmed, and given to the FMS as an attempt of their own.
 * Every step may be repeated. Where no location has all of them they are cancelled.
 * @throws Problem when another application does not answer
 */
export async function serveElsewhere({ order, record, units }: Looking, scope: Scope): Promise<void> {
  const { work } = scope;
  const noted = units.status === 'held' ? { record, units } : await holdElsewhere({ order, record, units }, scope);
  if (!noted) {
    const cancelled = cancelUnits(
      order.lines,
      withUnits(record, { ...units, status: 'cancelled' }),
      new Map([[units.orderLineId, units.qty]]),
    );
    await applyProgress(order, { ...cancelled, foundAfterRefund: false }, units.fulfillmentOrderId, scope);
    return;
  }
  const { held } = noted.units;
  if (!held) throw new Error(`The units of ${units.orderLineId} are held nowhere.`);
  if (!(await tryConfirmHold(held.reservationId, order.id, scope))) {
    const { held: _lost, ...lost } = noted.units;
    work.put(fulfillmentRecords, withUnits(noted.record, { ...lost, status: 'open', lostHolds: units.lostHolds + 1 }));
    work.schedule(dueWork.serveShortLines, order.id, work.now + LOOK_AGAIN_MS, {});
    return;
  }
  const line = { orderLineId: units.orderLineId, sku: units.sku, qty: units.qty };
  const { attempt, reservationId, locationId } = held;
  await createFulfillmentOrdersFor(order, { attempt, groups: [{ locationId, reservationId, lines: [line] }] }, scope);
  work.put(fulfillmentRecords, withUnits(noted.record, { ...noted.units, status: 'served' }));
  const all = order.lines.find(({ lineId }) => lineId === units.orderLineId)?.qty === units.qty;
  if (!all) return;
  const lines = order.lines.map((one) => (one.lineId === units.orderLineId ? { ...one, nodeId: locationId, reservationId } : one));
  work.transition(orders, order, 'note', { lines });
}

/**
 * Takes a timed hold at the first other location that has all of the units, and notes it before it is confirmed: what nobody noted
 * ends by itself. A verb that began meanwhile lets the note fail.
 * @returns undefined when no location has them
 */
async function holdElsewhere({ order, record, units }: Looking, scope: Scope): Promise<Omit<Looking, 'order'> | undefined> {
  const { work, call } = scope;
  const { sku, qty } = units;
  for (const locationId of await locationsWith({ order, record, units }, scope)) {
    const body = { orderId: order.id, locationId, items: [{ sku, qty }], ttlSeconds: NEW_HOLD_TTL_SECONDS };
    const step = `short ${units.fulfillmentOrderId} ${units.orderLineId} ${locationId} ${units.lostHolds}`;
    const reservation = await call(reserveInventory, { body }, { intent: order.id, step }).catch(undefinedIfNoStock);
    if (!reservation) continue;
    const attempt = record.attempts + 1;
    const held: ShortUnits = { ...units, status: 'held', held: { reservationId: reservation.id, locationId, attempt } };
    work.expect(orders, order);
    const noted = work.put(fulfillmentRecords, { ...withUnits(record, held), attempts: attempt });
    await work.checkpoint();
    return { record: noted, units: held };
  }
  return undefined;
}

/** By priority, without those where the line was short before. */
async function locationsWith({ record, units }: Looking, { call }: Scope): Promise<string[]> {
  const tried = new Set(record.short.filter(({ orderLineId }) => orderLineId === units.orderLineId).map(({ locationId }) => locationId));
  const { nodes } = await call(checkAvailability, { params: { sku: units.sku }, query: { qty: units.qty } });
  return nodes.filter(({ locationId, atp }) => atp >= units.qty && !tried.has(locationId)).map(({ locationId }) => locationId);
}

/** Sold meanwhile: the next location. */
function undefinedIfNoStock(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'insufficient_stock') return undefined;
  throw error;
}
