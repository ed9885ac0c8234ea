import type { z } from 'zod';
import type { Order as OrderSchema } from '../../shared/catalog/order/objects.ts';
import type { Payment as PaymentSchema } from '../../shared/catalog/payment/objects.ts';
import { type Check, sums } from './invariant.ts';
import { netCommitment } from './money.ts';
import type { Return, ReturnBooking } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

type Order = z.output<typeof OrderSchema>;
type Payment = z.output<typeof PaymentSchema>;

/** Refunds and exchange credits of a return must belong to its order, and must not exceed its worth. */
export function checkRefunds(
  { of, queued, counters }: WorldRecords,
  bookings: readonly ReturnBooking[],
  found: ReadonlyMap<string, Return>,
  check: Check,
): void {
  const payments = of<Payment>('payment');
  const refunds = payments.flatMap((payment) => payment.refunds.map((refund) => ({ ...refund, orderId: payment.orderId })));
  const paid = sums(
    refunds,
    ({ returnId = '' }) => returnId,
    ({ amount }) => amount.amount,
  );
  const credits = payments.filter(({ tender }) => tender.type === 'exchange-credit');
  const credited = sums(credits, ({ returnId = '' }) => returnId, netCommitment);
  const ofReturns = refunds.filter(({ returnId }) => returnId !== undefined);
  const orderOf = new Map(bookings.map(({ id, orderId }) => [id, orderId]));
  for (const { returnId = '', orderId } of ofReturns) {
    check(
      orderOf.get(returnId) === orderId,
      `return/${returnId}: a payment of order/${orderId} was refunded for it, which is not its order`,
    );
  }
  const exchanges = new Map(of<Order>('order').map(({ id, exchangeForReturnId }) => [id, exchangeForReturnId]));
  for (const { id, returnId, orderId } of credits) {
    check(orderOf.has(returnId ?? ''), `payment/${id}: a credit of return/${returnId}, which has no record at the OMS`);
    check(
      exchanges.get(orderId) === returnId,
      `payment/${id}: a credit of return/${returnId} pays order/${orderId}, which is not its exchange order`,
    );
  }
  for (const [id, { used = 0 }] of Object.entries(counters('payment-hub', 'return-covers'))) {
    const [back, credit] = [paid.get(id) ?? 0, credited.get(id) ?? 0];
    check(used === back + credit, `return/${id}: ${used} count as used, ${back} were paid back and ${credit} credited`);
  }
  const kept = sums(
    payments,
    ({ orderId }) => orderId,
    ({ capturedAmount, refundedAmount }) => capturedAmount.amount - refundedAmount.amount,
  );
  const exchanged = sums(credits, ({ returnId = '' }) => orderOf.get(returnId) ?? '', netCommitment);
  for (const [orderId, { exchanged: counted = 0 }] of Object.entries(counters('payment-hub', 'order-covers'))) {
    const credit = exchanged.get(orderId) ?? 0;
    check(counted === credit, `order/${orderId}: ${counted} count as exchanged, and the credits of its returns hold ${credit}`);
  }
  for (const [orderId, credit] of exchanged) {
    const keeps = kept.get(orderId) ?? 0;
    check(credit === 0 || credit <= keeps, `order/${orderId}: the credits of its returns hold ${credit}, and its payments keep ${keeps}`);
  }
  for (const { id, refundAmount, state, refunds: noted, orderId } of found.values()) {
    const back = paid.get(id) ?? 0;
    const credit = credited.get(id) ?? 0;
    const worth = refundAmount.amount;
    check(back + credit <= worth, `return/${id}: ${back} paid back and ${credit} credited of ${worth}`);
    const told = noted.reduce((sum, { amount }) => sum + amount.amount, 0);
    check(told === back || queued('fms', id), `return/${id}: it notes refunds of ${told}, its payments were refunded ${back} for it`);
    const left = (kept.get(orderId) ?? 0) - (exchanged.get(orderId) ?? 0);
    if (state === 'refunded') {
      check(back + credit === worth || left === 0, `return/${id}: refunded, and ${back} of ${worth} were paid back while ${left} could be`);
    }
  }
}
