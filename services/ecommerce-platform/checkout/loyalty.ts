import { getMemberBalance } from '../../../shared/catalog/loyalty/apis.ts';
import { isDependencyProblem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { LoyaltyTier } from '../basket/discounts.ts';
import type { Basket } from '../collections.ts';
import type { Customer } from './customer.ts';

/** The source document has the balance read at checkout start; the limit is our choice. */
export const BALANCE_TIMEOUT_MS = 800;

export interface LoyaltyAtCheckout {
  readonly loyalty: NonNullable<Basket['loyalty']>;
  readonly accountId?: string;
  readonly tier?: LoyaltyTier;
}

/**
 * Reads the points balance of a member. While the Loyalty Platform is down or slow, checkout continues without points.
 * @param customer with `cardUnread` they may be a member
 */
export async function readLoyalty({ call, log }: Scope, basket: Basket, customer: Customer | undefined): Promise<LoyaltyAtCheckout> {
  const accountId = customer ? customer.loyaltyAccountId : basket.loyaltyAccountId;
  if (accountId === undefined) {
    const isCustomerUnread = customer === undefined && basket.customerId !== undefined;
    return { loyalty: { status: isCustomerUnread || customer?.cardUnread ? 'unavailable' : 'none' } };
  }
  try {
    const { pointsBalance, tier } = await call(getMemberBalance, { params: { id: accountId } }, { timeoutMs: BALANCE_TIMEOUT_MS });
    return { loyalty: { status: 'available', balance: pointsBalance }, accountId, tier };
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    log.warn({ err: error, accountId }, 'Loyalty Platform unavailable: checkout without points');
    return { loyalty: { status: 'unavailable' }, accountId };
  }
}
