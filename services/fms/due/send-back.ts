import type { DueHandler } from '../../../shared/contract/handler.ts';
import { returns } from '../returns/collections.ts';
import { bookReturnedStock, sendBack } from '../returns/returned-stock.ts';

/** What goes back to the customer was on hand for a while: first that, when it has not been booked yet, then out again. */
export const sendBackLater: DueHandler = async ({ key }, scope) => {
  const found = await scope.work.get(returns, key);
  if (found?.state !== 'rejected') return;
  await bookReturnedStock(found, scope);
  await sendBack(found, scope);
};
