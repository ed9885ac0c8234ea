import { Payment } from '../../../shared/catalog/payment/objects.ts';
import { type EventHandler, unchanged } from '../../../shared/work/handler.ts';
import { pointsOfValue } from '../account/ledger.ts';
import { noteRefunds } from '../earning/earning.ts';

const RefundedPayment = Payment.pick({ id: true, orderId: true, tender: true, refunds: true });

/**
 * A refund takes earned points back. Payments by points or exchange credit earned none. Refunds under a reference and without a return
 * are for goods that were never delivered, and these earned none either.
 */
export const onPaymentChanged: EventHandler = async (event, { work }) => {
  const { id, orderId, tender, refunds } = RefundedPayment.parse(event.data.object);
  if (tender.type === 'loyalty' || tender.type === 'exchange-credit') return unchanged(`A payment by ${tender.type} earned no points.`);
  const earningRefunds = refunds.flatMap(({ amount, reference, returnId }, index) =>
    reference === undefined || returnId !== undefined ? [{ id: `${id}.refund-${index + 1}`, amount: pointsOfValue(amount) }] : [],
  );
  if (earningRefunds.length === 0) return unchanged('No refund of the payment takes points back.');
  const isNews = await noteRefunds(work, orderId, earningRefunds);
  return isNews ? undefined : unchanged('All refunds of the payment were noted before.');
};
