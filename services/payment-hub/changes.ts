import { changedRow } from '../../fixtures/change.ts';
import {
  changeGiftCard as changeGiftCardCall,
  changePaymentToken as changePaymentTokenCall,
} from '../../shared/catalog/payment/internal.ts';
import { money } from '../../shared/domain/money.ts';
import { handle } from '../../shared/work/handler.ts';
import { giftCardBalances, giftCards, paymentTokens } from './collections.ts';

/** Payments count against the seed, so the difference that a change makes is noted. */
export const changeGiftCard = handle(changeGiftCardCall)(async ({ params: { id }, body }, { work }) => {
  const found = await work.get(giftCards, id);
  const [counted] = await work.counters(giftCardBalances, [id]);
  const balance = counted?.balance ?? 0;
  const before = found && { token: id, balance: money(balance, found.currency) };
  const next = changedRow('giftCards', body, { before, key: id, work });
  const difference = next.balance.amount - balance;
  work.put(giftCards, { ...(found ?? { id }), currency: next.balance.currency });
  work.move(giftCardBalances, id, { balance: difference, noted: difference });
  return next;
});

export const changePaymentToken = handle(changePaymentTokenCall)(async ({ params: { id }, body }, { work }) => {
  const found = await work.get(paymentTokens, id);
  const rule = changedRow('paymentTokens', body, { before: found?.rule, key: id, work });
  work.put(paymentTokens, { ...(found ?? { id }), rule });
  return { rule };
});
