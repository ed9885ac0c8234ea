import type { z } from 'zod';
import { hasOpenDispute } from '../../shared/catalog/payment/disputes.ts';
import type { Payment } from '../../shared/catalog/payment/objects.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { handleDue } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, withOwedSettled } from './collections.ts';
import { payOutReturnDue } from './due-work.ts';
import { paymentsToDecideOn, refundOwed } from './payments.ts';
import { bookingsOf } from './return-bookings.ts';

/** Refunds cancelled units that became owed while a dispute was open. The key is the order's id. */
const refundAfterDisputeDue = defineDueWork('refund-after-dispute');

const owedIn = ({ owed }: FulfillmentRecord) => owed.filter(({ status }) => status === 'owed');

/** Schedules refunds that waited for the decision about a dispute. @returns whether there are any */
export async function noteDecidedDispute(
  work: UnitOfWork,
  { orderId, disputes = [] }: Pick<z.output<typeof Payment>, 'orderId' | 'disputes'>,
): Promise<boolean> {
  if (disputes.length === 0 || hasOpenDispute(disputes)) return false;
  const exchanged = (await bookingsOf(work, orderId)).filter(({ status }) => status === 'exchanged');
  for (const { id } of exchanged) work.schedule(payOutReturnDue, id, work.now, {});
  const record = await work.get(fulfillmentRecords, orderId);
  const isOwed = record !== undefined && owedIn(record).length > 0;
  if (isOwed) work.schedule(refundAfterDisputeDue, orderId, work.now, {});
  return isOwed || exchanged.length > 0;
}

export const refundAfterDispute = handleDue(refundAfterDisputeDue)(async ({ key }, scope) => {
  const { work } = scope;
  const order = await work.get(orders, key);
  const record = await work.get(fulfillmentRecords, key);
  const owed = record ? owedIn(record) : [];
  if (!order || !record || order.state === 'cancelled' || owed.length === 0) return;
  const payments = await paymentsToDecideOn(order, scope);
  if (payments.some(({ disputes }) => hasOpenDispute(disputes))) return;
  await refundOwed({ order, owed, payments }, scope);
  work.put(fulfillmentRecords, withOwedSettled(record, 'paid'));
});
