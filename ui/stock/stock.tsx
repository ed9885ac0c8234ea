import { useEffect, useState } from 'preact/hooks';
import { drawn, held, linkHere, setQuery, useReread, useResource, withQuery } from '../data/data.ts';
import { Badge, counted, Empty, FilterField, PageHead, type PageProps } from '../kit/kit.ts';
import css from './stock.module.css';
import { StockItem } from './stock-item.tsx';
import { partsOf, readStock, type StockOfSku, type StockPlace, sumOf } from './stock-read.ts';

/** Most SKUs kept in the DOM. */
const MOST_SKUS = 200;

/** The stock of a rehearsal: every SKU by location, or one SKU with its reservations. */
export const Stock = ({ rest: [sku], query }: PageProps) =>
  sku === undefined ? <StockList query={query} /> : <StockItem key={sku} sku={sku} />;

/** A line for each SKU; its locations open below. Numbers change where they stand. */
function StockList({ query }: { query: URLSearchParams }) {
  const q = query.get('q') ?? '';
  const location = query.get('location') ?? undefined;
  const read = useResource('stock', readStock);
  useReread(['hops', 'events', 'gap'], () => held.peek() || read.reload());
  const isHeld = held.value;
  useEffect(() => {
    if (!isHeld && read.value) read.reload();
  }, [isHeld]);
  return (
    <div class="stack">
      <PageHead title="Stock" about="Units that can be promised (ATP), by product" />
      <section class="card" aria-label="Stock by SKU">
        {drawn(read, ({ skus, locations, hasMore }) => {
          const found = skus.filter(({ sku, name = '' }) => `${sku} ${name}`.toLowerCase().includes(q.toLowerCase()));
          const columns = location === undefined ? locations : locations.filter((one) => one === location);
          const shown = columns.length === 0 ? [] : found.slice(0, MOST_SKUS);
          return (
            <>
              <div class="in stack-tight">
                <FilterField parameter="q" label="Filter: product or SKU" placeholder="Filter: product or SKU" />
                <LocationLinks q={q} locations={locations} selected={location} />
              </div>
              <ul class={`lined ${css['skus']}`}>
                {shown.map((one) => (
                  <SkuLine key={one.sku} {...one} locations={columns} />
                ))}
              </ul>
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

interface SkuLineProps extends StockOfSku {
  /** The shown locations. */
  readonly locations: readonly string[];
}

function SkuLine({ sku, name, places, locations }: SkuLineProps) {
  const [isOpen, setOpen] = useState(false);
  const shown = places.filter(({ locationId }) => locations.includes(locationId));
  const all = sumOf(shown);
  return (
    <li data-sku={sku}>
      <a class="brk" href={linkHere('stock', sku)} data-row="">
        {name !== undefined && <strong>{name} </strong>}
        <code>{sku}</code>
      </a>
      <Promised place={all} />
      <span class="muted small">{partsOf(all)}</span>
      {locations.length > 1 && (
        <button type="button" aria-expanded={isOpen ? 'true' : 'false'} onClick={() => setOpen(!isOpen)}>
          {counted(shown.length, 'location')}
          <span class="unseen"> of {sku}</span>
        </button>
      )}
      {isOpen && locations.length > 1 && (
        <ul class={css['places']} aria-label={sku}>
          {shown.map((place) => (
            <li key={place.locationId}>
              <span class="clip">{place.locationId}</span>
              <Promised place={place} />
              <span class="muted small">{partsOf(place)}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

const Promised = ({ place: { atp } }: { place: Pick<StockPlace, 'atp'> }) => (
  <span>{atp > 0 ? <strong>{atp.toLocaleString('en')}</strong> : <Badge tone="warn">{atp.toLocaleString('en')}</Badge>}</span>
);

const LocationLinks = ({ q, locations, selected }: { q: string; locations: readonly string[]; selected: string | undefined }) => (
  <p class="line">
    {[undefined, ...locations].map((location) => (
      <a
        key={location ?? ''}
        class="badge"
        href={withQuery(linkHere('stock'), { q, location })}
        aria-current={location === selected ? 'true' : undefined}
      >
        <span class="clip">{location ?? 'all locations'}</span>
      </a>
    ))}
  </p>
);

const NoSku = ({ q, location }: { q: string; location: string | undefined }) =>
  location === undefined && q === '' ? (
    <Empty title="This rehearsal has no stock records.">
      <p class="muted">The fixtures of the estate list the SKUs that have stock.</p>
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
