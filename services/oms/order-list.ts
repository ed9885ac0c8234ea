import type { InputOf } from '../../shared/catalog/define.ts';
import { listOrders as listOrdersApi } from '../../shared/catalog/order/apis.ts';
import type { Breathe } from '../../shared/domain/breathe.ts';
import { type PageSource, pageOfMatches } from '../../shared/handlers/page-of-matches.ts';
import { findReference } from '../../shared/handlers/references.ts';
import { handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { orders, type StoredOrder } from './collections.ts';
import { published } from './order-view.ts';

type Filters = InputOf<typeof listOrdersApi>['query'];

/** A world may have millions of orders, so a request reads a part of them, and the next page continues. */
const MOST_ROWS = 1_000;
/** The answer is checked and written without a pause, so the lines of its orders are limited too. */
const MOST_LINES = 1_000;

export const listOrders = handle(listOrdersApi)(async ({ query }, { work, breathe }) => {
  const { limit, cursor, placedBefore } = query;
  const isMatch = (order: StoredOrder): boolean => matches(order, query);
  if (query.referenceSource !== undefined) {
    const order = await orderWithReference(work, query);
    return { items: order && isMatch(order) ? [published(order)] : [] };
  }
  const page = await pageOfMatches(sourceOf(work, query, breathe), needsFilter(query) ? isMatch : undefined, {
    limit,
    cursor,
    isPast: ({ createdAt }) => placedBefore !== undefined && createdAt >= placedBefore,
    mostRows: MOST_ROWS,
    size: { of: ({ lines }) => lines.length, most: MOST_LINES },
  });
  return { ...page, items: page.items.map(published) };
});

/** Whether the source may have orders that do not match. */
const needsFilter = ({ customerId, state, placedAfter, placedBefore }: Filters): boolean =>
  placedAfter !== undefined || placedBefore !== undefined || (customerId !== undefined && state !== undefined);

/** Instants in UTC with milliseconds sort as text. */
const matches = ({ customerId, state, createdAt }: StoredOrder, query: Filters): boolean =>
  (query.customerId === undefined || customerId === query.customerId) &&
  (query.state === undefined || state === query.state) &&
  (query.placedAfter === undefined || createdAt >= query.placedAfter) &&
  (query.placedBefore === undefined || createdAt < query.placedBefore);

async function orderWithReference(work: UnitOfWork, { referenceSource = '', referenceId = '' }: Filters): Promise<StoredOrder | undefined> {
  const record = await findReference(work, 'order', { source: referenceSource, id: referenceId });
  return record?.objectId === undefined ? undefined : work.get(orders, record.objectId);
}

/** The smallest indexed list that contains all matches, from the time of the first possible match. */
function sourceOf(work: UnitOfWork, { customerId, state, placedAfter }: Filters, breathe: Breathe): PageSource<StoredOrder> {
  const createdFrom = placedAfter === undefined ? undefined : Date.parse(placedAfter);
  if (customerId !== undefined) return (page) => work.find(orders, 'customer', customerId, { ...page, createdFrom, breathe });
  if (state !== undefined) return (page) => work.find(orders, 'state', state, { ...page, createdFrom, breathe });
  return (page) => work.all(orders, { ...page, createdFrom, breathe });
}
