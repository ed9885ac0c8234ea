import { getCustomer } from '../../../shared/catalog/customer/apis.ts';
import { getMemberBalance } from '../../../shared/catalog/loyalty/apis.ts';
import { isDependencyProblem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import {
  BALANCE_PATIENCE_MS,
  CUSTOMER_PATIENCE_MS,
  type Customer,
  type LoyaltyAtCheckout,
  loyaltyAtCheckout,
  refuseBlocked,
} from '../checkout/customer.ts';
import type { Basket } from '../collections.ts';

export interface BuyerAtTill extends LoyaltyAtCheckout {
  readonly customerId?: string | undefined;
}

/**
 * Who buys at the till: the member whose card is shown, else whoever the basket belongs to, else nobody in particular. Neither a
 * Loyalty Platform nor a CRM that is down stops a sale.
 * @throws Problem 404 for a card that nobody has; 409 `customer_blocked`
 */
export async function buyerAtTill(
  scope: Scope,
  said: { readonly loyaltyId?: string | undefined; readonly basket?: Basket | undefined },
): Promise<BuyerAtTill> {
  const { loyaltyId, basket } = said;
  if (loyaltyId === undefined) return ownerOfBasket(scope, basket);
  const member = await memberOf(scope, loyaltyId);
  const customerId = member.customerId ?? basket?.customerId;
  refuseBlocked(await customerOf(scope, customerId));
  return { ...member, customerId };
}

async function ownerOfBasket(scope: Scope, basket: Basket | undefined): Promise<BuyerAtTill> {
  if (!basket) return { loyalty: { status: 'none' } };
  const customer = await customerOf(scope, basket.customerId);
  refuseBlocked(customer);
  return { ...(await loyaltyAtCheckout(scope, basket, customer)), customerId: basket.customerId };
}

/** While the Loyalty Platform is down or slow the id is kept as it was given: what the sale earns is booked to it later. */
async function memberOf({ call, log }: Scope, loyaltyId: string): Promise<BuyerAtTill> {
  try {
    const account = await call(getMemberBalance, { params: { id: loyaltyId } }, { timeoutMs: BALANCE_PATIENCE_MS });
    const { id: accountId, customerId, pointsBalance, tier } = account;
    return { loyalty: { status: 'available', balance: pointsBalance }, accountId, tier, customerId };
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    log.warn({ err: error, loyaltyId }, 'a sale at the till without points');
    return { loyalty: { status: 'unavailable' }, accountId: loyaltyId };
  }
}

async function customerOf({ call, log }: Scope, id: string | undefined): Promise<Customer | undefined> {
  if (id === undefined) return undefined;
  try {
    return await call(getCustomer, { params: { id } }, { timeoutMs: CUSTOMER_PATIENCE_MS });
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    log.warn({ err: error, customerId: id }, 'a sale at the till without asking the CRM');
    return undefined;
  }
}
