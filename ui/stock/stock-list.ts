import { h } from 'preact';
import { useEffect } from 'preact/hooks';
import { drawn, held, rehearsalLink, setQuery, useReread, useResource, withQuery } from '../data/data.ts';
import { counted, Empty, FilterField, Heading, isNarrow } from '../kit/kit.ts';
import { readStock } from './stock-read.ts';
import { StockRows, StockTable } from './stock-table.ts';

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
  return h(
    'div',
    { class: 'stack' },
    h(
      'div',
      { class: 'title' },
      h(Heading, { title: `Stock of ${rehearsal}` }, 'Stock'),
      h('p', { class: 'muted' }, 'Units that can be promised (ATP), by SKU and location'),
    ),
    h(
      'section',
      { class: 'card', 'aria-label': 'Stock by SKU' },
      drawn(read, ({ skus, locations, hasMore }) => {
        const found = skus.filter(({ sku }) => sku.toLowerCase().includes(q.toLowerCase()));
        const columns = location === undefined ? locations : locations.filter((one) => one === location);
        const shown = columns.length === 0 ? [] : found.slice(0, MOST_SKUS);
        return [
          h(
            'div',
            { key: 'filter', class: 'in stack-tight' },
            h(FilterField, { parameter: 'q', label: 'Filter: SKU', placeholder: 'Filter: SKU' }),
            h(LocationLinks, { rehearsal, q, locations, selected: location }),
          ),
          shown.length > 0 && h(isNarrow.value ? StockRows : StockTable, { key: 'skus', rehearsal, skus: shown, locations: columns }),
          shown.length === 0 && h(NoSku, { key: 'none', q, location: columns.length === 0 ? location : undefined }),
          (found.length > shown.length || hasMore) &&
            h(
              'p',
              { key: 'rest', class: 'in muted' },
              `${counted(shown.length, 'SKU')} of ${hasMore ? 'more than ' : ''}${found.length.toLocaleString('en')} are shown. The filter finds others.`,
            ),
        ];
      }),
    ),
  );
}

interface LocationLinksProps {
  readonly rehearsal: string;
  readonly q: string;
  readonly locations: readonly string[];
  readonly selected: string | undefined;
}

const LocationLinks = ({ rehearsal, q, locations, selected }: LocationLinksProps) =>
  h(
    'p',
    { class: 'line' },
    [undefined, ...locations].map((location) =>
      h(
        'a',
        {
          key: location ?? '',
          class: 'badge',
          href: withQuery(rehearsalLink(rehearsal, 'stock'), { q, location }),
          'aria-current': location === selected ? 'true' : undefined,
        },
        h('span', { class: 'clip' }, location ?? 'all locations'),
      ),
    ),
  );

const NoSku = ({ q, location }: { q: string; location: string | undefined }) =>
  location === undefined && q === ''
    ? h(Empty, { title: 'No stock is kept here.' }, h('p', { class: 'muted' }, 'The fixtures of the estate say which SKUs have stock.'))
    : h(
        Empty,
        { title: location === undefined ? 'No SKU matches.' : 'Unknown location.' },
        location !== undefined && h('p', {}, h('code', { class: 'brk' }, location)),
        h('button', { type: 'button', onClick: () => setQuery({ q: undefined, location: undefined }) }, 'Show all'),
      );
