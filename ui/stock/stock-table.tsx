import { rehearsalLink } from '../data/data.ts';
import { Badge, Scroll } from '../kit/kit.ts';
import { partsOf, type Stock, type StockOfSku } from './stock-read.ts';

export interface StockTableProps {
  readonly rehearsal: string;
  readonly skus: readonly StockOfSku[];
  /** Those that are shown. */
  readonly locations: readonly string[];
}

const units = (count: number): string => count.toLocaleString('en');

/** A row for each SKU, a column for each location. */
export const StockTable = ({ rehearsal, skus, locations }: StockTableProps) => (
  <Scroll class="table-wrap" label="Stock table">
    <table class="stock-table">
      <caption>Units that can be promised</caption>
      <thead>
        <tr>
          <th scope="col">SKU</th>
          {locations.length > 1 && <th scope="col">everywhere</th>}
          {locations.map((location) => (
            <th key={location} scope="col">
              {location}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {skus.map(({ sku, places }) => (
          <tr key={sku}>
            <th scope="row">
              <SkuLink rehearsal={rehearsal} sku={sku} />
            </th>
            {locations.length > 1 && (
              <td>
                <strong>{units(sumOf(places))}</strong>
              </td>
            )}
            {locations.map((location) => (
              <Cell key={location} place={places.find(({ locationId }) => locationId === location)} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
);

const Cell = ({ place }: { place: Stock | undefined }) => (
  <td>
    {place && (
      <>
        <Promised place={place} />
        <span class="muted small-text">{partsOf(place)}</span>
      </>
    )}
  </td>
);

/** The same for a window without room for columns. */
export const StockRows = ({ rehearsal, skus, locations }: StockTableProps) => (
  <ul class="stock-rows">
    {skus.map(({ sku, places }) => (
      <li key={sku}>
        <SkuLink rehearsal={rehearsal} sku={sku} />
        <ul aria-label={sku}>
          {places
            .filter(({ locationId }) => locations.includes(locationId))
            .map((place) => (
              <li key={place.locationId}>
                <span class="clip">{place.locationId}</span>
                <Promised place={place} />
                <span class="muted small-text">{partsOf(place)}</span>
              </li>
            ))}
        </ul>
      </li>
    ))}
  </ul>
);

const SkuLink = ({ rehearsal, sku }: { rehearsal: string; sku: string }) => (
  <a class="brk" href={rehearsalLink(rehearsal, 'stock', sku)} data-row="">
    {sku}
  </a>
);

const Promised = ({ place: { atp } }: { place: Stock }) =>
  atp > 0 ? <strong>{units(atp)}</strong> : <Badge tone="warn">{units(atp)}</Badge>;

const sumOf = (places: readonly Stock[]): number => places.reduce((sum, { atp }) => sum + Math.max(atp, 0), 0);
