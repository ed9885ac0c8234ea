import type { InputOf } from '../../shared/catalog/define.ts';
import { listOrders as listOrdersApi } from '../../shared/catalog/order/apis.ts';
import { handle } from '../../shared/work/handler.ts';
import { type PageSource, pageOfMatches } from '../../shared/work/page-of-matches.ts';
import { findReference } from '../../shared/work/references.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { orders, type StoredOrder } from './collections.ts';
import { published } from './order-view.ts';

type Filters = InputOf<typeof listOrdersApi>['query'];

/** A world may have millions of orders, so a request reads a part of them, and the next page continues. */
const MOST_ROWS = 1_000;

export const listOrders = handle(listOrdersApi)(async ({ query }, { work }) => {
  const { limit, cursor } = query;
  const isMatch = (order: StoredOrder): boolean => matches(order, query);
  if (query.referenceSource !== undefined) {
    const order = await orderWithReference(work, query);
    return { items: order && isMatch(order) ? [published(order)] : [] };
  }
  const source = sourceOf(work, query);
  if (!needsFilter(query)) {
    const page = await source({ limit, cursor });
    return { ...page, items: page.items.map(published) };
  }
  const isPast = ({ createdAt }: StoredOrder): boolean => query.placedBefore !== undefined && createdAt >= query.placedBefore;
  const page = await pageOfMatches(source, isMatch, { limit, cursor, isPast, mostRows: MOST_ROWS });
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
function sourceOf(work: UnitOfWork, { customerId, state, placedAfter }: Filters): PageSource<StoredOrder> {
  const createdFrom = placedAfter === undefined ? undefined : Date.parse(placedAfter);
  if (customerId !== undefined) return (page) => work.find(orders, 'customer', customerId, { ...page, createdFrom });
  if (state !== undefined) return (page) => work.find(orders, 'state', state, { ...page, createdFrom });
  return (page) => work.all(orders, { ...page, createdFrom });
}
