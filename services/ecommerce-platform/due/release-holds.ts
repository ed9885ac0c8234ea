import { releaseHolds as releaseHoldsCall } from '../../../shared/catalog/inventory/internal.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { releaseHolds } from '../due-work.ts';
import { baskets } from '../collections.ts';

/** A basket that is over: what somebody had held for it by hand, or for the order that its transaction will not become, is given back. */
export const releaseHoldsOfBasket = handleDue(releaseHolds)(async ({ key: basketId }, { work, call }) => {
  const basket = await work.get(baskets, basketId);
  if (!basket) return;
  const { id, state, transactionId } = basket;
  await call(releaseHoldsCall, {
    body: { basket: { id, state }, ...(transactionId !== undefined && { order: { id: transactionId, state: 'cancelled' } }) },
  });
});
