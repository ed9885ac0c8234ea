import { h } from 'preact';
import { rehearsalLink } from '../data/data.ts';
import { Badge } from '../kit/kit.ts';
import { partsOf, type Stock, type StockOfSku } from './stock-read.ts';

export interface StockTableProps {
  readonly rehearsal: string;
  readonly skus: readonly StockOfSku[];
  /** Those that are shown. */
  readonly locations: readonly string[];
}

const units = (count: number): string => count.toLocaleString('en');

/** A row for each SKU, a column for each location. */
export const StockTable = ({ rehearsal, skus, locations }: StockTableProps) =>
  h(
    'div',
    { class: 'table-wrap', tabIndex: 0, role: 'group', 'aria-label': 'Stock table' },
    h(
      'table',
      { class: 'stock-table' },
      h('caption', {}, 'Units that can be promised'),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          h('th', { scope: 'col' }, 'SKU'),
          locations.length > 1 && h('th', { scope: 'col' }, 'everywhere'),
          locations.map((location) => h('th', { key: location, scope: 'col' }, location)),
        ),
      ),
      h(
        'tbody',
        {},
        skus.map(({ sku, places }) =>
          h(
            'tr',
            { key: sku },
            h('th', { scope: 'row' }, h(SkuLink, { rehearsal, sku })),
            locations.length > 1 && h('td', {}, h('strong', {}, units(sumOf(places)))),
            locations.map((location) => h(Cell, { key: location, place: places.find(({ locationId }) => locationId === location) })),
          ),
        ),
      ),
    ),
  );

const Cell = ({ place }: { place: Stock | undefined }) =>
  h('td', {}, place && [h(Promised, { place }), h('span', { class: 'muted small-text' }, partsOf(place))]);

/** The same for a window without room for columns. */
export const StockRows = ({ rehearsal, skus, locations }: StockTableProps) =>
  h(
    'ul',
    { class: 'stock-rows' },
    skus.map(({ sku, places }) =>
      h(
        'li',
        { key: sku },
        h(SkuLink, { rehearsal, sku }),
        h(
          'ul',
          { 'aria-label': sku },
          places
            .filter(({ locationId }) => locations.includes(locationId))
            .map((place) =>
              h(
                'li',
                { key: place.locationId },
                h('span', { class: 'clip' }, place.locationId),
                h(Promised, { place }),
                h('span', { class: 'muted small-text' }, partsOf(place)),
              ),
            ),
        ),
      ),
    ),
  );

const SkuLink = ({ rehearsal, sku }: { rehearsal: string; sku: string }) =>
  h('a', { class: 'brk', href: rehearsalLink(rehearsal, 'stock', sku), 'data-row': '' }, sku);

const Promised = ({ place: { atp } }: { place: Stock }) => (atp > 0 ? h('strong', {}, units(atp)) : h(Badge, { tone: 'warn' }, units(atp)));

const sumOf = (places: readonly Stock[]): number => places.reduce((sum, { atp }) => sum + Math.max(atp, 0), 0);
