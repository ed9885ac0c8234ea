import type { z } from 'zod';
import type { FulfillmentOrder as FulfillmentOrderSchema } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { HeldAt } from '../../shared/catalog/inventory/internal.ts';
import type { Reservation as ReservationSchema } from '../../shared/catalog/inventory/objects.ts';
import type { WorldRecords } from './world-records.ts';

export type Reservation = z.output<typeof ReservationSchema>;
/** A fulfillment order as the FMS stores it. */
export type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema> & { readonly reservationId: string };
export type Held = z.output<typeof HeldAt>;
/** A change of stock that the SIM recorded; `pending` until the Inventory Service has confirmed it. */
export interface Movement {
  readonly reservationId: string;
  readonly reference: string;
  readonly kind: 'consume' | 'short';
  readonly allocations: readonly Held[];
  readonly pending: boolean;
}
/** The units that the Inventory Service holds for a reservation. */
export interface Hold {
  readonly id: string;
  readonly state: string;
  readonly allocations: readonly Held[];
  readonly moved?: readonly { readonly reference: string; readonly allocations: readonly Held[] }[];
}
/** A request of Reserve Inventory that the SIM has not finished. */
export interface Attempt {
  readonly id: string;
  readonly replaces?: readonly string[];
}

const ENDED_STATES: ReadonlySet<string> = new Set(['released', 'expired']);

export const keyOf = ({ sku, locationId }: { readonly sku: string; readonly locationId: string }): string => `${sku}|${locationId}`;

/** Reserved units, with their reservation. */
export type HeldFor = Held & { readonly reservationId: string };

const heldFor = (reservationId: string, held: readonly Held[]): HeldFor[] => held.map((one) => ({ ...one, reservationId }));

const openUnitsOf = ({ id, allocations }: Reservation): HeldFor[] =>
  allocations.map(({ sku, locationId, qty, fulfilledQty, cancelledQty }) => ({
    reservationId: id,
    sku,
    locationId,
    qty: qty - fulfilledQty - cancelledQty,
  }));

/** The remaining units of a reservation. */
export const remainingUnitsOf = ({ id, allocations, moved = [] }: Hold): HeldFor[] => [
  ...heldFor(id, allocations),
  ...moved.flatMap((movement) => heldFor(id, movement.allocations)).map((one) => ({ ...one, qty: -one.qty })),
];

/**
 * Movements that the Inventory Service has not made yet. A movement may have been made without the SIM having a record of it, because the
 * answer was lost.
 */
export function pendingMovements({ records }: WorldRecords): Movement[] {
  const made = new Set(
    records<Hold>('inventory-service', 'holds').flatMap(({ id, moved = [] }) => moved.map(({ reference }) => `${id}|${reference}`)),
  );
  return records<Movement>('sim', 'movements').filter(
    ({ pending, reservationId, reference }) => pending && !made.has(`${reservationId}|${reference}`),
  );
}

/** The expected value of the reserved counters: units of open reservations, and units that are still to be recorded, moved or released. */
export function reservedUnits(world: WorldRecords): HeldFor[] {
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
    ...pendingMovements(world).flatMap(({ reservationId, allocations }) => heldFor(reservationId, allocations)),
    ...unrecorded.flatMap(({ id, allocations }) => heldFor(id, allocations)),
  ];
}
