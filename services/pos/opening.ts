import type { z } from 'zod';
import { createTransaction as createTransactionApi, listProducts } from '../../shared/catalog/commerce/apis.ts';
import { putTransactionBasket } from '../../shared/catalog/commerce/internal.ts';
import type { InputOf, OutputOf } from '../../shared/catalog/define.ts';
import { linesBySku, type SkuUnits } from '../../shared/catalog/lines-by-sku.ts';
import { getOrder } from '../../shared/catalog/order/apis.ts';
import { invalid, isDependencyProblem, notFound, Problem } from '../../shared/catalog/problems.ts';
import type { Figures } from '../../shared/catalog/retailer.ts';
import type { RequestedLine } from '../../shared/catalog/shapes.ts';
import { gtin14, priceLabel } from '../../shared/domain/barcode.ts';
import { type Money, money } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { openCollection } from './collection.ts';
import { type BasketSale, type Sale, type StoredTransaction, stores, transactions } from './collections.ts';
import { abandonOpeningDue, OPENING_MS } from './due-work.ts';
import { submitNow } from './submission.ts';
import {
  isCovered,
  isSale,
  markPaid,
  orderView,
  outstandingInCashOf,
  outstandingOf,
  receiptOf,
  renewIdleTimer,
  save,
} from './transactions.ts';
import { abandonBasketOf } from './voiding.ts';

export const createTransaction = handle(createTransactionApi)(async ({ body: { orderId, ...body } }, scope) => {
  if (orderId === undefined) return openSale(body, scope);
  await refuseUnknownStore(scope.work, body.storeId);
  const { sale, isRepeat } = await openCollection({ ...body, orderId }, scope);
  const answer = await answerOf(scope, sale);
  return isRepeat ? again(answer) : answer;
});

type SaleRequest = Omit<InputOf<typeof createTransactionApi>['body'], 'orderId'>;

/** Commits `opening` first, with the work that gives it up. Then the eCommerce Platform prices and locks the basket and reserves stock. */
async function openSale({ laneId, ...sent }: SaleRequest, scope: Scope): Promise<OutputOf<typeof createTransactionApi> | Problem> {
  const { work, call } = scope;
  const body = { ...sent, lines: sent.lines && linesBySku(await bySku(scope, sent.lines), '/lines') };
  const { id, found } = await findOwnTransaction(work);
  if (isSale(found)) return answerOf(scope, found);
  const opening = found ?? (await beginTransaction(scope, { id, storeId: body.storeId, laneId }));
  let basket: BasketSale['basket'];
  try {
    basket = await call(putTransactionBasket, { params: { transactionId: id }, body }, { intent: `open ${id}` });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (isRefusal(error)) {
      work.cancel(abandonOpeningDue, id);
      save(work, opening, { state: 'given-up' });
    }
    return error;
  }
  const sale = await openTransaction(work, opening, basket);
  if (sale.state !== 'paid') return answerOf(scope, sale);
  await work.checkpoint();
  return answerOf(scope, await submitNow(scope, sale));
}

/** The order of the transaction. The OMS has the order of a completed one. */
async function answerOf({ work, call }: Scope, sale: Sale): Promise<OutputOf<typeof createTransactionApi>> {
  const order = sale.state === 'completed' ? await call(getOrder, { params: { id: sale.id } }) : orderView(sale, work.figures);
  const ofCollection = sale.collection && { outstanding: outstandingOf(sale), opening: sale.opening?.number };
  return { ...order, receipt: receiptOf(sale), ...ofCollection, outstandingInCash: outstandingInCashOf(sale, work.figures) };
}

/** Lines of a request by SKU, with the price of a label. @throws Problem 404 for an unknown barcode; 422 for a wrong label; 503, 504 */
const bySku = ({ call, work }: Scope, lines: readonly z.output<typeof RequestedLine>[]): Promise<SkuUnits[]> =>
  Promise.all(
    lines.map(async ({ sku, gtin = '', qty }, index) => {
      if (sku !== undefined) return { sku, qty };
      const [product] = (await call(listProducts, { query: { gtin } })).items;
      if (!product) throw notFound('product', gtin);
      if (gtin14(product.gtin) === gtin) return { sku: product.sku, qty };
      return { sku: product.sku, qty, labelPrice: labelPriceOf({ gtin, qty, pointer: `/lines/${index}` }, work.figures) };
    }),
  );

/** A label is printed for one piece. @throws Problem 422 */
function labelPriceOf(
  { gtin, qty, pointer }: { readonly gtin: string; readonly qty: number; readonly pointer: string },
  { currency }: Pick<Figures, 'currency'>,
): Money {
  const price = priceLabel(gtin)?.price ?? 0;
  if (price === 0) throw invalid(`${pointer}/gtin`, 'no_price', 'The label has the price 0.00. Print it again.');
  if (qty !== 1) throw invalid(`${pointer}/qty`, 'label_qty_not_one', 'A label with its price is sold with quantity 1. Scan each label.');
  return money(price, currency);
}

/** Whether there is certainly no basket. After a refusal there is none and never will be. After other problems there may be one. */
const isRefusal = (problem: Problem): boolean => !problem.retryable && !isDependencyProblem(problem);

/** The transaction that an earlier run of this request began. The id of a transaction that was given up is never used again. */
async function findOwnTransaction(work: UnitOfWork): Promise<{ readonly id: string; readonly found: StoredTransaction | undefined }> {
  for (let attempt = 0; ; attempt++) {
    const id = work.id('ord', attempt === 0 ? '' : String(attempt));
    const found = await work.get(transactions, id);
    if (found?.state !== 'given-up') return { id, found };
  }
}

async function beginTransaction({ work }: Scope, wanted: { id: string; storeId: string; laneId: string }): Promise<StoredTransaction> {
  await refuseUnknownStore(work, wanted.storeId);
  const at = instant(work.now);
  const opening = work.put(transactions, { ...wanted, createdAt: at, updatedAt: at, state: 'opening', tenders: [], asked: [] });
  // A repeat of the request within this time gets this transaction.
  work.schedule(abandonOpeningDue, wanted.id, work.now + OPENING_MS, null);
  await work.checkpoint();
  return opening;
}

/** @throws Problem `validation_failed` that lists the stores */
async function refuseUnknownStore(work: UnitOfWork, storeId: string): Promise<void> {
  if (await work.get(stores, storeId)) return;
  const names = (await work.all(stores)).items.map(({ id }) => id);
  throw invalid('/storeId', 'unknown_store', `There is no store "${storeId}"; choose one of ${names.join(', ')}.`);
}

/** A transaction that costs nothing is paid when it opens. */
async function openTransaction(work: UnitOfWork, opening: StoredTransaction, basket: BasketSale['basket']): Promise<Sale> {
  work.cancel(abandonOpeningDue, opening.id);
  const sale: Sale = { ...save(work, opening, { state: 'open', basket }), basket, collection: undefined };
  renewIdleTimer(work, sale.id);
  return isCovered(sale) ? markPaid(work, sale) : sale;
}

/** Commits `given-up`, so that no request opens the transaction. Then the eCommerce Platform abandons a basket that it locked. */
export const abandonOpening = handleDue(abandonOpeningDue)(async ({ key }, scope) => {
  const found = await scope.work.get(transactions, key);
  if (found?.state !== 'opening' && found?.state !== 'given-up') return;
  if (found.state === 'opening') {
    save(scope.work, found, { state: 'given-up' });
    await scope.work.checkpoint();
  }
  await abandonBasketOf(scope, key);
});
