import type { z } from 'zod';
import type { InputOf } from '../../shared/catalog/define.ts';
import {
  collectionStatusOf,
  listCollections as listCollectionsApi,
  type WaitingCollection,
} from '../../shared/catalog/fulfillment/collections.ts';
import { handle } from '../../shared/work/handler.ts';
import { type PageSource, pageOfMatches } from '../../shared/work/page-of-matches.ts';
import { isToCollect, type ToCollect } from './collection.ts';
import { collectionKey, fulfillmentOrders, type StoredFulfillmentOrder } from './collections.ts';

type Filters = InputOf<typeof listCollectionsApi>['query'];

/** A store may have many collections, so a request reads a part of them, and the next page continues. */
const MOST_ROWS = 1_000;
/** The rows of a page are parsed without a pause, so their lines are limited too. */
const MOST_LINES = 1_000;

export const listCollections = handle(listCollectionsApi)(async ({ query }, { work, breathe }) => {
  const key = smallestListOf(query);
  const source: PageSource<StoredFulfillmentOrder> = (page) => work.find(fulfillmentOrders, 'collection', key, { ...page, breathe });
  const { limit, cursor } = query;
  const size = { of: ({ lines }: StoredFulfillmentOrder) => lines.length, most: MOST_LINES };
  const page = await pageOfMatches(source, (found) => matches(found, query), { limit, cursor, mostRows: MOST_ROWS, size });
  return { ...page, items: page.items.filter(isToCollect).map(shown) };
});

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
