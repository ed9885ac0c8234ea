import { handleDue } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { bookReturnedStockDue } from '../returns/due-work.ts';
import { bookReturnedStock } from '../returns/returned-stock.ts';

export const bookReturnedStockLater = handleDue(bookReturnedStockDue)(async ({ key }, scope) => {
  const found = await scope.work.get(returns, key);
  if (found) await bookReturnedStock(found, scope);
});
