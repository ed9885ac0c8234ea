import { control, type Output } from '../data/control.ts';

export type Stock = Output<'list-stock'>['items'][number];

const PAGE = 500;
/** Most requests for one view. */
const MOST_PAGES = 10;

export interface StockOfSku {
  readonly sku: string;
  /** Sorted like the locations. */
  readonly places: readonly Stock[];
}

/** Stock by SKU, from the beginning of the list. `hasMore`: there are SKUs after these. */
export async function readStock(signal: AbortSignal) {
  const read: Stock[] = [];
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { items, next } = await control('list-stock', { query: { after, limit: PAGE } }, { signal });
    read.push(...items);
    after = next;
    if (after === undefined) break;
  }
  const skus = [...Map.groupBy(read, ({ sku }) => sku)].map(([sku, places]): StockOfSku => ({ sku, places }));
  const locations = [...new Set(read.map(({ locationId }) => locationId))];
  return { skus, locations, hasMore: after !== undefined };
}

/** `1,000 on hand, 2 reserved, 5 kept back`: the numbers behind ATP. */
export const partsOf = ({ onHand, reserved, safetyStock }: Stock): string =>
  [
    `${onHand.toLocaleString('en')} on hand`,
    reserved > 0 && `${reserved.toLocaleString('en')} reserved`,
    safetyStock > 0 && `${safetyStock.toLocaleString('en')} kept back`,
  ]
    .filter(Boolean)
    .join(', ');
