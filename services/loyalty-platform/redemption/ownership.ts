import type { Account } from '../account/points-rules.ts';

/** The buyer: a member by account id or, where a till could not ask, by the number on the card; or else a customer. */
export interface Buyer {
  readonly customerId?: string | undefined;
  readonly loyaltyAccountId?: string | undefined;
}

/** Whether a purchase is the member's. One that names nobody belongs to the bearer of the receipt. */
export function isOwnPurchase(account: Account, { customerId, loyaltyAccountId }: Buyer): boolean {
  if (loyaltyAccountId !== undefined) return loyaltyAccountId === account.id || loyaltyAccountId === account.cardNumber;
  return customerId === undefined || customerId === account.customerId;
}
