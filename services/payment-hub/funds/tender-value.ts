import { type Money, money } from '../../../shared/domain/money.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { giftCardBalances, orderCovers, returnCovers, type StoredPayment } from '../collections.ts';
import { giveBackPointsDue } from '../due-work.ts';

/** Takes the amount of an approved payment from its gift card or its return. */
export function takeValue(work: UnitOfWork, payment: Pick<StoredPayment, 'tender' | 'returnId' | 'returnedOrderId' | 'amount'>): void {
  const { tender, amount } = payment;
  if (tender.type === 'gift-card' && tender.token !== undefined) {
    work.move(giftCardBalances, tender.token, { balance: -amount.amount });
  }
  if (tender.type === 'exchange-credit') moveCredit(work, payment, amount.amount);
}

function moveCredit(
  work: UnitOfWork,
  { returnId, returnedOrderId }: Pick<StoredPayment, 'returnId' | 'returnedOrderId'>,
  by: number,
): void {
  if (returnId !== undefined) work.move(returnCovers, returnId, { used: by });
  if (returnedOrderId !== undefined) work.move(orderCovers, returnedOrderId, { exchanged: by });
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
  if (type === 'exchange-credit') moveCredit(work, payment, -amount.amount);
  if (type === 'loyalty') {
    const payload = { reference, paymentId: payment.id, amount: money(amount.amount, amount.currency) };
    work.schedule(giveBackPointsDue, reference, work.now, payload, { beforeReply: true });
  }
}
