import type { z } from 'zod';
import type { FulfillmentOrder as FulfillmentOrderSchema } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { HeldAt } from '../../../shared/catalog/inventory/internal.ts';
import type { Reservation as ReservationSchema } from '../../../shared/catalog/inventory/objects.ts';
import type { Order as OrderSchema } from '../../../shared/catalog/order/objects.ts';
import { checkEndedHolds } from './ended-holds.ts';
import { isBack } from './fulfilment.ts';
import type { HeldWorld } from './held-world.ts';
import { findings, type InvariantResult, sums } from './invariant.ts';
import { LEFT } from './money.ts';

type Order = z.output<typeof OrderSchema>;
type Reservation = z.output<typeof ReservationSchema>;
type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema> & { readonly reservationId: string };
type Held = z.output<typeof HeldAt>;
/** What the SIM has recorded and the Inventory Service may still have to do. */
interface Movement {
  readonly reservationId: string;
  readonly reference: string;
  readonly kind: 'consume' | 'short';
  readonly allocations: readonly Held[];
  readonly pending: boolean;
}
/** What the Inventory Service took for a reservation, and a Reserve Inventory that the SIM has not ended yet. */
interface Hold {
  readonly id: string;
  readonly state: string;
  readonly allocations: readonly Held[];
  readonly moved?: readonly { readonly reference: string; readonly allocations: readonly Held[] }[];
}
interface Attempt {
  readonly id: string;
  readonly replaces?: readonly string[];
}
type Check = ReturnType<typeof findings>['check'];

const keyOf = ({ sku, locationId }: { readonly sku: string; readonly locationId: string }): string => `${sku}|${locationId}`;

export function stock(held: HeldWorld): InvariantResult {
  const { check, result } = findings(
    'stock',
    'Per SKU and location: nothing is negative, open reservations are what is reserved, no unit appears or vanishes, and nothing is held for what has ended',
  );
  checkCounters(held, check);
  checkHolds(held, check);
  checkLeft(held, check);
  checkCarriedOut(held, check);
  checkEndedHolds(held, check);
  return result();
}

/** Units, and the reservation that they are held for. */
type HeldFor = Held & { readonly reservationId: string };

const heldFor = (reservationId: string, held: readonly Held[]): HeldFor[] => held.map((one) => ({ ...one, reservationId }));

const openOf = ({ id, allocations }: Reservation): HeldFor[] =>
  allocations.map(({ sku, locationId, qty, fulfilledQty, cancelledQty }) => ({
    ...{ reservationId: id, sku, locationId },
    qty: qty - fulfilledQty - cancelledQty,
  }));

/** What a hold still has there. */
const restOf = ({ id, allocations, moved = [] }: Hold): HeldFor[] => [
  ...heldFor(id, allocations),
  ...moved.flatMap((movement) => heldFor(id, movement.allocations)).map((one) => ({ ...one, qty: -one.qty })),
];

/** Movements that the Inventory Service has still to make; one whose answer alone was lost is made. */
function stillToMove({ records }: HeldWorld): Movement[] {
  const made = new Set(
    records<Hold>('inventory-service', 'holds').flatMap(({ id, moved = [] }) => moved.map(({ reference }) => `${id}|${reference}`)),
  );
  return records<Movement>('sim', 'movements').filter(
    ({ pending, reservationId, reference }) => pending && !made.has(`${reservationId}|${reference}`),
  );
}

/** What the counters hold for reservations: open ones, and those whose stock is still to be recorded, moved or given back. */
function heldBack(held: HeldWorld): HeldFor[] {
  const { of, records, queued } = held;
  const reservations = of<Reservation>('reservation');
  const known = new Set(reservations.map(({ id }) => id));
  const holds = records<Hold>('inventory-service', 'holds');
  const ended = new Set(holds.filter(({ state }) => state !== 'held').map(({ id }) => id));
  const attempts = records<Attempt>('sim', 'attempts').filter(({ id }) => queued('sim', id, 'abort-hold'));
  const replaced = new Set(attempts.flatMap(({ replaces = [] }) => replaces.filter((id) => ended.has(id))));
  const isUnrecorded = ({ id, state }: Hold): boolean =>
    state === 'held' && !known.has(id) && (queued('sim', id, 'abort-hold') || queued('inventory-service', id, 'finish-allocation'));
  const unrecorded = holds.filter(isUnrecorded);
  const open = reservations.filter(({ id, state }) => (state === 'requested' || state === 'confirmed') && !replaced.has(id));
  // Of one whose hold has ended only the answer was lost: its stock is back.
  const givingBack = reservations.filter(({ id, state }) => OVER.has(state) && queued('sim', id, 'give-back-stock') && !ended.has(id));
  return [
    ...[...open, ...givingBack].flatMap(openOf),
    ...stillToMove(held).flatMap(({ reservationId, allocations }) => heldFor(reservationId, allocations)),
    ...unrecorded.flatMap(({ id, allocations }) => heldFor(id, allocations)),
  ];
}
const OVER: ReadonlySet<string> = new Set(['released', 'expired']);

const UNITS = ['shipped', 'writtenOff', 'returned', 'found', 'scrapped', 'foundAndSold'] as const;

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
    const [shipped, writtenOff, returned, found, recounted] = (['shipped', 'writtenOff', 'returned', 'found', 'recounted'] as const).map(
      // A world may begin where another one was: only what happened since counts.
      (unit) => (moved[key]?.[unit] ?? 0) - (begun['units-moved']?.[key]?.[unit] ?? 0),
    ) as [number, number, number, number, number];
    const received = seeded[key]?.['onHand'] ?? 0;
    check(
      received + returned + found + recounted === onHand + shipped + writtenOff,
      `stock/${key}: received ${received} + returned ${returned} + found ${found} + recounted ${recounted} is not on hand ${onHand} + shipped ${shipped} + written off ${writtenOff}`,
    );
    check(
      UNITS.every((unit) => (moved[key]?.[unit] ?? 0) >= 0),
      `stock/${key}: units moved are negative: ${JSON.stringify(moved[key])}`,
    );
  }
}

/** Each reservation by itself: a unit that one lacks and another has too many of would not show in the counters. */
function checkHolds(held: HeldWorld, check: Check): void {
  const holds = held.records<Hold>('inventory-service', 'holds').filter(({ state }) => state === 'held');
  const byReservation = (units: readonly HeldFor[]) =>
    sums(
      units,
      (one) => `reservation/${one.reservationId}: of ${keyOf(one)}`,
      ({ qty }) => qty,
    );
  const said = byReservation(heldBack(held));
  const there = byReservation(holds.flatMap(restOf));
  for (const key of new Set([...said.keys(), ...there.keys()])) {
    const [has = 0, counted = 0] = [said.get(key), there.get(key)];
    check(has === counted, `${key} it has ${has}, and ${counted} are held for it`);
  }
}

/** What the FMS sent or missed, what the SIM says left its reservations, and what the Inventory Service took off its counters. */
function checkLeft(held: HeldWorld, check: Check): void {
  const { of, counters, queued } = held;
  const reservations = of<Reservation>('reservation');
  const moved = counters('inventory-service', 'units-moved');
  const pending = stillToMove(held);
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

/** What customers carried out of a store left the hold of their sale, or was found and sold: every unit once. */
function checkCarriedOut({ of, records }: HeldWorld, check: Check): void {
  const reservations = new Map(of<Reservation>('reservation').map((reservation) => [reservation.id, reservation]));
  const booked = new Map(records<{ id: string; qty: number }>('inventory-service', 'stock-movements').map(({ id, qty }) => [id, qty]));
  const counted = new Set(records<{ id: string }>('inventory-service', 'skus').map(({ id }) => id));
  const sales = of<Order>('order').filter(({ channel, completedAt }) => channel === 'pos' && completedAt !== undefined);
  for (const { id, lines } of sales) {
    const holds = new Set(lines.flatMap(({ reservationId }) => reservations.get(reservationId ?? '') ?? []));
    const skuOf = ({ sku }: { readonly sku: string }): string => sku;
    const left = sums(
      [...holds].flatMap(({ allocations }) => allocations),
      skuOf,
      ({ fulfilledQty }) => fulfilledQty,
    );
    for (const [sku, qty] of sums(lines, skuOf, ({ fulfilledQty }) => fulfilledQty)) {
      const found = booked.get(`carry-out ${id} ${sku}`) ?? 0;
      const accounted = (left.get(sku) ?? 0) + found;
      check(
        qty === accounted || !counted.has(sku),
        `order/${id}: ${qty} × ${sku} were carried out, ${left.get(sku) ?? 0} left its hold and ${found} were found and sold`,
      );
    }
  }
}

function checkReturned(
  fulfillmentOrders: readonly FulfillmentOrder[],
  { moved, queued }: { readonly moved: ReturnType<HeldWorld['counters']>; readonly queued: HeldWorld['queued'] },
  check: Check,
): void {
  const back = fulfillmentOrders.filter((one) => isBack(one) && !queued('fms', one.id, 'restock'));
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
