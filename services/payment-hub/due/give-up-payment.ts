import { putLedgerEntry } from '../../../shared/catalog/loyalty/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import { fail } from '../authorization/authorization.ts';
import { payments, type StoredPayment } from '../collections.ts';
import { giveUpPaymentDue } from '../due-work.ts';

export const giveUpPayment = handleDue(giveUpPaymentDue)(async ({ key }, scope) => {
  const payment = await scope.work.get(payments, key);
  if (payment?.state !== 'pending') return;
  if (payment.awaiting === 'loyalty-platform') await reverseSpending(scope, payment);
  fail(scope.work, payment, { verb: 'give-up', declineCode: 'provider_timeout' });
});

/** The Loyalty Platform records the reversal even if nothing was spent, and refuses a spending that arrives later. */
async function reverseSpending({ call }: Scope, { id, amount }: StoredPayment): Promise<void> {
  try {
    await call(putLedgerEntry, { params: { type: 'reverse', reference: id }, body: { amount } });
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'not_found') throw error;
  }
}
