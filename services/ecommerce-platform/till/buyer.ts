import { getCustomer } from '../../../shared/catalog/customer/apis.ts';
import { getMemberBalance } from '../../../shared/catalog/loyalty/apis.ts';
import { isDependencyProblem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { CUSTOMER_TIMEOUT_MS, type Customer, refuseBlocked } from '../checkout/customer.ts';
import { BALANCE_TIMEOUT_MS, type LoyaltyAtCheckout, readLoyalty } from '../checkout/loyalty.ts';
import type { Basket } from '../collections.ts';

export interface Buyer extends LoyaltyAtCheckout {
  readonly customerId?: string;
}

/**
 * The buyer at the till: the member whose card is shown, else the customer of the basket, else nobody. A sale continues while the
 * Loyalty Platform or the CRM is down.
 * @throws Problem 404 for an unknown card; 409 `customer_blocked`
 */
export async function identifyBuyer(
  scope: Scope,
  { loyaltyId, basket }: { readonly loyaltyId?: string; readonly basket?: Basket },
): Promise<Buyer> {
  if (loyaltyId === undefined) return identifyOwner(scope, basket);
  const member = await readMember(scope, loyaltyId);
  const customerId = member.customerId ?? basket?.customerId;
  refuseBlocked(await readCustomer(scope, customerId));
  return { ...member, customerId };
}

async function identifyOwner(scope: Scope, basket: Basket | undefined): Promise<Buyer> {
  if (!basket) return { loyalty: { status: 'none' } };
  const customer = await readCustomer(scope, basket.customerId);
  refuseBlocked(customer);
  return { ...(await readLoyalty(scope, basket, customer)), customerId: basket.customerId };
}

/** While the Loyalty Platform does not answer, the id is kept as it was given, so that the sale earns points later. */
async function readMember({ call, log }: Scope, loyaltyId: string): Promise<Buyer> {
  try {
    const account = await call(getMemberBalance, { params: { id: loyaltyId } }, { timeoutMs: BALANCE_TIMEOUT_MS });
    const { id: accountId, customerId, pointsBalance, tier } = account;
    return { loyalty: { status: 'available', balance: pointsBalance }, accountId, tier, customerId };
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    log.warn({ err: error, loyaltyId }, 'Loyalty Platform unavailable: sale at the till without points');
    return { loyalty: { status: 'unavailable' }, accountId: loyaltyId };
  }
}

async function readCustomer({ call, log }: Scope, id: string | undefined): Promise<Customer | undefined> {
  if (id === undefined) return undefined;
  try {
    return await call(getCustomer, { params: { id } }, { timeoutMs: CUSTOMER_TIMEOUT_MS });
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    log.warn({ err: error, customerId: id }, 'CRM unavailable: sale at the till without the customer');
    return undefined;
  }
}
