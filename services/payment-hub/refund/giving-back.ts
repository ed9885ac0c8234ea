import { type Money, money } from '../../../shared/domain/money.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { giftCardBalances, orderCovers, returnCovers, type StoredPayment } from '../collections.ts';
import { giveBackPoints } from '../due-work.ts';

/** An amount that a payment promised to its order and does not pay after all, or not any more: the order may be paid otherwise. */
export function uncommit(work: UnitOfWork, payment: StoredPayment, amount: Money): void {
  work.move(orderCovers, payment.orderId, { committed: -amount.amount });
}

/**
 * Gives an amount back to where it came from. A gift card's balance moves in the same commit, and so does what a return has left.
 * Points lie at the Loyalty Platform:
 * due work runs before the reply and is repeated until it is done; `reference` makes the repeat harmless. A card or a bnpl provider
 * is simulated here and keeps no balance.
 */
export function giveBack(work: UnitOfWork, payment: StoredPayment, { amount, reference }: { amount: Money; reference: string }): void {
  if (amount.amount === 0) return;
  const { type, token } = payment.tender;
  if (type === 'gift-card' && token !== undefined) work.move(giftCardBalances, token, { balance: amount.amount });
  if (type === 'exchange-credit' && payment.returnId !== undefined) work.move(returnCovers, payment.returnId, { used: -amount.amount });
  if (type === 'loyalty') {
    const payload = { reference, paymentId: payment.id, amount: money(amount.amount, amount.currency) };
    work.schedule(giveBackPoints, reference, work.now, payload, { beforeReply: true });
  }
}
