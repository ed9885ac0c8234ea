import { handleDue } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { undoSaleDue } from '../due-work.ts';
import { compensate } from '../sale/compensation.ts';
import { isSale } from '../transaction/transactions.ts';

export const undoSale = handleDue(undoSaleDue)(async ({ key }, scope) => {
  const sale = await scope.work.get(transactions, key);
  if (!isSale(sale) || !sale.compensation) return;
  const { problem } = await compensate(scope, sale);
  if (problem) throw problem;
});
