import { putTransactionBasket as putTransactionBasketCall } from '../../../shared/catalog/commerce/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { giveUpCheckout } from '../checkout/record.ts';
import { baskets } from '../collections.ts';
import { startTransaction } from '../till/start-transaction.ts';

export const putTransactionBasketHandler = handle(putTransactionBasketCall)(async ({ params: { transactionId }, body }, scope) => {
  const { work } = scope;
  const existing = await work.findUnique(baskets, 'transaction', transactionId);
  if (existing) return again(existing);
  const basketId = body.basketId ?? basketIdOf(transactionId);
  try {
    return await startTransaction(scope, { transactionId, basketId, body });
  } catch (error) {
    if (!(error instanceof Problem) || !(await giveUpCheckout(work, basketId))) throw error;
    return error;
  }
});

/** Derived from the transaction, so that every repeat creates the same basket. */
const basketIdOf = (transactionId: string): string => `bsk_${transactionId.replace(/^ord_/, '')}`;
