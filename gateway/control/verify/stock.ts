import type { z } from 'zod';
import type { FulfillmentOrder as FulfillmentOrderSchema } from '../../../shared/catalog/fulfillment/objects.ts';
import type { HeldAt } from '../../../shared/catalog/inventory/internal.ts';
import type { Reservation as ReservationSchema } from '../../../shared/catalog/inventory/objects.ts';
import type { HeldWorld } from './held-world.ts';
import { findings, type InvariantResult, sums } from './invariant.ts';
import { LEFT } from './money.ts';

type Reservation = z.output<typeof ReservationSchema>;
type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema> & { readonly reservationId: string };
type Held = z.output<typeof HeldAt>;
/** What the SIM has recorded and the Inventory Service may still have to do. */
interface Movement {
  readonly kind: 'consume' | 'short';
  readonly allocations: readonly Held[];
  readonly pending: boolean;
}
/** What the Inventory Service took for a reservation, and a Reserve Inventory that the SIM has not ended yet. */
interface Hold {
  readonly id: string;
  readonly state: string;
  readonly allocations: readonly Held[];
}
interface Attempt {
  readonly id: string;
  readonly replaces?: string;
}
type Check = ReturnType<typeof findings>['check'];

const keyOf = ({ sku, locationId }: { readonly sku: string; readonly locationId: string }): string => `${sku}|${locationId}`;

export function stock(held: HeldWorld): InvariantResult {
  const { check, result } = findings(
    'stock',
    'Per SKU and location: nothing is negative, open reservations are what is reserved, and no unit appears or vanishes',
  );
  checkCounters(held, check);
  checkLeft(held, check);
  return result();
}

const openOf = ({ allocations }: Reservation): Held[] =>
  allocations.map(({ sku, locationId, qty, fulfilledQty, cancelledQty }) => ({ sku, locationId, qty: qty - fulfilledQty - cancelledQty }));

/** What the counters hold for reservations: open ones, and those whose stock is still to be recorded, moved or given back. */
function heldBack({ of, records, queued }: HeldWorld): Held[] {
  const reservations = of<Reservation>('reservation');
  const known = new Set(reservations.map(({ id }) => id));
  const holds = records<Hold>('inventory-service', 'holds');
  const ended = new Set(holds.filter(({ state }) => state !== 'held').map(({ id }) => id));
  const attempts = records<Attempt>('sim', 'attempts').filter(({ id }) => queued('sim', id, 'abort-hold'));
  const replaced = new Set(attempts.flatMap(({ replaces }) => (replaces !== undefined && ended.has(replaces) ? [replaces] : [])));
  const isUnrecorded = ({ id, state }: Hold): boolean =>
    state === 'held' && !known.has(id) && (queued('sim', id, 'abort-hold') || queued('inventory-service', id, 'finish-allocation'));
  const unrecorded = holds.filter(isUnrecorded);
  const open = reservations.filter(({ id, state }) => (state === 'requested' || state === 'confirmed') && !replaced.has(id));
  const givingBack = reservations.filter(({ id, state }) => OVER.has(state) && queued('sim', id, 'give-back-stock'));
  const pending = records<Movement>('sim', 'movements').filter((movement) => movement.pending);
  return [...open, ...givingBack].flatMap(openOf).concat([...pending, ...unrecorded].flatMap(({ allocations }) => allocations));
}
const OVER: ReadonlySet<string> = new Set(['released', 'expired']);

const UNITS = ['shipped', 'writtenOff', 'returned', 'found', 'scrapped'] as const;

function checkCounters(held: HeldWorld, check: Check): void {
  const counters = held.counters('inventory-service', 'stock');
  const moved = held.counters('inventory-service', 'units-moved');
  const begun = held.seed.applications['inventory-service']?.counters ?? {};
  const seeded = begun['stock'] ?? {};
  const open = sums(heldBack(held), keyOf, ({ qty }) => qty);
  for (const key of new Set([...Object.keys(counters), ...Object.keys(seeded), ...Object.keys(moved), ...open.keys()])) {
    const { onHand = 0, reserved = 0, safetyStock = 0 } = counters[key] ?? {};
    check(onHand >= 0 && reserved >= 0, `stock/${key}: on hand ${onHand}, reserved ${reserved}`);
    check(onHand - reserved - safetyStock >= 0, `stock/${key}: ATP ${onHand - reserved - safetyStock}`);
    check((open.get(key) ?? 0) === reserved, `stock/${key}: open reservations hold ${open.get(key) ?? 0}, reserved is ${reserved}`);
    const [shipped, writtenOff, returned, found] = (['shipped', 'writtenOff', 'returned', 'found'] as const).map(
      // A world may begin where another one was: only what happened since counts.
      (unit) => (moved[key]?.[unit] ?? 0) - (begun['units-moved']?.[key]?.[unit] ?? 0),
    ) as [number, number, number, number];
    const received = seeded[key]?.['onHand'] ?? 0;
    check(
      received + returned + found === onHand + shipped + writtenOff,
      `stock/${key}: received ${received} + returned ${returned} + found ${found} is not on hand ${onHand} + shipped ${shipped} + written off ${writtenOff}`,
    );
    check(
      UNITS.every((unit) => (moved[key]?.[unit] ?? 0) >= 0),
      `stock/${key}: units moved are negative: ${JSON.stringify(moved[key])}`,
    );
  }
}

/** What the FMS sent or missed, what the SIM says left its reservations, and what the Inventory Service took off its counters. */
function checkLeft({ of, records, counters, queued }: HeldWorld, check: Check): void {
  const reservations = of<Reservation>('reservation');
  const moved = counters('inventory-service', 'units-moved');
  const pending = records<Movement>('sim', 'movements').filter((movement) => movement.pending);
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
    fulfillmentOrders.filter(({ state }) => LEFT.has(state)).flatMap((one) => one.lines.map((line) => ({ ...line, ...one }))),
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

function checkReturned(
  fulfillmentOrders: readonly FulfillmentOrder[],
  { moved, queued }: { readonly moved: ReturnType<HeldWorld['counters']>; readonly queued: HeldWorld['queued'] },
  check: Check,
): void {
  const back = fulfillmentOrders.filter(({ id, state }) => state === 'returned-to-sender' && !queued('fms', id, 'restock'));
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
