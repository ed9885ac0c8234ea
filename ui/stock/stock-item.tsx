import { useRef } from 'preact/hooks';
import { asRefusal, control, drawn, linkHere, useResource } from '../data/data.ts';
import { Card, counted, Empty, ObjectBadges, PageHead, rehearsalTime, shortId, Unknown } from '../kit/kit.ts';
import { ObjectStock } from '../objects/object-stock.tsx';
import { whyNot } from '../objects/words.ts';
import { readStock, type StockPlace, sumOf } from './stock-read.ts';
import { createReservationReader, type ReservationReader, type SkuReservation } from './stock-reservations.ts';

/** The application that stores the counters. */
const OWNER = 'inventory-service';
/** Maximum number of SKUs that the page of an unknown SKU names. */
const MOST_OTHERS = 40;

interface StockItemProps {
  readonly sku: string;
}

/** One SKU: its stock by location, counts, and its reservations. */
export function StockItem({ sku }: StockItemProps) {
  const readReservations = useRef<ReservationReader>(undefined);
  const readNow = (signal: AbortSignal) => {
    readReservations.current ??= createReservationReader(sku);
    return readItem(sku, readReservations.current, signal);
  };
  const read = useResource(`stock of ${sku}`, readNow, { follows: ['hops', 'events', 'gap'] });
  return drawn(read, (found) => {
    if (found.kind === 'unknown') return <UnknownSku sku={sku} skus={found.skus} />;
    const { places, reservations, applications } = found;
    const all = sumOf(places);
    return (
      <div class="stack">
        <PageHead title={`${sku} · Stock`} heading={places[0]?.name ?? sku} back={[linkHere('stock'), 'All stock']} />
        <p class="muted line">
          <code class="brk">{sku}</code>
          <span>{all.atp.toLocaleString('en')} available to promise at all locations</span>
          <a href={linkHere('objects', 'inventory-item', sku)}>Inventory item</a>
        </p>
        <div class="over">
          <Card title="Stock by location">
            <ObjectStock items={places} obstacle={whyNot(applications, OWNER)} onCounted={read.reload} />
          </Card>
          <Card title="Reserved by">
            <StockReservations sku={sku} places={places} reservations={reservations} reserved={all.reserved} />
          </Card>
        </div>
      </div>
    );
  });
}

/** A SKU with its stock, or the other SKUs when it is unknown. */
async function readItem(sku: string, readReservations: ReservationReader, signal: AbortSignal) {
  const stock = await control('list-stock', { query: { sku, limit: 500 } }, { signal }).catch((error: unknown) => {
    if (asRefusal(error).status === 422) return undefined;
    throw error;
  });
  if (!stock) return { kind: 'unknown' as const, skus: (await readStock(signal)).skus.map((one) => one.sku) };
  const [reservations, { applications }] = await Promise.all([readReservations(signal), control('read-topology', undefined, { signal })]);
  return { kind: 'item' as const, places: stock.items, reservations, applications };
}

const UnknownSku = ({ sku, skus }: StockItemProps & { skus: readonly string[] }) => (
  <Unknown
    title="Unknown SKU"
    words="This rehearsal has no stock records of SKU"
    id={sku}
    why="The name is wrong. These have stock:"
    card={
      <p class="in line">
        {skus.slice(0, MOST_OTHERS).map((other) => (
          <a key={other} class="badge" href={linkHere('stock', other)} data-row="">
            {other}
          </a>
        ))}
      </p>
    }
  >
    <p>
      <a class="button" href={linkHere('stock')}>
        All stock
      </a>
    </p>
  </Unknown>
);

interface StockReservationsProps {
  readonly sku: string;
  readonly places: readonly StockPlace[];
  readonly reservations: readonly SkuReservation[];
  /** Units that the counters reserve at all locations. */
  readonly reserved: number;
}

/** The active reservations of a SKU, newest first, each with its order or basket. */
function StockReservations({ sku, places, reservations, reserved }: StockReservationsProps) {
  const listed = reservations.flatMap((one) => one.places).reduce((sum, { units }) => sum + units, 0);
  if (reservations.length === 0 && reserved === 0) {
    return (
      <Empty title={`No unit of ${sku} is reserved.`}>
        <p class="muted">A reservation of a basket or an order appears here while it has units.</p>
      </Empty>
    );
  }
  return (
    <>
      <ul class="items">
        {reservations.map((reservation) => (
          <ReservationRow key={reservation.id} reservation={reservation} places={places} />
        ))}
      </ul>
      {reserved > listed && (
        <p class="in muted">Older reservations or unfinished work reserve another {counted(reserved - listed, 'unit')}.</p>
      )}
    </>
  );
}

const ReservationRow = ({ reservation, places }: { reservation: SkuReservation } & Pick<StockReservationsProps, 'places'>) => {
  const { id, state, owners, expiresAt } = reservation;
  const nameOf = (location: string) => places.find(({ locationId }) => locationId === location)?.locationName ?? location;
  return (
    <li>
      <ObjectBadges label="For" objects={owners} />
      <p>{reservation.places.map(({ locationId, units }) => `${counted(units, 'unit')} at ${nameOf(locationId)}`).join(', ')}</p>
      <p class="muted small">
        <a href={linkHere('objects', 'reservation', id)} title={id}>
          reservation {shortId(id)}
        </a>
        , {state}
        {expiresAt !== undefined && ` until ${rehearsalTime(expiresAt)}`}
      </p>
    </li>
  );
};
