import { putLedgerEntry } from '../../../shared/catalog/loyalty/internal.ts';
import type { DueHandler, Scope } from '../../../shared/contract/handler.ts';
import { fail } from '../authorisation.ts';
import { payments, type StoredPayment } from '../collections.ts';
import { spendRedemption } from '../redemption.ts';

/** Nobody said within 15 minutes what became of a payment: it failed. What it may have spent is given back first. */
export const giveUpPayment: DueHandler = async ({ key }, scope) => {
  const payment = await scope.work.get(payments, key);
  if (payment?.state !== 'pending') return;
  if (payment.awaiting === 'loyalty-platform') await unspend(scope, payment);
  fail(scope.work, payment, { verb: 'give-up', declineCode: 'provider_timeout' });
};

/**
 * Whether the first call was heard is unknown, and it may still be on its way. So the redemption is spent for this payment now,
 * for certain, and then given back: whatever comes late is a repeat that changes nothing.
 */
async function unspend({ call }: Scope, payment: StoredPayment): Promise<void> {
  const verdict = await spendRedemption({ call }, payment);
  if (verdict.is === 'approved')
    await call(putLedgerEntry, { params: { type: 'reverse', reference: payment.id }, body: { amount: payment.amount } });
}
