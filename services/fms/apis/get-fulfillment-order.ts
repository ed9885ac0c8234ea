import { getFulfillmentOrder as getFulfillmentOrderApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { handle } from '../../../shared/work/handler.ts';
import { published } from '../collections.ts';
import { fulfillmentOrderById } from '../fulfillment-order-by-id.ts';

export const getFulfillmentOrder = handle(getFulfillmentOrderApi)(async ({ params }, { work }) =>
  published(await fulfillmentOrderById(work, params.id)),
);
