import type { DueHandler } from '../../../shared/contract/handler.ts';
import { transactions } from '../collections.ts';
import { markPaid } from '../submission.ts';
import { isCovered, outstandingOf } from '../tender-rules.ts';
import { settleUnknown } from '../tenders.ts';
import { isSale, renewIdleTimer } from '../transactions.ts';
import { markVoided } from '../undoing.ts';

/** Nobody has touched it for a day, and it is not paid: as Void Transaction. */
export const expireTransaction: DueHandler = async ({ key }, scope) => {
  const { work } = scope;
  const found = await work.get(transactions, key);
  if (!isSale(found) || found.state !== 'open') return;
  const sale = await settleUnknown(scope, found);
  if (isCovered(sale)) await markPaid(work, sale);
  // Somebody's approval of the last tender is awaited.
  else if (outstandingOf(sale).amount === 0) renewIdleTimer(work, key);
  else markVoided(work, sale, 'expired');
};
