import { isBackAtSender } from './fulfillment.ts';
import { type findings, sums } from './invariant.ts';
import { SHIPPED_STATES } from './money.ts';
import { type FulfillmentOrder, keyOf, type Movement, pendingMovements, type Reservation } from './reserved-units.ts';
import type { WorldRecords } from './world-records.ts';

type Check = ReturnType<typeof findings>['check'];

/** Units shipped or written off must be the same at the FMS, in the reservations of the SIM, and in the counters of the Inventory Service. */
export function checkShipped(world: WorldRecords, check: Check): void {
  const { of, counters, queued } = world;
  const reservations = of<Reservation>('reservation');
  const moved = counters('inventory-service', 'units-moved');
  const pending = pendingMovements(world);
  const waiting = (kind: Movement['kind']) =>
    sums(
      pending.filter((movement) => movement.kind === kind).flatMap(({ allocations }) => allocations),
      keyOf,
      ({ qty }) => qty,
    );
  for (const [kind, counter, member] of [
    ['consume', 'shipped', 'fulfilledQty'],
    ['short', 'writtenOff', 'cancelledQty'],
  ] as const) {
    const said = sums(
      reservations.flatMap(({ allocations }) => allocations),
      keyOf,
      (allocation) => allocation[member],
    );
    const still = waiting(kind);
    for (const key of new Set([...said.keys(), ...Object.keys(moved)])) {
      const there = (moved[key]?.[counter] ?? 0) + (still.get(key) ?? 0);
      check((said.get(key) ?? 0) === there, `stock/${key}: reservations say ${said.get(key) ?? 0} ${counter}, the counters say ${there}`);
    }
  }
  const fulfillmentOrders = of<FulfillmentOrder>('fulfillment-order');
  const busy = new Set(fulfillmentOrders.filter(({ id }) => queued('fms', id)).map(({ reservationId }) => reservationId));
  const left = sums(
    fulfillmentOrders.filter(({ state }) => SHIPPED_STATES.has(state)).flatMap((one) => one.lines.map((line) => ({ ...line, ...one }))),
    ({ reservationId, locationId, sku }) => `${reservationId}|${sku}|${locationId}`,
    ({ pickedQty }) => pickedQty,
  );
  const sending = new Set(fulfillmentOrders.map(({ reservationId }) => reservationId));
  for (const { id, allocations } of reservations.filter((one) => sending.has(one.id) && !busy.has(one.id))) {
    const fulfilled = sums(allocations, keyOf, ({ fulfilledQty }) => fulfilledQty);
    for (const [key, qty] of fulfilled) {
      const sent = left.get(`${id}|${key}`) ?? 0;
      check(qty === sent, `reservation/${id}: ${qty} of ${key} left it, and its fulfillment orders sent ${sent}`);
    }
  }
  checkReturned(fulfillmentOrders, { moved, queued }, check);
}

/** Units that are back at the sender must be on hand again. */
function checkReturned(
  fulfillmentOrders: readonly FulfillmentOrder[],
  { moved, queued }: { readonly moved: ReturnType<WorldRecords['counters']>; readonly queued: WorldRecords['queued'] },
  check: Check,
): void {
  const back = fulfillmentOrders.filter((one) => isBackAtSender(one) && !queued('fms', one.id, 'restock'));
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
