import { useEffect } from 'preact/hooks';
import { drawn, held, linkHere, setQuery, useReread, useResource } from '../data/data.ts';
import { Badge, counted, Empty, FilterField, PageHead, type PageProps } from '../kit/kit.ts';
import { type Cell, ColumnChoice, filterLink, RowTable, type TableColumn } from '../kit/table.tsx';
import css from './stock.module.css';
import { StockItem } from './stock-item.tsx';
import { readStock, type StockOfSku, sumOf } from './stock-read.ts';

/** Most SKUs kept in the DOM. */
const MOST_SKUS = 200;

/** The stock of a rehearsal: every SKU by location, or one SKU with its reservations. */
export const Stock = ({ rest: [sku], query }: PageProps) =>
  sku === undefined ? <StockList query={query} /> : <StockItem key={sku} sku={sku} />;

/** A row for each SKU. Numbers change where they stand. */
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
          const chosen = locations.map(({ id }) => id).filter((id) => location === undefined || id === location);
          const columns = columnsOf(chosen);
          const isEmpty = chosen.length === 0 || found.length === 0;
          return (
            <>
              <div class="in stack-tight">
                <FilterField parameter="q" label="Filter: product or SKU" placeholder="Filter: product or SKU" />
                <div class={css['choices']}>
                  <LocationLinks locations={locations} selected={location} />
                  <ColumnChoice columns={columns} />
                </div>
              </div>
              {isEmpty ? (
                <NoSku q={q} location={chosen.length === 0 ? location : undefined} />
              ) : (
                <RowTable
                  label="Stock by SKU"
                  heading="product"
                  items={found}
                  most={MOST_SKUS}
                  keyOf={({ sku }) => sku}
                  href={({ sku }) => linkHere('stock', sku)}
                  name={({ sku, name = sku }) => ({ text: name })}
                  columns={columns}
                  facts={({ sku }) => ({ id: sku })}
                  canSort
                />
              )}
              {(found.length > MOST_SKUS || hasMore) && (
                <p class="in muted">
                  {counted(Math.min(found.length, MOST_SKUS), 'SKU')} of {hasMore ? 'more than ' : ''}
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

type Count = 'atp' | 'onHand' | 'reserved' | 'safetyStock';

const COUNTS: readonly (readonly [name: string, count: Count])[] = [
  ['ATP', 'atp'],
  ['on hand', 'onHand'],
  ['reserved', 'reserved'],
  ['safety stock', 'safetyStock'],
];

const cellOf = (count: Count, units: number): Cell => {
  const text = units.toLocaleString('en');
  const shown = count !== 'atp' ? text : units > 0 ? <strong>{text}</strong> : <Badge tone="warn">{text}</Badge>;
  return { text, shown: units === 0 && count !== 'atp' ? <span class="muted">0</span> : shown, sortsAs: units };
};

/** @param locations the shown ones. Several are added up, and each has its own further column */
const columnsOf = (locations: readonly string[]): readonly TableColumn<StockOfSku>[] => [
  { name: 'SKU', kind: 'text', of: ({ sku }) => ({ text: sku }) },
  ...COUNTS.map(
    ([name, count]): TableColumn<StockOfSku> => ({
      name,
      kind: 'number',
      of: ({ places }) => cellOf(count, sumOf(places.filter(({ locationId }) => locations.includes(locationId)))[count]),
    }),
  ),
  ...(locations.length === 1 ? [] : locations).map(
    (location): TableColumn<StockOfSku> => ({
      name: location,
      kind: 'number',
      isFurther: true,
      of: ({ places }) => {
        const place = places.find(({ locationId }) => locationId === location);
        return place && cellOf('atp', place.atp);
      },
    }),
  ),
];

interface LocationLinksProps {
  readonly locations: readonly { readonly id: string; readonly name: string | undefined }[];
  readonly selected: string | undefined;
}

const LocationLinks = ({ locations, selected }: LocationLinksProps) => (
  <p class="line">
    {[{ id: undefined, name: 'all locations' }, ...locations].map(({ id, name }) => (
      <a key={id ?? ''} class="badge" href={filterLink({ location: id })} title={id} aria-current={id === selected ? 'true' : undefined}>
        <span class="clip">{name ?? id}</span>
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
