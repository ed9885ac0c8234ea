import { useRef } from 'preact/hooks';
import { asRefusal, control, drawn, linkHere, useResource } from '../data/data.ts';
import { Card, counted, Empty, ObjectBadges, PageHead, rehearsalTime, shortId, Unknown } from '../kit/kit.ts';
import { ObjectStock } from '../objects/object-stock.tsx';
import { whyNot } from '../objects/words.ts';
import { createHoldReader, type Hold, type HoldReader } from './stock-holds.ts';
import { readStock, type StockPlace, sumOf } from './stock-read.ts';

/** Keeps the counters; it answers counts. */
const OWNER = 'inventory-service';
/** Of others that are named when a SKU is unknown. */
const MOST_OTHERS = 40;

interface StockItemProps {
  readonly sku: string;
}

/** One SKU: its stock by location, counts, and the reservations that hold it. */
export function StockItem({ sku }: StockItemProps) {
  const holds = useRef<HoldReader>(undefined);
  const readNow = (signal: AbortSignal) => {
    holds.current ??= createHoldReader(sku);
    return readItem(sku, holds.current, signal);
  };
  const read = useResource(`stock of ${sku}`, readNow, { follows: ['hops', 'events', 'gap'] });
  return drawn(read, (found) => {
    if (found.kind === 'unknown') return <UnknownSku sku={sku} skus={found.skus} />;
    const { places, holds: listed, applications } = found;
    const all = sumOf(places);
    return (
      <div class="stack">
        <PageHead title={`${sku} · Stock`} heading={places[0]?.name ?? sku} back={[linkHere('stock'), 'All stock']} />
        <p class="muted line">
          <code class="brk">{sku}</code>
          <span>{all.atp.toLocaleString('en')} to promise at all locations</span>
          <a href={linkHere('objects', 'inventory-item', sku)}>Inventory item</a>
        </p>
        <div class="over">
          <Card title="Stock by location">
            <ObjectStock items={places} obstacle={whyNot(applications, OWNER)} onCounted={read.reload} />
          </Card>
          <Card title="Held by">
            <StockHolds sku={sku} places={places} holds={listed} reserved={all.reserved} />
          </Card>
        </div>
      </div>
    );
  });
}

/** A SKU with its stock, or the other SKUs when it is unknown. */
async function readItem(sku: string, readHolds: HoldReader, signal: AbortSignal) {
  const stock = await control('list-stock', { query: { sku, limit: 500 } }, { signal }).catch((error: unknown) => {
    if (asRefusal(error).status === 422) return undefined;
    throw error;
  });
  if (!stock) return { kind: 'unknown' as const, skus: (await readStock(signal)).skus.map((one) => one.sku) };
  const [holds, { applications }] = await Promise.all([readHolds(signal), control('read-topology', undefined, { signal })]);
  return { kind: 'item' as const, places: stock.items, holds, applications };
}

const UnknownSku = ({ sku, skus }: StockItemProps & { skus: readonly string[] }) => (
  <Unknown
    title="Unknown SKU"
    words="No stock is kept of SKU"
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

interface StockHoldsProps {
  readonly sku: string;
  readonly places: readonly StockPlace[];
  readonly holds: readonly Hold[];
  /** Units that the counters reserve at all locations. */
  readonly reserved: number;
}

/** The active reservations of a SKU, newest first, each with its order or basket. */
function StockHolds({ sku, places, holds, reserved }: StockHoldsProps) {
  const listed = holds.flatMap((hold) => hold.places).reduce((sum, { units }) => sum + units, 0);
  if (holds.length === 0 && reserved === 0) {
    return (
      <Empty title={`No unit of ${sku} is reserved.`}>
        <p class="muted">A reservation of a basket or an order appears here while it has units.</p>
      </Empty>
    );
  }
  return (
    <>
      <ul class="items">
        {holds.map((hold) => (
          <HoldRow key={hold.id} hold={hold} places={places} />
        ))}
      </ul>
      {reserved > listed && (
        <p class="in muted">Older reservations, or work under way, hold another {counted(reserved - listed, 'unit')}.</p>
      )}
    </>
  );
}

const HoldRow = ({ hold, places }: { hold: Hold } & Pick<StockHoldsProps, 'places'>) => {
  const { id, state, owners, expiresAt } = hold;
  const nameOf = (location: string) => places.find(({ locationId }) => locationId === location)?.locationName ?? location;
  return (
    <li>
      <ObjectBadges label="For" objects={owners} />
      <p>{hold.places.map(({ locationId, units }) => `${counted(units, 'unit')} at ${nameOf(locationId)}`).join(', ')}</p>
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
