import type { z } from 'zod';
import type { InputOf } from '../../shared/catalog/define.ts';
import { listCollections as listCollectionsApi, type WaitingCollection } from '../../shared/catalog/fulfillment/collections.ts';
import { collectionStatusOf, mayBeUnpaid } from '../../shared/catalog/fulfillment/counter.ts';
import { listOutstanding } from '../../shared/catalog/order/internal.ts';
import { isDependencyProblem, isProblem } from '../../shared/catalog/problems.ts';
import type { Money } from '../../shared/domain/money.ts';
import { type PageSource, pageOfMatches } from '../../shared/handlers/page-of-matches.ts';
import { handle, type Scope } from '../../shared/work/handler.ts';
import { isToCollect, type ToCollect } from './collection.ts';
import { collectionKey, fulfillmentOrders, type StoredFulfillmentOrder } from './collections.ts';

type Filters = InputOf<typeof listCollectionsApi>['query'];

/** A store may have many collections, so a request reads a part of them, and the next page continues. */
const MOST_ROWS = 1_000;
/** The rows of a page are parsed without a pause, so their lines are limited too. */
const MOST_LINES = 1_000;
/** The OMS waits less for the Payment Hub. */
const OUTSTANDING_TIMEOUT_MS = 4_000;

export const listCollections = handle(listCollectionsApi)(async ({ query }, scope) => {
  const { work, breathe } = scope;
  const key = smallestListOf(query);
  const source: PageSource<StoredFulfillmentOrder> = (page) => work.find(fulfillmentOrders, 'collection', key, { ...page, breathe });
  const { limit, cursor } = query;
  const size = { of: ({ lines }: StoredFulfillmentOrder) => lines.length, most: MOST_LINES };
  const page = await pageOfMatches(source, (found) => matches(found, query), { limit, cursor, mostRows: MOST_ROWS, size });
  const found = page.items.filter(isToCollect);
  const outstanding = await outstandingOf(found, scope);
  return {
    ...page,
    items: found.map((one) => ({ ...shown(one), outstanding: mayBeUnpaid(one) ? outstanding.get(one.orderId) : undefined })),
  };
});

/** What is outstanding by order. Staff finds the goods while another application does not answer, so the amounts are then missing. */
async function outstandingOf(found: readonly ToCollect[], { call, log }: Scope): Promise<ReadonlyMap<string, Money>> {
  const orderIds = [...new Set(found.filter(mayBeUnpaid).map(({ orderId }) => orderId))];
  if (orderIds.length === 0) return new Map();
  try {
    const { items } = await call(listOutstanding, { body: { orderIds } }, { timeoutMs: OUTSTANDING_TIMEOUT_MS });
    return new Map(items.map(({ orderId, outstanding }) => [orderId, outstanding]));
  } catch (error) {
    if (!isDependencyProblem(error) && !isProblem(error, 'swapped')) throw error;
    log.warn({ code: error.code }, 'collections listed without what is outstanding: the OMS did not answer');
    return new Map();
  }
}

/** The smallest indexed list that contains all matches. */
function smallestListOf({ orderNumber, customerId, locationId = '', status }: Filters): string {
  if (orderNumber !== undefined) return collectionKey.orderNumber(orderNumber);
  if (customerId !== undefined) return collectionKey.customer(customerId);
  return status === undefined ? collectionKey.store(locationId) : collectionKey.status(locationId, status);
}

const matches = (found: StoredFulfillmentOrder, { locationId, customerId, status }: Filters): boolean =>
  (locationId === undefined || found.collection?.locationId === locationId) &&
  (customerId === undefined || found.customerId === customerId) &&
  (status === undefined || collectionStatusOf(found) === status);

function shown(found: ToCollect): z.input<typeof WaitingCollection> {
  const { id, orderId, orderNumber, customerId, payAt, lines, collection } = found;
  const { locationId, person, readyBy, readyAt, lastDay, until, extended } = collection;
  const status = collectionStatusOf(found);
  return {
    fulfillmentOrderId: id,
    orderId,
    orderNumber,
    customerId,
    locationId,
    person,
    readyBy,
    status,
    units: lines.reduce((sum, { qty, pickedQty, shortQty }) => sum + (status === 'preparing' ? qty - shortQty : pickedQty), 0),
    readyAt,
    lastDay,
    until,
    extended,
    payAt,
  };
}
