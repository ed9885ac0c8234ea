import type { z } from 'zod';
import type { InputOf } from '../../../shared/catalog/define.ts';
import type { authorizePayment } from '../../../shared/catalog/payment/apis.ts';
import type { Payment } from '../../../shared/catalog/payment/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { moneyInWords } from '../../../shared/domain/money.ts';
import { published, type StoredPayment } from '../collections.ts';

/** The decline code of a payment whose call never reached the Loyalty Platform. */
export const LOYALTY_UNAVAILABLE = 'loyalty_unavailable';

/** Whether the payment failed without being declined. A repeat of the request is then a new attempt. */
export const isAbandoned = ({ state, declineCode }: StoredPayment): boolean => state === 'failed' && declineCode === LOYALTY_UNAVAILABLE;

/** The answer of Authorize Payment for the current state of the payment, on the first call and on each repeat. */
export function answerFor(payment: StoredPayment): z.output<typeof Payment> | Problem {
  const about = { objectType: 'payment', id: payment.id, paymentId: payment.id };
  if (payment.state === 'failed') {
    const { declineCode, available } = payment;
    const worth = available ? ` The tender can pay ${moneyInWords(available)}.` : '';
    return new Problem('payment_declined', `The payment was declined: ${declineCode}.${worth}`, {
      ...about,
      declineCode,
      availableAmount: available,
    });
  }
  if (payment.awaiting === 'provider-answer') {
    return new Problem(
      'dependency_timeout',
      'The payment provider did not answer in time, so the outcome is unknown. The payment stays pending, and fails after 15 minutes without an answer. Repeat the request with its Idempotency-Key.',
      { ...about, dependency: 'payment-provider' },
    );
  }
  return published(payment);
}

/**
 * A repeat finds the payment of its first run by the key alone. A 5xx answer is not stored with the key, so this compares
 * the request itself.
 * @throws Problem `idempotency_key_reused`
 */
export function refuseOtherRequest(
  { orderId, tender, returnId, amount }: StoredPayment,
  body: InputOf<typeof authorizePayment>['body'],
): void {
  const isSame =
    orderId === body.orderId &&
    tender.type === body.tender.type &&
    tender.token === body.tender.token &&
    returnId === body.returnId &&
    (body.amount === undefined || (body.amount.amount === amount.amount && body.amount.currency === amount.currency));
  if (isSame) return;
  throw new Problem('idempotency_key_reused', 'This Idempotency-Key was used with another request; use a new key for a new request.');
}
