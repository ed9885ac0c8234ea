import type { z } from 'zod';
import { getTransaction } from '../../../shared/catalog/commerce/internal.ts';
import type { Transaction as TransactionSchema } from '../../../shared/catalog/commerce/transaction.ts';
import { invalid, Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { StoredOrder } from '../collections.ts';

type Transaction = z.output<typeof TransactionSchema>;

/** Whether a customer takes the goods along: the till holds its stock, and nothing of it is ever routed. */
export const isSale = ({ channel }: Pick<StoredOrder, 'channel'>): boolean => channel === 'pos';

/**
 * The basket of a checkout at the till. The POS sends the checkout along when it is paid; anybody else may name it before that, and
 * gets a draft that is still to be paid.
 * @throws Problem `not_found`, `invalid_state_transition` of a transaction that was voided, `dependency_*`
 */
export async function basketOfSale(id: string, sent: Transaction | undefined, { call }: Scope): Promise<string> {
  if (sent && sent.id !== id) throw invalid('/transaction/id', 'other_transaction', `The transaction sent is "${sent.id}", not "${id}".`);
  const { state, basket } = sent ?? (await call(getTransaction, { params: { id } }));
  if (state !== 'voided') return basket.id;
  throw new Problem('invalid_state_transition', `The transaction "${id}" was voided; nothing of it was sold.`, {
    objectType: 'transaction',
    id,
    currentState: state,
    action: 'order',
    allowedFrom: ['open', 'paid', 'completed'],
  });
}
