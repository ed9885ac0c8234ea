import { useRef } from 'preact/hooks';
import { asRefusal, control, drawn, rehearsalLink, useReread, useResource } from '../data/data.ts';
import { Card, Heading } from '../kit/kit.ts';
import { ObjectStock } from '../objects/object-stock.tsx';
import { whyNot } from '../objects/why-not.ts';
import { createHoldReader, type HoldReader } from './stock-holds.ts';
import { StockHolds } from './stock-holds-view.tsx';
import { readStock, type Stock } from './stock-read.ts';

/** Keeps the counters; it answers counts. */
const OWNER = 'inventory-service';
/** Of others that are named when a SKU is unknown. */
const MOST_OTHERS = 40;

interface StockItemProps {
  readonly rehearsal: string;
  readonly sku: string;
}

/** One SKU: its stock by location, counts, and the reservations that hold it. */
export function StockItem({ rehearsal, sku }: StockItemProps) {
  const holds = useRef<HoldReader>(undefined);
  const read = useResource(`stock of ${rehearsal} ${sku}`, (signal) => {
    holds.current ??= createHoldReader(sku);
    return readItem(sku, holds.current, signal);
  });
  useReread(['hops', 'events', 'gap'], read.reload);
  return drawn(read, (found) => {
    if (found.kind === 'unknown') return <UnknownSku rehearsal={rehearsal} sku={sku} skus={found.skus} />;
    const { places, holds: listed, applications } = found;
    return (
      <div class="stack">
        <div class="title">
          <Heading title={`${sku} · Stock of ${rehearsal}`}>
            <span class="brk">{sku}</span>
          </Heading>
          <a href={rehearsalLink(rehearsal, 'stock')}>← All stock</a>
        </div>
        <p class="muted line">
          <span>{sum(places, ({ atp }) => Math.max(atp, 0)).toLocaleString('en')} to promise at all locations</span>
          <a href={rehearsalLink(rehearsal, 'objects', 'inventory-item', sku)}>Inventory item</a>
        </p>
        <div class="object-columns">
          <Card title="Stock by location">
            <ObjectStock items={places} obstacle={whyNot(applications, OWNER)} onCounted={read.reload} />
          </Card>
          <Card title="Held by">
            <StockHolds rehearsal={rehearsal} sku={sku} holds={listed} reserved={sum(places, ({ reserved }) => reserved)} />
          </Card>
        </div>
      </div>
    );
  });
}

const sum = (places: readonly Stock[], of: (place: Stock) => number): number => places.reduce((all, place) => all + of(place), 0);

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

const UnknownSku = ({ rehearsal, sku, skus }: StockItemProps & { skus: readonly string[] }) => (
  <div class="stack">
    <Heading title="Unknown SKU">
      No stock is kept of SKU <code class="brk">{sku}</code>
    </Heading>
    <p class="muted">The name is wrong. These have stock:</p>
    <Card label="SKUs with stock">
      <p class="in line">
        {skus.slice(0, MOST_OTHERS).map((other) => (
          <a key={other} class="badge" href={rehearsalLink(rehearsal, 'stock', other)} data-row="">
            {other}
          </a>
        ))}
      </p>
    </Card>
    <p>
      <a class="button" href={rehearsalLink(rehearsal, 'stock')}>
        All stock
      </a>
    </p>
  </div>
);
