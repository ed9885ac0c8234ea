import type { DueHandler } from '../../../shared/contract/handler.ts';
import { transactions } from '../collections.ts';
import { newsOf, triesOf } from '../due-kinds.ts';
import { isQueued, submit, submitLater } from '../submission.ts';
import { isSale } from '../transactions.ts';

/** Store and forward: a paid sale is submitted as often as it takes. What the OMS refuses is parked, for somebody to look at. */
export const submitOrder: DueHandler = async ({ key, payload, attempts }, scope) => {
  const sale = await scope.work.get(transactions, key);
  if (!isSale(sale) || sale.state !== 'paid') return;
  const news = newsOf(payload);
  try {
    await submit(scope, sale, { attempts, news });
  } catch (error) {
    if (!isQueued(error)) throw error;
    submitLater(scope.work, sale, { tries: triesOf(payload), news });
  }
};
