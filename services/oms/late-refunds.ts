import type { z } from 'zod';
import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { hasOpenDispute, isUndecided } from '../../shared/catalog/payment/cover.ts';
import type { Payment } from '../../shared/catalog/payment/objects.ts';
import { hasFailed, isSamePurpose } from '../../shared/catalog/payment/refunds.ts';
import { handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { type FulfillmentRecord, fulfillmentRecords, type OwedRefund, orders, withOwedSettled } from './collections.ts';
import { payOutReturnDue, refundCancelledUnitsDue } from './due-work.ts';
import { type Payment as Paid, paymentsToDecideOn, refundOwed } from './payments.ts';
import { bookingsOf } from './return-bookings.ts';

const owedIn = ({ owed }: FulfillmentRecord) => owed.filter(({ status }) => status === 'owed');

/** Schedules refunds that waited for the decision about a refund or a dispute. @returns whether there are any */
export async function noteDecisions(
  work: UnitOfWork,
  { orderId, refunds, disputes = [] }: Pick<z.output<typeof Payment>, 'orderId' | 'refunds' | 'disputes'>,
): Promise<boolean> {
  const isDecided = refunds.some(({ decidedAt }) => decidedAt !== undefined) || (disputes.length > 0 && !hasOpenDispute(disputes));
  if (!isDecided) return false;
  const exchanged = (await bookingsOf(work, orderId)).filter(({ status }) => status === 'exchanged');
  for (const { id } of exchanged) work.schedule(payOutReturnDue, id, work.now, {});
  const record = await work.get(fulfillmentRecords, orderId);
  const isOwed = record !== undefined && owedIn(record).length > 0;
  if (isOwed) work.schedule(refundCancelledUnitsDue, orderId, work.now, {});
  return isOwed || exchanged.length > 0;
}

/** Owes cancelled units again whose refund failed, and schedules its repeat from another payment. @returns whether there are any */
export async function noteFailedRefunds(
  work: UnitOfWork,
  { orderId, refunds }: Pick<z.output<typeof Payment>, 'orderId' | 'refunds'>,
): Promise<boolean> {
  const failed = refunds.filter((refund) => hasFailed(refund) && refund.reference !== undefined);
  const record = failed.length === 0 ? undefined : await work.get(fulfillmentRecords, orderId);
  const isOwedAgain = ({ status, reference }: OwedRefund): boolean =>
    status === 'paid' && failed.some((refund) => isSamePurpose(refund, { reference }));
  if (!record?.owed.some(isOwedAgain)) return false;
  work.put(fulfillmentRecords, {
    ...record,
    owed: record.owed.map((one) => (isOwedAgain(one) ? { ...one, status: 'owed' as const } : one)),
  });
  work.schedule(refundCancelledUnitsDue, orderId, work.now, {});
  return true;
}

export const refundCancelledUnits = handleDue(refundCancelledUnitsDue)(async ({ key }, scope) => {
  await refundOwedUnits(key, scope);
});

/**
 * Makes the refunds that an order owes, unless they wait for a capture or a decision.
 * @param known its payments, if they were read already
 * @returns the payments afterwards, if they were read
 */
export async function refundOwedUnits(orderId: string, scope: Scope, known?: readonly Paid[]): Promise<readonly Paid[] | undefined> {
  const { work, context } = scope;
  const order = await work.get(orders, orderId);
  const record = await work.get(fulfillmentRecords, orderId);
  const owed = record ? owedIn(record) : [];
  if (!order || !record || order.state === 'cancelled' || owed.length === 0) return undefined;
  const payments = known ?? (await paymentsToDecideOn(order, scope));
  if (payments.some(({ disputes }) => hasOpenDispute(disputes))) return payments;
  // What the authorisations could not be lowered by is refunded after their capture, when the order is settled.
  if (order.completedAt === undefined && payments.some((payment) => payment.state === 'authorised' || isUndecided(payment)))
    return payments;
  const byHand = progressionOf(context).refund === 'manual';
  const refunded = byHand ? undefined : await refundOwed({ order, owed, payments }, scope);
  work.put(fulfillmentRecords, withOwedSettled(record, byHand ? 'left' : 'paid', refunded?.waiting));
  return refunded?.payments ?? payments;
}
