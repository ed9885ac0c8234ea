import { Payment } from '../../../shared/catalog/payment/objects.ts';
import type { EventHandler } from '../../../shared/work/handler.ts';
import { pointsWorth } from '../account/points-rules.ts';
import { noteRefunds } from '../earning/earning.ts';

const RefundedPayment = Payment.pick({ id: true, orderId: true, tender: true, refunds: true });

/**
 * A refund takes earned points back, behind the earn of its order. What was paid by points earned none, nor what an exchange credit
 * paid; what the OMS refunds under a reference, and not for a return, is for goods that were never delivered, which earned none either.
 */
export const onPaymentChanged: EventHandler = async (event, { work }) => {
  const { id, orderId, tender, refunds } = RefundedPayment.parse(event.data.object);
  if (tender.type === 'loyalty' || tender.type === 'exchange-credit') return;
  const taking = refunds.flatMap(({ amount, reference, returnId }, index) =>
    reference === undefined || returnId !== undefined ? [{ id: `${id}.refund-${index + 1}`, amount: pointsWorth(amount, '/refunds') }] : [],
  );
  if (taking.length > 0) await noteRefunds(work, orderId, taking);
};
