import { createTransaction as createTransactionApi } from '../../../shared/catalog/commerce/apis.ts';
import { putTransactionBasket } from '../../../shared/catalog/commerce/internal.ts';
import { invalid, isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type Sale, type StoredTransaction, stores, transactions } from '../collections.ts';
import { abandonOpening } from '../due-work.ts';
import { markPaid } from '../sale/submission.ts';
import { isCovered } from '../tender/listed-tenders.ts';
import { OPENING_MS } from '../timing.ts';
import { mergedLines } from '../transaction/lines.ts';
import { orderView } from '../transaction/views.ts';
import { isSale, renewIdleTimer, save } from '../transaction/transactions.ts';

/**
 * The eCommerce Platform prices, locks and holds. The till notes first that it asks; a basket of which it never hears is given up
 * after a while.
 */
export const createTransaction = handle(createTransactionApi)(async ({ body: { laneId, ...sent } }, scope) => {
  const { work, call } = scope;
  const body = { ...sent, ...(sent.lines && { lines: mergedLines(sent.lines) }) };
  const { id, found } = await ownTransaction(work);
  if (isSale(found)) return orderView(found);
  const opening = found ?? (await begin(scope, { id, storeId: body.storeId, laneId }));
  try {
    const basket = await call(putTransactionBasket, { params: { transactionId: id }, body }, { intent: `open ${id}` });
    return orderView(await open(work, opening, basket));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (isRefusal(error)) {
      work.cancel(abandonOpening, id);
      save(work, opening, { state: 'given-up' });
    }
    return error;
  }
});

/** Said by somebody who did nothing: there is no basket, and there will be none. */
const isRefusal = (problem: Problem): boolean => !problem.retryable && !isDependencyProblem(problem);

/** The transaction of this request, and how far it got. One that was given up is never used again. */
async function ownTransaction(work: UnitOfWork): Promise<{ readonly id: string; readonly found: StoredTransaction | undefined }> {
  for (let attempt = 0; ; attempt++) {
    const id = work.id('ord', attempt === 0 ? '' : String(attempt));
    const found = await work.get(transactions, id);
    if (found?.state !== 'given-up') return { id, found };
  }
}

async function begin({ work }: Scope, asked: { id: string; storeId: string; laneId: string }): Promise<StoredTransaction> {
  await refuseUnknownStore(work, asked.storeId);
  const at = instant(work.now);
  const opening = work.put(transactions, { ...asked, createdAt: at, updatedAt: at, state: 'opening', tenders: [], asked: [] });
  // Until then whoever repeats the request gets the transaction that it began.
  work.schedule(abandonOpening, asked.id, work.now + OPENING_MS, null);
  await work.checkpoint();
  return opening;
}

/** @throws Problem 422 naming the stores that there are */
async function refuseUnknownStore(work: UnitOfWork, storeId: string): Promise<void> {
  if (await work.get(stores, storeId)) return;
  const names = (await work.all(stores)).items.map(({ id }) => id);
  throw invalid('/storeId', 'unknown_store', `There is no store "${storeId}"; there are ${names.join(', ')}.`);
}

/** What costs nothing is paid at once. */
async function open(work: UnitOfWork, opening: StoredTransaction, basket: Sale['basket']): Promise<Sale> {
  work.cancel(abandonOpening, opening.id);
  const sale = { ...save(work, opening, { state: 'open', basket }), basket };
  renewIdleTimer(work, sale.id);
  return isCovered(sale) ? markPaid(work, sale) : sale;
}
