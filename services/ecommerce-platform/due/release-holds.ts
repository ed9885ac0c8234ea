import { releaseHolds } from '../../../shared/catalog/inventory/internal.ts';
import type { DueHandler } from '../../../shared/contract/handler.ts';
import { baskets } from '../collections.ts';

/** A basket that is over: what somebody had held for it by hand, or for the order that its transaction will not become, is given back. */
export const releaseHoldsOfBasket: DueHandler = async ({ key: basketId }, { work, call }) => {
  const orderId = (await work.get(baskets, basketId))?.transactionId;
  await call(releaseHolds, { body: { basketId, ...(orderId !== undefined && { orderId }) } });
};
