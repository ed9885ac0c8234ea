import { type Money, money } from '../../../shared/domain/money.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { giftCardBalances, returnCovers, type StoredPayment } from '../collections.ts';
import { giveBackPointsDue } from '../due-work.ts';

/** Takes the amount of an approved payment from its gift card or its return. */
export function takeValue(work: UnitOfWork, { tender, returnId, amount }: Pick<StoredPayment, 'tender' | 'returnId' | 'amount'>): void {
  if (tender.type === 'gift-card' && tender.token !== undefined) {
    work.move(giftCardBalances, tender.token, { balance: -amount.amount });
  }
  if (tender.type === 'exchange-credit' && returnId !== undefined) work.move(returnCovers, returnId, { used: amount.amount });
}

/**
 * Gives an amount back to its source. Gift cards and returns change in the same commit. Points change at the Loyalty Platform, by due
 * work that runs before the reply and is repeated until it succeeds; `reference` makes a repeat harmless. The simulated provider of
 * cards and bnpl keeps no balance.
 */
export function giveBack(work: UnitOfWork, payment: StoredPayment, { amount, reference }: { amount: Money; reference: string }): void {
  if (amount.amount === 0) return;
  const { type, token } = payment.tender;
  if (type === 'gift-card' && token !== undefined) work.move(giftCardBalances, token, { balance: amount.amount });
  if (type === 'exchange-credit' && payment.returnId !== undefined) work.move(returnCovers, payment.returnId, { used: -amount.amount });
  if (type === 'loyalty') {
    const payload = { reference, paymentId: payment.id, amount: money(amount.amount, amount.currency) };
    work.schedule(giveBackPointsDue, reference, work.now, payload, { beforeReply: true });
  }
}
