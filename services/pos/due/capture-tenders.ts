import { capturePayment } from '../../../shared/catalog/payment/apis.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { captureTendersDue } from '../due-work.ts';
import { mayBeSubmittedLater } from '../sale/submission.ts';
import { type HubPayment, readPayments } from '../tender/hub-payments.ts';
import { CALL_TIMEOUT_MS } from '../timing.ts';
import { isSale } from '../transaction/transactions.ts';

/**
 * Captures the tenders of a sale that the OMS has not accepted for a day. The goods have left, so the money must not return to the
 * customer when an authorisation expires. Later the OMS reads the captured payments and completes the sale.
 */
export const captureTenders = handleDue(captureTendersDue)(async ({ key }, scope) => {
  const sale = await scope.work.get(transactions, key);
  if (!isSale(sale) || sale.state !== 'paid') return;
  const payments = await readPayments(scope, key);
  for (const payment of payments.filter(mayExpire)) await captureTender(scope, payment);
});

/** Cash, gift cards, points and exchange credit do not expire. They wait for the OMS. */
const mayExpire = ({ state, authorizationExpiresAt }: HubPayment): boolean =>
  state === 'authorised' && authorizationExpiresAt !== undefined;

/** If the tender was captured or voided in the meantime, the submission finds out. */
async function captureTender({ call, log }: Scope, { id, orderId }: HubPayment): Promise<void> {
  try {
    await call(capturePayment, { params: { id }, body: {} }, { step: id, timeoutMs: CALL_TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof Problem) || mayBeSubmittedLater(error)) throw error;
    log.warn({ transactionId: orderId, paymentId: id, code: error.code }, `capturing a tender failed: ${error.message}`);
  }
}
