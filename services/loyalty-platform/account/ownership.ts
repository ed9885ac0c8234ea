import type { Account } from './ledger-rules.ts';

export interface Buyer {
  readonly customerId?: string;
  /** The account's id, or the card number when the till could not read the account. */
  readonly loyaltyAccountId?: string;
}

/** A purchase that names neither member nor customer belongs to the bearer of the receipt. */
export function isOwnPurchase(account: Account, { customerId, loyaltyAccountId }: Buyer): boolean {
  if (loyaltyAccountId !== undefined) return loyaltyAccountId === account.id || loyaltyAccountId === account.cardNumber;
  return customerId === undefined || customerId === account.customerId;
}
