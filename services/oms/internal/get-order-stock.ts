import { getOrderStock as getOrderStockCall } from '../../../shared/catalog/order/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { orderById } from '../collections.ts';

export const getOrderStock = handle(getOrderStockCall)(async ({ params }, { work }) => {
  const { id, state, channel, basketId, lines } = await orderById(work, params.id);
  return { id, state, channel, basketId, lines: lines.map(({ lineId, sku, qty, reservationId }) => ({ lineId, sku, qty, reservationId })) };
});
