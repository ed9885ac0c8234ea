import { getOrder as getOrderApi } from '../../../shared/catalog/order/apis.ts';
import { handle } from '../../../shared/work/handler.ts';
import { orderById } from '../collections.ts';
import { fetchView } from '../order-view.ts';

export const getOrder = handle(getOrderApi)(async ({ params }, scope) => fetchView(await orderById(scope.work, params.id), scope));
