import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { orders } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import { isSale } from '../order/sale.ts';
import { UNCOVERED_LIFETIME_MS } from '../timing.ts';
import type { Payment } from './payments.ts';

/** Why an order ends whose payments do not cover it any more. */
export const AUTHORISATION_LOST = 'authorisation-lost';

type Voided = Pick<Payment, 'id' | 'orderId' | 'state' | 'authorizationExpiresAt' | 'updatedAt'>;

/** Voided by time, and by nobody. */
const hasRunOut = ({ authorizationExpiresAt, updatedAt }: Voided): boolean =>
  authorizationExpiresAt !== undefined && Date.parse(updatedAt) >= Date.parse(authorizationExpiresAt);

/**
 * A confirmed order holds stock, and must not do so for ever without money: what ran out is authorised again with the same tender, and
 * an order that is not covered after a day ends. What a client voided is the client's to replace. Of a sale the goods are gone.
 */
export async function noteLostAuthorization(work: UnitOfWork, payment: Voided): Promise<void> {
  if (payment.state !== 'voided') return;
  const order = await work.get(orders, payment.orderId);
  if (!order || isSale(order) || (order.state !== 'confirmed' && order.state !== 'draft')) return;
  // Of a draft too: a confirmation may be under way that has seen the payment before.
  if (order.state === 'confirmed' && hasRunOut(payment))
    work.schedule(dueWork.renewAuthorization, payment.id, work.now, { orderId: order.id });
  work.schedule(dueWork.giveUpUncovered, order.id, work.now + UNCOVERED_LIFETIME_MS, {});
}
