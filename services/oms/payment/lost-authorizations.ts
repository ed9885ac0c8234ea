import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { orders } from '../collections.ts';
import { giveUpUncoveredDue, renewAuthorizationDue } from '../due-work.ts';
import { isSale } from '../order/sale.ts';
import { UNCOVERED_LIFETIME_MS } from '../timing.ts';
import type { Payment } from './payments.ts';

/** `cancelReason` of an order whose payments no longer cover it. */
export const AUTHORISATION_LOST = 'authorisation-lost';

type Voided = Pick<Payment, 'id' | 'orderId' | 'state' | 'authorizationExpiresAt' | 'updatedAt'>;

/** Voided by expiry, not by a client. */
const hasExpired = ({ authorizationExpiresAt, updatedAt }: Voided): boolean =>
  authorizationExpiresAt !== undefined && Date.parse(updatedAt) >= Date.parse(authorizationExpiresAt);

/**
 * A confirmed order must not reserve stock forever without payment. An expired authorisation is renewed with the same tender for a time, and an
 * order that is not covered after a day is cancelled. If a client voided the payment, the client has to replace it. Sales are exempt: their goods are gone.
 * @returns whether an open order lost the payment
 */
export async function noteLostAuthorization(work: UnitOfWork, payment: Voided): Promise<boolean> {
  if (payment.state !== 'voided') return false;
  const order = await work.get(orders, payment.orderId);
  if (!order || isSale(order) || (order.state !== 'confirmed' && order.state !== 'draft')) return false;
  // Drafts count too: a pending confirmation may have read the payment before it was voided.
  if (order.state === 'confirmed' && hasExpired(payment)) {
    work.schedule(renewAuthorizationDue, payment.id, work.now, { orderId: order.id, lostAt: work.now });
  } else giveUpLater(work, order.id, work.now);
  return true;
}

/** An order that is not covered a day after the loss is cancelled, but not while a renewal waits for the Payment Hub. */
export function giveUpLater(work: UnitOfWork, orderId: string, lostAt: number): void {
  work.schedule(giveUpUncoveredDue, orderId, Math.max(work.now, lostAt + UNCOVERED_LIFETIME_MS), {});
}
