import type { DueHandler } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { undoSale } from '../sale/undoing.ts';
import { isSale } from '../transaction/transactions.ts';

/** What a voided transaction has not given back yet. */
export const undoVoidedSale: DueHandler = async ({ key }, scope) => {
  const sale = await scope.work.get(transactions, key);
  if (!isSale(sale) || !sale.compensation) return;
  const { problem } = await undoSale(scope, sale);
  if (problem) throw problem;
};
