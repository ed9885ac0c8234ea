import { Payment } from '../../../shared/catalog/payment/objects.ts';
import { type EventHandler, unchanged } from '../../../shared/work/handler.ts';
import { payOutReturnDue } from '../due-work.ts';
import { noteLostAuthorization } from '../payment/lost-authorizations.ts';
import { returnBookings } from '../returns/bookings.ts';
import { creditHeld, isCredit } from '../returns/exchange-credit.ts';

const Changed = Payment.pick({
  id: true,
  orderId: true,
  tender: true,
  returnId: true,
  authorizedAmount: true,
  capturedAmount: true,
  refundedAmount: true,
  state: true,
  authorizationExpiresAt: true,
  updatedAt: true,
});

/**
 * Reacts to a lost authorisation. Value of a return that its exchange credit no longer uses is refunded to the payments of the returned
 * order.
 */
export const onPaymentChanged: EventHandler = async ({ data }, { work }) => {
  const payment = Changed.parse(data.object);
  const isLost = await noteLostAuthorization(work, payment);
  const { returnId, authorizedAmount } = payment;
  if (isCredit(payment) && returnId !== undefined && creditHeld([payment]) !== authorizedAmount.amount) {
    const booking = await work.get(returnBookings, returnId);
    const isPaidOut = booking?.status === 'exchanged' || booking?.status === 'refunded';
    if (isPaidOut) work.schedule(payOutReturnDue, returnId, work.now, {});
    return isLost || isPaidOut ? undefined : unchanged('The return that the credit belongs to is not closed.');
  }
  return isLost ? undefined : unchanged('No open order lost its authorisation, and no exchange credit shrank.');
};
