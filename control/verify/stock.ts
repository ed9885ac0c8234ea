import type { z } from 'zod';
import { BEFORE_DISPATCH, isAtCounter, isTransfer } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { HeldAt } from '../../shared/catalog/inventory/internal.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import { checkEndedReservations } from './ended-reservations.ts';
import { backAt, isBackAtSender } from './fulfillment.ts';
import { type Check, findings, type InvariantResult, sums } from './invariant.ts';
import { type FulfillmentOrder, isOnWayToStore, leftFrom, type Order, type Reservation } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

export async function stock(world: WorldRecords, breathe: Breathe): Promise<InvariantResult> {
  const { check, result } = findings('stock');
  await checkStockLevels(world, check, breathe);
  checkReservations(world, check);
  checkSources(world, check);
  checkCounters(world, check);
  checkShipped(world, check);
  checkCarryOuts(world, check);
  checkEndedReservations(world, check);
  return result();
}

const UNITS = ['shipped', 'carriedOut', 'writtenOff', 'returned', 'found', 'scrapped', 'foundAndSold', 'sent', 'received'] as const;

/** Stock levels are never negative, match the open reservations, and add up to what was received. */
async function checkStockLevels(world: WorldRecords, check: Check, breathe: Breathe): Promise<void> {
  const counters = world.counters('inventory-service', 'stock');
  const moved = world.counters('inventory-service', 'units-moved');
  const atSeed = world.seed.applications['inventory-service']?.counters ?? {};
  const seeded = atSeed['stock'] ?? {};
  const reservedByKey = sums(reservedUnits(world), keyOf, ({ qty }) => qty);
  for (const key of new Set([...Object.keys(counters), ...Object.keys(seeded), ...Object.keys(moved), ...reservedByKey.keys()])) {
    const waiting = breathe();
    if (waiting) await waiting;
    const { onHand = 0, reserved = 0, safetyStock = 0 } = counters[key] ?? {};
    check(onHand >= 0 && reserved >= 0, `stock/${key}: on hand ${onHand}, reserved ${reserved}`);
    check(onHand - reserved - safetyStock >= 0, `stock/${key}: ATP ${onHand - reserved - safetyStock}`);
    check(
      (reservedByKey.get(key) ?? 0) === reserved,
      `stock/${key}: open reservations have ${reservedByKey.get(key) ?? 0} units, and ${reserved} are reserved`,
    );
    const [shipped, carriedOut, writtenOff, returned, found, recounted, sent, arrived] = (
      ['shipped', 'carriedOut', 'writtenOff', 'returned', 'found', 'recounted', 'sent', 'received'] as const
    ).map(
      // A world may be seeded from another one: only changes since the seed count.
      (unit) => (moved[key]?.[unit] ?? 0) - (atSeed['units-moved']?.[key]?.[unit] ?? 0),
    ) as [number, number, number, number, number, number, number, number];
    const received = seeded[key]?.['onHand'] ?? 0;
    check(
      received + returned + found + recounted === onHand + shipped + carriedOut + writtenOff + sent - arrived,
      `stock/${key}: received ${received} + returned ${returned} + found ${found} + recounted ${recounted} is not on hand ${onHand} + shipped ${shipped} + carried out ${carriedOut} + written off ${writtenOff} + sent to stores ${sent} − received from warehouses ${arrived}`,
    );
    check(
      UNITS.every((unit) => (moved[key]?.[unit] ?? 0) >= 0),
      `stock/${key}: units moved are negative: ${JSON.stringify(moved[key])}`,
    );
  }
}

const qtyOf = ({ qty }: { readonly qty: number }): number => qty;

/** Compares each reservation with its own units. In the sum, one unit too many and one too few would cancel out. */
function checkReservations(world: WorldRecords, check: Check): void {
  const holds = world.records<Hold>('inventory-service', 'holds').filter(({ state }) => state === 'held');
  const reservationOf = (one: HeldFor): string => `reservation/${one.reservationId} ${keyOf(one)}`;
  const byReservation = (units: readonly HeldFor[]) => sums(units, reservationOf, qtyOf);
  const inReservations = byReservation(reservedUnits(world));
  const inHolds = byReservation(holds.flatMap(remainingUnitsOf));
  for (const key of new Set([...inReservations.keys(), ...inHolds.keys()])) {
    const [has = 0, counted = 0] = [inReservations.get(key), inHolds.get(key)];
    check(has === counted, `${key}: it has ${has}, and ${counted} are reserved for it`);
  }
}

/** The warehouse works for a confirmed reservation. The units of any other one may be sold again. */
function checkSources({ of, swapped }: WorldRecords, check: Check): void {
  if (swapped.has('sim')) return;
  const states = new Map(of<Reservation>('reservation').map(({ id, state }) => [id, state]));
  for (const one of of<FulfillmentOrder>('fulfillment-order')) {
    const { id, state, reservationId, lines } = one;
    if (!(BEFORE_DISPATCH.has(state) || isAtCounter(one) || isOnWayToStore(one)) || lines.every(({ qty, shortQty }) => shortQty >= qty))
      continue;
    const held = states.get(reservationId) ?? 'missing';
    check(held === 'confirmed', `fulfillment-order/${id}: ${state}, and its reservation/${reservationId} is ${held}`);
  }
}

/** Goods that wait at a counter are in the store, and promised to their order: its reservation has them. */
function checkCounters({ of, queued, swapped }: WorldRecords, check: Check): void {
  if (swapped.has('sim')) return;
  const reservations = new Map(of<Reservation>('reservation').map((reservation) => [reservation.id, reservation]));
  for (const one of of<FulfillmentOrder>('fulfillment-order').filter(isAtCounter)) {
    const { id, reservationId, lines, collection } = one;
    const locationId = collection?.locationId ?? one.locationId;
    if (queued('fms', id, 'take-stock')) continue;
    const reservation = reservations.get(reservationId);
    const promised = sums(reservation ? openUnitsOf(reservation) : [], keyOf, qtyOf);
    for (const [key, waiting] of sums(
      lines,
      ({ sku }) => keyOf({ sku, locationId }),
      ({ pickedQty }) => pickedQty,
    )) {
      const has = promised.get(key) ?? 0;
      check(
        has >= waiting,
        `fulfillment-order/${id}: ${waiting} of ${key} wait at the counter, and reservation/${reservationId} has ${has}`,
      );
    }
  }
}

type Held = z.output<typeof HeldAt>;
/** A change of stock that the SIM recorded; `pending` until the Inventory Service has confirmed it. */
interface Movement {
  readonly reservationId: string;
  readonly reference: string;
  readonly kind: 'consume' | 'short' | 'give-back' | 'send' | 'receive' | 'not-received';
  readonly allocations: readonly Held[];
  readonly pending: boolean;
}
/** The reserved units as the Inventory Service stores them. */
interface Hold {
  readonly id: string;
  readonly state: string;
  readonly allocations: readonly Held[];
  readonly moved?: readonly { readonly reference: string; readonly kind: string; readonly allocations: readonly Held[] }[];
}
/** A request of Reserve Inventory that the SIM has not finished. */
interface Attempt {
  readonly id: string;
  readonly replaces?: readonly string[];
}

const ENDED_STATES: ReadonlySet<string> = new Set(['released', 'expired']);

export const keyOf = ({ sku, locationId }: { readonly sku: string; readonly locationId: string }): string => `${sku}|${locationId}`;

/** Reserved units, with their reservation. */
type HeldFor = Held & { readonly reservationId: string };

const heldFor = (reservationId: string, held: readonly Held[]): HeldFor[] => held.map((one) => ({ ...one, reservationId }));

/** Units on their way to a store are in no stock, so nothing is reserved for them. */
const openUnitsOf = ({ id, allocations }: Reservation): HeldFor[] =>
  allocations
    .filter(({ inTransitTo }) => inTransitTo === undefined)
    .map(({ sku, locationId, qty, fulfilledQty, cancelledQty }) => ({
      reservationId: id,
      sku,
      locationId,
      qty: qty - fulfilledQty - cancelledQty,
    }));

/** The remaining units of a reservation. */
const remainingUnitsOf = ({ id, allocations, moved = [] }: Hold): HeldFor[] => [
  ...heldFor(id, allocations),
  ...moved.flatMap(({ kind, allocations: units }) => heldFor(id, units).map((one) => ({ ...one, qty: -outgoing(kind) * one.qty }))),
];

/** How many units a movement takes out of the reserved units, for each of its units. */
const outgoing = (kind: string): number => (kind === 'not-received' ? 0 : kind === 'receive' ? -1 : 1);

/**
 * Movements that the Inventory Service has not made yet. A movement may have been made without the SIM having a record of it, because the
 * answer was lost.
 */
function pendingMovements({ records }: WorldRecords): Movement[] {
  const made = new Set(
    records<Hold>('inventory-service', 'holds').flatMap(({ id, moved = [] }) => moved.map(({ reference }) => `${id}|${reference}`)),
  );
  return records<Movement>('sim', 'movements').filter(
    ({ pending, reservationId, reference }) => pending && !made.has(`${reservationId}|${reference}`),
  );
}

/** The expected value of the reserved counters: units of open reservations, and units that are still to be recorded, moved or released. */
function reservedUnits(world: WorldRecords): HeldFor[] {
  const { of, records, queued } = world;
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
  // If the reservation has ended, the stock was given back, and only the answer was lost.
  const givingBack = reservations.filter(
    ({ id, state }) => ENDED_STATES.has(state) && queued('sim', id, 'give-back-stock') && !ended.has(id),
  );
  return [
    ...[...open, ...givingBack].flatMap(openUnitsOf),
    ...pendingMovements(world).flatMap(({ reservationId, kind, allocations }) =>
      heldFor(reservationId, allocations).map((one) => ({ ...one, qty: outgoing(kind) * one.qty })),
    ),
    ...unrecorded.flatMap(({ id, allocations }) => heldFor(id, allocations)),
  ];
}

/** Shipped, written-off and returned units: FMS, SIM and Inventory Service must agree. */
function checkShipped(world: WorldRecords, check: Check): void {
  checkConsumed(world, check);
  checkSent(world, check);
  checkReturned(world, check);
  checkTransfers(world, check);
}

/** Units on their way to a store are in no stock: per SKU, the warehouses sent as many more units than the stores received. */
function checkTransfers(world: WorldRecords, check: Check): void {
  const { of, queued, swapped } = world;
  if (swapped.has('sim') || swapped.has('fms')) return;
  const skuOf = ({ sku }: { readonly sku: string }): string => sku;
  const sending = of<FulfillmentOrder>('fulfillment-order').filter(isTransfer);
  const onTheWay = sums(
    sending.filter(isOnWayToStore).flatMap(({ lines }) => lines),
    skuOf,
    ({ pickedQty }) => pickedQty,
  );
  const busy = new Set(sending.filter(({ id }) => queued('fms', id, 'take-stock')).flatMap(({ lines }) => lines.map(skuOf)));
  for (const { kind, allocations } of pendingMovements(world)) {
    if (kind !== 'consume' && kind !== 'short' && kind !== 'give-back') for (const { sku } of allocations) busy.add(sku);
  }
  const left = new Map<string, number>();
  for (const [key, { sent = 0, received = 0 }] of Object.entries(world.counters('inventory-service', 'units-moved'))) {
    const [sku = ''] = key.split('|');
    left.set(sku, (left.get(sku) ?? 0) + sent - received);
  }
  for (const sku of new Set([...onTheWay.keys(), ...left.keys()])) {
    const [moving = 0, counted = 0] = [onTheWay.get(sku), left.get(sku)];
    check(
      busy.has(sku) || moving === counted,
      `stock/${sku}: ${counted} are on their way to stores, and fulfillment orders sent ${moving}`,
    );
  }
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
    const movements = pending.filter((movement) => movement.kind === kind || (kind === 'consume' && movement.kind === 'not-received'));
    const waiting = movements.flatMap((movement) => movement.allocations);
    const outstanding = sums(waiting, keyOf, qtyOf);
    for (const key of new Set([...reserved.keys(), ...Object.keys(moved)])) {
      const said = reserved.get(key) ?? 0;
      const counted = (moved[key]?.[counter] ?? 0) + (outstanding.get(key) ?? 0);
      check(said === counted, `stock/${key}: ${said} ${counter} in the reservations, and ${counted} in the counters`);
    }
  }
}

/** The units that left a reservation must equal the units that its fulfillment orders sent. */
function checkSent({ of, queued }: WorldRecords, check: Check): void {
  const fulfillmentOrders = of<FulfillmentOrder>('fulfillment-order');
  const busy = new Set(fulfillmentOrders.filter(({ id }) => queued('fms', id)).map(({ reservationId }) => reservationId));
  const sentUnits = sums(
    fulfillmentOrders.flatMap((one) => {
      const locationId = leftFrom(one);
      return locationId === undefined ? [] : one.lines.map((line) => ({ ...line, reservationId: one.reservationId, locationId }));
    }),
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
    back.flatMap((one) => one.lines.map(({ sku, pickedQty }) => ({ sku, locationId: backAt(one), pickedQty }))),
    keyOf,
    ({ pickedQty }) => pickedQty,
  );
  for (const [key, qty] of cameBack) {
    const returned = moved[key]?.['returned'] ?? 0;
    const ids = back.map(({ id }) => `fulfillment-order/${id}`).join(', ');
    check(returned >= qty, `stock/${key}: ${qty} came back with ${ids}, and ${returned} are on hand again`);
  }
}

/** Each unit that a customer carried out of a store left the reservation of the sale once, or was booked without a reservation. */
function checkCarryOuts({ of, records }: WorldRecords, check: Check): void {
  const reservations = new Map(of<Reservation>('reservation').map((reservation) => [reservation.id, reservation]));
  const booked = new Map(records<{ id: string; qty: number }>('inventory-service', 'stock-movements').map(({ id, qty }) => [id, qty]));
  const counted = new Set(records<{ id: string }>('inventory-service', 'skus').map(({ id }) => id));
  const sales = of<Order>('order').filter(({ channel, completedAt }) => channel === 'pos' && completedAt !== undefined);
  for (const { id, lines } of sales) {
    const holds = new Set(lines.flatMap(({ reservationId }) => reservations.get(reservationId ?? '') ?? []));
    const skuOf = ({ sku }: { readonly sku: string }): string => sku;
    const fulfilledOf = ({ fulfilledQty }: { readonly fulfilledQty: number }): number => fulfilledQty;
    const allocated = [...holds].flatMap(({ allocations }) => allocations);
    const left = sums(allocated, skuOf, fulfilledOf);
    for (const [sku, qty] of sums(lines, skuOf, fulfilledOf)) {
      const unheld = booked.get(`carry-out ${id} ${sku}`) ?? 0;
      const accounted = (left.get(sku) ?? 0) + unheld;
      check(
        qty === accounted || !counted.has(sku),
        `order/${id}: ${qty} × ${sku} were carried out, ${left.get(sku) ?? 0} left its reservation and ${unheld} were booked without a reservation`,
      );
    }
  }
}
