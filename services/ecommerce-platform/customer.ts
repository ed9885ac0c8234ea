import { getCustomer } from '../../shared/catalog/customer/apis.ts';
import { putParty } from '../../shared/catalog/customer/internal.ts';
import type { InputOf, OutputOf } from '../../shared/catalog/define.ts';
import { getMemberBalance } from '../../shared/catalog/loyalty/apis.ts';
import { isDependencyProblem, Problem } from '../../shared/catalog/problems.ts';
import { digest } from '../../shared/domain/ids.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { Basket } from './collections.ts';
import type { LoyaltyTier } from './discounts.ts';

/** The CRM's answer. It has `cardUnread` while the Loyalty Platform cannot resolve the contact's card. */
export type Customer = OutputOf<typeof getCustomer> & Pick<OutputOf<typeof putParty>, 'cardUnread'>;

export const CUSTOMER_TIMEOUT_MS = 3_000;

interface CustomerRequest {
  readonly customerId?: string;
  readonly contact?: InputOf<typeof putParty>['body']['contact'];
  readonly placeOrder: boolean;
}

/**
 * The customer that the request names, or otherwise the customer of the basket. The contact identifies a customer who is not registered.
 * @returns undefined when only the basket names a customer and the CRM does not answer: the checkout continues
 * @throws Problem 404 for an unknown customerId; 409 `customer_blocked`; 503, 504
 */
export async function identifyCustomer(scope: Scope, basket: Basket, request: CustomerRequest): Promise<Customer | undefined> {
  const named = await readNamedCustomer(scope, basket, request);
  const customer = needsContact(request, named) ? await putPartyOfBasket(scope, basket.id, request.contact) : named;
  refuseBlocked(customer);
  return customer;
}

/** @throws Problem `customer_blocked` */
export function refuseBlocked(customer: Customer | undefined): void {
  if (customer?.state !== 'blocked') return;
  const detail = `The customer "${customer.id}" is blocked and cannot order.`;
  throw new Problem('customer_blocked', detail, { objectType: 'customer', id: customer.id });
}

async function readNamedCustomer({ call, log }: Scope, basket: Basket, request: CustomerRequest): Promise<Customer | undefined> {
  const id = request.customerId ?? basket.customerId;
  if (id === undefined) return undefined;
  try {
    return await call(getCustomer, { params: { id } }, { timeoutMs: CUSTOMER_TIMEOUT_MS });
  } catch (error) {
    const isRequired = request.customerId !== undefined || request.placeOrder || hasContact(request);
    if (!isDependencyProblem(error) || isRequired) throw error;
    log.warn({ err: error, customerId: id }, 'CRM unavailable: checkout without the customer');
    return undefined;
  }
}

const hasContact = ({ contact }: CustomerRequest): boolean => Object.values(contact ?? {}).some((value) => value !== undefined);

/** The contact identifies an anonymous customer; the data of a registered customer is unchanged. */
const needsContact = (request: CustomerRequest, named: Customer | undefined): boolean =>
  hasContact(request) && (named === undefined || isGuest(named));

/** Whether the CRM has no registration of the customer. */
export const isGuest = ({ state }: Pick<Customer, 'state'>): boolean => state === 'anonymous' || state === 'identified';

const putPartyOfBasket = ({ call }: Scope, basketId: string, contact: CustomerRequest['contact']): Promise<Customer> =>
  call(putParty, { params: { basketId }, body: { contact } }, { step: `identify ${digest(JSON.stringify(contact))}` });

/** The source document reads the balance when checkout starts. It does not specify this limit. */
export const BALANCE_TIMEOUT_MS = 800;

export interface LoyaltyAtCheckout {
  readonly loyalty: NonNullable<Basket['loyalty']>;
  readonly accountId?: string;
  readonly tier?: LoyaltyTier;
}

/**
 * Reads a member’s points. If the Loyalty Platform does not answer, checkout continues.
 * @param customer may be a member while it has `cardUnread`
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
