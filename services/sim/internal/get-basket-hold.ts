import { getBasketHold as getBasketHoldCall } from '../../../shared/catalog/inventory/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { openReservationOf } from '../attempt.ts';

export const getBasketHold = handle(getBasketHoldCall)(async ({ params }, { work }) => {
  const reservation = await openReservationOf(work, params.basketId);
  return reservation ? { reservation } : {};
});
