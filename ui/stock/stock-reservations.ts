import type { output } from 'zod';
import type { Reservation as ReservationSchema } from '../../shared/catalog/inventory/objects.ts';
import { control, type Output } from '../data/control.ts';

type Reservation = output<typeof ReservationSchema>;

/** The states of an active reservation. */
const ACTIVE = ['confirmed', 'requested'] as const;
/** Most reservations read for one view. */
const MOST = 50;

/** A reservation, with its units of one SKU. */
export interface SkuReservation {
  readonly id: string;
  readonly state: string;
  /** Its orders and baskets. */
  readonly owners: readonly { readonly type: string; readonly id: string; readonly name: string | undefined }[];
  /** On the rehearsal's clock. */
  readonly expiresAt: string | undefined;
  readonly places: readonly { readonly locationId: string; readonly units: number }[];
}

export type ReservationReader = (signal: AbortSignal) => Promise<readonly SkuReservation[]>;
type Listed = Output<'list-objects'>['items'][number];

/** Reads the active reservations of a SKU. A reservation is read again only when its version has changed. */
export function createReservationReader(sku: string): ReservationReader {
  const known = new Map<string, Reservation>();
  async function reservationOf({ id, version }: Listed, signal: AbortSignal): Promise<Reservation> {
    const key = `${id} ${version}`;
    const read = known.get(key) ?? ((await control('read-object', { params: { type: 'reservation', id } }, { signal })) as Reservation);
    known.set(key, read);
    return read;
  }
  return async (signal) => {
    const lists = await Promise.all(
      ACTIVE.map((state) =>
        control('list-objects', { params: { type: 'reservation' }, query: { state, q: sku, limit: MOST } }, { signal }),
      ),
    );
    const newest = lists.flatMap(({ items }) => items).toSorted((one, other) => other.order - one.order);
    const reservations = await Promise.all(
      newest.slice(0, MOST).map(async (listed) => skuReservationOf(await reservationOf(listed, signal), sku, listed.names ?? {})),
    );
    return reservations.filter(({ places }) => places.length > 0);
  };
}

type Names = Readonly<Record<string, string>>;

function skuReservationOf(
  { id, state, orderId, basketId, expiresAt, allocations }: Reservation,
  sku: string,
  names: Names,
): SkuReservation {
  const places = allocations
    .filter((allocation) => allocation.sku === sku)
    .map(({ locationId, qty, fulfilledQty, cancelledQty }) => ({ locationId, units: qty - fulfilledQty - cancelledQty }))
    .filter(({ units }) => units > 0);
  const owners = [
    ...(orderId === undefined ? [] : [{ type: 'order', id: orderId, name: names[orderId] }]),
    ...(basketId === undefined ? [] : [{ type: 'basket', id: basketId, name: names[basketId] }]),
  ];
  return { id, state, owners, expiresAt, places };
}
