import type { z } from 'zod';
import { getTransaction } from '../../../shared/catalog/commerce/internal.ts';
import type { Transaction as TransactionSchema } from '../../../shared/catalog/commerce/transaction.ts';
import { refusal } from '../../../shared/catalog/life-cycle.ts';
import { invalid } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { StoredOrder } from '../collections.ts';

type Transaction = z.output<typeof TransactionSchema>;

/** Whether the order was sold at a till: the till holds its stock, the customer takes the goods, and it is never routed. */
export const isSale = ({ channel }: Pick<StoredOrder, 'channel'>): boolean => channel === 'pos';

/**
 * Id of the basket of a checkout at the till. The POS sends the paid transaction in its request. Other callers may name a
 * transaction earlier and get a draft that is still unpaid.
 * @throws Problem `not_found`, `invalid_state_transition` of a transaction that was voided, `dependency_*`
 */
export async function basketOfSale(id: string, sent: Transaction | undefined, { call }: Scope): Promise<string> {
  if (sent && sent.id !== id)
    throw invalid('/transaction/id', 'other_transaction', `The transaction in the request is "${sent.id}", not "${id}".`);
  const { state, basket } = sent ?? (await call(getTransaction, { params: { id } }));
  if (state !== 'voided') return basket.id;
  throw refusal(
    'transaction',
    { id, state },
    'order',
    `The transaction "${id}" is voided: nothing was sold, and no order can be created.`,
    { allowedFrom: ['open', 'paid', 'completed'] },
  );
}
