import { isBackAtSender } from './fulfillment.ts';
import { type Check, sums } from './invariant.ts';
import { SHIPPED_STATES } from './money.ts';
import { type FulfillmentOrder, keyOf, pendingMovements, type Reservation } from './reserved-units.ts';
import type { WorldRecords } from './world-records.ts';

/** Shipped, written-off and returned units: FMS, SIM and Inventory Service must agree. */
export function checkShipped(world: WorldRecords, check: Check): void {
  checkConsumed(world, check);
  checkSent(world, check);
  checkReturned(world, check);
}

/** The units that left the reservations of the SIM must equal the units that the Inventory Service has subtracted, or still has to subtract. */
function checkConsumed(world: WorldRecords, check: Check): void {
  const allocations = world.of<Reservation>('reservation').flatMap((reservation) => reservation.allocations);
  const moved = world.counters('inventory-service', 'units-moved');
  const pending = pendingMovements(world);
  for (const [kind, counter, member] of [
    ['consume', 'shipped', 'fulfilledQty'],
    ['short', 'writtenOff', 'cancelledQty'],
  ] as const) {
    const reserved = sums(allocations, keyOf, (allocation) => allocation[member]);
    const movements = pending.filter((movement) => movement.kind === kind);
    const outstanding = sums(
      movements.flatMap((movement) => movement.allocations),
      keyOf,
      ({ qty }) => qty,
    );
    for (const key of new Set([...reserved.keys(), ...Object.keys(moved)])) {
      const said = reserved.get(key) ?? 0;
      const counted = (moved[key]?.[counter] ?? 0) + (outstanding.get(key) ?? 0);
      check(said === counted, `stock/${key}: reservations say ${said} ${counter}, the counters say ${counted}`);
    }
  }
}

/** The units that left a reservation must equal the units that its fulfillment orders sent. */
function checkSent({ of, queued }: WorldRecords, check: Check): void {
  const fulfillmentOrders = of<FulfillmentOrder>('fulfillment-order');
  const busy = new Set(fulfillmentOrders.filter(({ id }) => queued('fms', id)).map(({ reservationId }) => reservationId));
  const sentUnits = sums(
    fulfillmentOrders.filter(({ state }) => SHIPPED_STATES.has(state)).flatMap((one) => one.lines.map((line) => ({ ...line, ...one }))),
    ({ reservationId, locationId, sku }) => `${reservationId}|${sku}|${locationId}`,
    ({ pickedQty }) => pickedQty,
  );
  const sending = new Set(fulfillmentOrders.map(({ reservationId }) => reservationId));
  for (const { id, allocations } of of<Reservation>('reservation')) {
    if (!sending.has(id) || busy.has(id)) continue;
    for (const [key, qty] of sums(allocations, keyOf, ({ fulfilledQty }) => fulfilledQty)) {
      const sent = sentUnits.get(`${id}|${key}`) ?? 0;
      check(qty === sent, `reservation/${id}: ${qty} of ${key} left it, and its fulfillment orders sent ${sent}`);
    }
  }
}

/** Units that are back at the sender must be on hand again. */
function checkReturned({ of, counters, queued }: WorldRecords, check: Check): void {
  const moved = counters('inventory-service', 'units-moved');
  const back = of<FulfillmentOrder>('fulfillment-order').filter((one) => isBackAtSender(one) && !queued('fms', one.id, 'restock'));
  const cameBack = sums(
    back.flatMap(({ locationId, lines }) => lines.map(({ sku, pickedQty }) => ({ sku, locationId, pickedQty }))),
    keyOf,
    ({ pickedQty }) => pickedQty,
  );
  for (const [key, qty] of cameBack) {
    const returned = moved[key]?.['returned'] ?? 0;
    const ids = back.map(({ id }) => `fulfillment-order/${id}`).join(', ');
    check(returned >= qty, `stock/${key}: ${qty} came back with ${ids}, and ${returned} were put back`);
  }
}
