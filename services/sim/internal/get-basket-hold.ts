import { getBasketHold as getBasketHoldCall } from '../../../shared/catalog/inventory/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { findOpenReservation } from '../open-reservations.ts';

export const getBasketHold = handle(getBasketHoldCall)(async ({ params }, { work }) => {
  const reservation = await findOpenReservation(work, params.basketId);
  return reservation ? { reservation } : {};
});
