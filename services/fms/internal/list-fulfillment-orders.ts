import { listFulfillmentOrders as listFulfillmentOrdersCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { published } from '../collections.ts';
import { fulfillmentOrdersOf } from '../fulfillment-order-by-id.ts';

export const listFulfillmentOrders = handle(listFulfillmentOrdersCall)(async ({ query }, { work }) => ({
  items: (await fulfillmentOrdersOf(work, query.orderId)).map(published),
}));
