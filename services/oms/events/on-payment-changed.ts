import { Payment } from '../../../shared/catalog/payment/objects.ts';
import type { EventHandler } from '../../../shared/contract/handler.ts';
import { returnBookings } from '../return-bookings.ts';

const Credit = Payment.pick({ tender: true, returnId: true, state: true });

/** What an exchange credit no longer holds goes back to where the value of the return once came from. */
export const onPaymentChanged: EventHandler = async ({ data }, { work }) => {
  const { tender, returnId, state } = Credit.parse(data.object);
  const isGivenBack = state === 'voided' || state === 'partially-refunded' || state === 'fully-refunded';
  if (tender.type !== 'exchange-credit' || returnId === undefined || !isGivenBack) return;
  const booking = await work.get(returnBookings, returnId);
  if (booking?.status === 'exchanged' || booking?.status === 'refunded') work.due('pay-out-return', returnId, work.now, {});
};
