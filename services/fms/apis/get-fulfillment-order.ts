import { getFulfillmentOrder as getFulfillmentOrderApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { handle } from '../../../shared/work/handler.ts';
import { fulfillmentOrderById, published } from '../collections.ts';

export const getFulfillmentOrder = handle(getFulfillmentOrderApi)(async ({ params }, { work }) =>
  published(await fulfillmentOrderById(work, params.id)),
);
