import { releaseHolds as releaseHoldsCall } from '../../../shared/catalog/inventory/internal.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { baskets } from '../collections.ts';
import { releaseHolds } from '../due-work.ts';

/** Releases the stock of a merged or abandoned basket: explicit reservations of clients, and the reservation of its transaction. */
export const releaseHoldsOfBasket = handleDue(releaseHolds)(async ({ key: basketId }, { work, call }) => {
  const basket = await work.get(baskets, basketId);
  if (!basket) return;
  const { id, state, transactionId } = basket;
  await call(releaseHoldsCall, {
    body: { basket: { id, state }, ...(transactionId !== undefined && { order: { id: transactionId, state: 'cancelled' } }) },
  });
});
