import type { z } from 'zod';
import type { InputOf } from '../../../shared/catalog/define.ts';
import type { authorizePayment } from '../../../shared/catalog/payment/apis.ts';
import type { Payment } from '../../../shared/catalog/payment/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { published, type StoredPayment } from '../collections.ts';

/** The decline code of a payment that was never put to the Loyalty Platform: the same request may try again. */
export const LOYALTY_UNAVAILABLE = 'loyalty_unavailable';

/** Ended without anybody having said no, so a repeat of the request is a new attempt. */
export const isAbandoned = ({ state, declineCode }: StoredPayment): boolean => state === 'failed' && declineCode === LOYALTY_UNAVAILABLE;

/** What Authorize Payment answers for a payment as it is now, on the first call and on any repeat of it. */
export function answerFor(payment: StoredPayment): z.output<typeof Payment> | Problem {
  const about = { objectType: 'payment', id: payment.id, paymentId: payment.id };
  if (payment.state === 'failed') {
    return new Problem('payment_declined', `The payment was declined: ${payment.declineCode}.`, {
      ...about,
      declineCode: payment.declineCode,
    });
  }
  if (payment.awaiting === 'provider-answer') {
    return new Problem(
      'dependency_timeout',
      'The payment provider did not answer in time; whether it approved is unknown. The payment stays pending; repeat the request with its Idempotency-Key, or read the payment.',
      { ...about, dependency: 'payment-provider' },
    );
  }
  return published(payment);
}

/**
 * A repeat finds the payment that its first run made. The claim of an answer that is not kept is let go, so the key alone does not
 * say that it is the same request.
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
