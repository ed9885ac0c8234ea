import { getCustomer } from '../../../shared/catalog/customer/apis.ts';
import { putParty } from '../../../shared/catalog/customer/internal.ts';
import type { OutputOf } from '../../../shared/catalog/define.ts';
import { getMemberBalance } from '../../../shared/catalog/loyalty/apis.ts';
import { isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import { digest } from '../../../shared/domain/ids.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { LoyaltyTier } from '../basket/promotions.ts';
import type { Basket } from '../collections.ts';

export type Customer = OutputOf<typeof getCustomer>;

/** The source document has the balance read at checkout start; a checkout waits no longer for it than this (our choice). */
export const BALANCE_PATIENCE_MS = 800;
export const CUSTOMER_PATIENCE_MS = 3_000;

interface Contact {
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  readonly loyaltyCard?: string | undefined;
}

export interface SaidOfCustomer {
  readonly customerId?: string | undefined;
  readonly contact?: Contact | undefined;
  readonly placeOrder: boolean;
}

/**
 * Who checks out: the customer that the request or the basket names; one who is not registered is identified by contact.
 * @returns undefined when only the basket names one and the CRM does not answer: that stops nobody's checkout
 * @throws Problem 404 for an unknown customerId; 409 `customer_blocked`: no order would come of it; 503, 504
 */
export async function customerAtCheckout(scope: Scope, basket: Basket, said: SaidOfCustomer): Promise<Customer | undefined> {
  const named = await namedCustomer(scope, basket, said);
  const customer = needsContact(said, named) ? await identify(scope, basket.id, said.contact) : named;
  refuseBlocked(customer);
  return customer;
}

/** @throws Problem `customer_blocked` */
export function refuseBlocked(customer: Customer | undefined): void {
  if (customer?.state !== 'blocked') return;
  throw new Problem('customer_blocked', `The customer "${customer.id}" is blocked and cannot order.`, {
    objectType: 'customer',
    id: customer.id,
  });
}

async function namedCustomer({ call, log }: Scope, basket: Basket, said: SaidOfCustomer): Promise<Customer | undefined> {
  const id = said.customerId ?? basket.customerId;
  if (id === undefined) return undefined;
  try {
    return await call(getCustomer, { params: { id } }, { timeoutMs: CUSTOMER_PATIENCE_MS });
  } catch (error) {
    const indispensable = said.customerId !== undefined || said.placeOrder || hasContact(said);
    if (!isDependencyProblem(error) || indispensable) throw error;
    log.warn({ err: error, customerId: id }, 'checkout without asking the CRM');
    return undefined;
  }
}

const hasContact = ({ contact }: SaidOfCustomer): boolean => Object.values(contact ?? {}).some((value) => value !== undefined);

/** Contact says who an anonymous customer is; of a registered one it says nothing new. */
const needsContact = (said: SaidOfCustomer, named: Customer | undefined): boolean =>
  hasContact(said) && (named === undefined || named.state === 'anonymous' || named.state === 'identified');

const identify = ({ call }: Scope, basketId: string, contact: Contact | undefined): Promise<Customer> =>
  call(putParty, { params: { basketId }, body: { contact } }, { step: `identify ${digest(JSON.stringify(contact))}` });

export interface LoyaltyAtCheckout {
  readonly loyalty: NonNullable<Basket['loyalty']>;
  readonly accountId?: string | undefined;
  readonly tier?: LoyaltyTier | undefined;
}

/** The points balance of a member. While the Loyalty Platform is down or slow, checkout goes on without points. */
export async function loyaltyAtCheckout({ call, log }: Scope, basket: Basket, customer: Customer | undefined): Promise<LoyaltyAtCheckout> {
  const accountId = customer ? customer.loyaltyAccountId : basket.loyaltyAccountId;
  if (accountId === undefined) {
    const unknown = customer === undefined && basket.customerId !== undefined;
    return { loyalty: { status: unknown ? 'unavailable' : 'none' } };
  }
  try {
    const { pointsBalance, tier } = await call(getMemberBalance, { params: { id: accountId } }, { timeoutMs: BALANCE_PATIENCE_MS });
    return { loyalty: { status: 'available', balance: pointsBalance }, accountId, tier };
  } catch (error) {
    if (!isDependencyProblem(error)) throw error;
    log.warn({ err: error, accountId }, 'checkout without points');
    return { loyalty: { status: 'unavailable' }, accountId };
  }
}
