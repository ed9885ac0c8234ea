import { useEffect } from 'preact/hooks';
import { drawn, held, rehearsalLink, setQuery, useReread, useResource, withQuery } from '../data/data.ts';
import { counted, Empty, FilterField, Heading, isNarrow } from '../kit/kit.ts';
import { readStock } from './stock-read.ts';
import { StockRows, StockTable } from './stock-table.tsx';

/** Most SKUs kept in the DOM. */
const MOST_SKUS = 200;

interface StockListProps {
  readonly rehearsal: string;
  readonly query: URLSearchParams;
}

/** Every SKU by location. Numbers change where they stand. */
export function StockList({ rehearsal, query }: StockListProps) {
  const q = query.get('q') ?? '';
  const location = query.get('location') ?? undefined;
  const read = useResource(`stock of ${rehearsal}`, readStock);
  useReread(['hops', 'events', 'gap'], () => held.peek() || read.reload());
  const isHeld = held.value;
  useEffect(() => {
    if (!isHeld && read.value) read.reload();
  }, [isHeld]);
  return (
    <div class="stack">
      <div class="title">
        <Heading title={`Stock of ${rehearsal}`}>Stock</Heading>
        <p class="muted">Units that can be promised (ATP), by SKU and location</p>
      </div>
      <section class="card" aria-label="Stock by SKU">
        {drawn(read, ({ skus, locations, hasMore }) => {
          const found = skus.filter(({ sku }) => sku.toLowerCase().includes(q.toLowerCase()));
          const columns = location === undefined ? locations : locations.filter((one) => one === location);
          const shown = columns.length === 0 ? [] : found.slice(0, MOST_SKUS);
          const Rows = isNarrow.value ? StockRows : StockTable;
          return (
            <>
              <div class="in stack-tight">
                <FilterField parameter="q" label="Filter: SKU" placeholder="Filter: SKU" />
                <LocationLinks rehearsal={rehearsal} q={q} locations={locations} selected={location} />
              </div>
              {shown.length > 0 && <Rows rehearsal={rehearsal} skus={shown} locations={columns} />}
              {shown.length === 0 && <NoSku q={q} location={columns.length === 0 ? location : undefined} />}
              {(found.length > shown.length || hasMore) && (
                <p class="in muted">
                  {counted(shown.length, 'SKU')} of {hasMore ? 'more than ' : ''}
                  {found.length.toLocaleString('en')} are shown. The filter finds others.
                </p>
              )}
            </>
          );
        })}
      </section>
    </div>
  );
}

interface LocationLinksProps {
  readonly rehearsal: string;
  readonly q: string;
  readonly locations: readonly string[];
  readonly selected: string | undefined;
}

const LocationLinks = ({ rehearsal, q, locations, selected }: LocationLinksProps) => (
  <p class="line">
    {[undefined, ...locations].map((location) => (
      <a
        key={location ?? ''}
        class="badge"
        href={withQuery(rehearsalLink(rehearsal, 'stock'), { q, location })}
        aria-current={location === selected ? 'true' : undefined}
      >
        <span class="clip">{location ?? 'all locations'}</span>
      </a>
    ))}
  </p>
);

const NoSku = ({ q, location }: { q: string; location: string | undefined }) =>
  location === undefined && q === '' ? (
    <Empty title="No stock is kept here.">
      <p class="muted">The fixtures of the estate say which SKUs have stock.</p>
    </Empty>
  ) : (
    <Empty title={location === undefined ? 'No SKU matches.' : 'Unknown location.'}>
      {location !== undefined && (
        <p>
          <code class="brk">{location}</code>
        </p>
      )}
      <button type="button" onClick={() => setQuery({ q: undefined, location: undefined })}>
        Show all
      </button>
    </Empty>
  );
