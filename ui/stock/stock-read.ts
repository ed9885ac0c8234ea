import { control, type Output } from '../data/control.ts';

export type StockPlace = Output<'list-stock'>['items'][number];

const PAGE = 500;
/** Most requests for one view. */
const MOST_PAGES = 10;

export interface StockOfSku {
  readonly sku: string;
  /** Name of its product. */
  readonly name: string | undefined;
  /** Sorted like the locations. */
  readonly places: readonly StockPlace[];
}

/** Stock by SKU, from the beginning of the list. `hasMore`: there are SKUs after these. */
export async function readStock(signal: AbortSignal) {
  const read: StockPlace[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items, next } = await control('list-stock', { query: { after, limit: PAGE } }, { signal });
    read.push(...items);
    after = next;
    if (after === undefined) break;
  }
  const skus = [...Map.groupBy(read, ({ sku }) => sku)].map(([sku, places]): StockOfSku => ({ sku, name: places[0]?.name, places }));
  const names = new Map(read.map(({ locationId, locationName }) => [locationId, locationName]));
  const locations = [...names].map(([id, name]) => ({ id, name }));
  return { skus, locations, hasMore: after !== undefined };
}

type Counts = Pick<StockPlace, 'onHand' | 'reserved' | 'safetyStock'>;

/** The stock of several places together. A place with a negative ATP does not lower the sum. */
export const sumOf = (places: readonly StockPlace[]): Counts & Pick<StockPlace, 'atp'> => ({
  onHand: sum(places, ({ onHand }) => onHand),
  reserved: sum(places, ({ reserved }) => reserved),
  safetyStock: sum(places, ({ safetyStock }) => safetyStock),
  atp: places.length === 1 ? sum(places, ({ atp }) => atp) : sum(places, ({ atp }) => Math.max(atp, 0)),
});

const sum = (places: readonly StockPlace[], of: (place: StockPlace) => number): number => places.reduce((all, place) => all + of(place), 0);
