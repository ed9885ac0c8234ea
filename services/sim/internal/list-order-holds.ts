import { listOrderHolds as listOrderHoldsCall } from '../../../shared/catalog/inventory/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { findOpenReservations } from '../open-reservations.ts';

export const listOrderHolds = handle(listOrderHoldsCall)(async ({ params: { orderId }, query: { basketId } }, { work }) => ({
  items: await findOpenReservations(work, { orderId, basketId }),
}));
