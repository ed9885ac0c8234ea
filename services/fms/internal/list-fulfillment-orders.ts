import { listFulfillmentOrders as listFulfillmentOrdersCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { fulfillmentOrdersOf, published } from '../collections.ts';

export const listFulfillmentOrders = handle(listFulfillmentOrdersCall)(async ({ query }, { work }) => ({
  items: (await fulfillmentOrdersOf(work, query.orderId)).map(published),
}));
