import type { checkoutBasket } from '../../../shared/catalog/commerce/apis.ts';
import type { InputOf } from '../../../shared/catalog/define.ts';
import { conflictingRepeat, type Problem } from '../../../shared/catalog/problems.ts';
import { digest } from '../../../shared/domain/ids.ts';
import { distinctCodes, givenCodes, isSameCode } from '../basket/discounts.ts';
import type { Basket, CheckoutRecord } from '../collections.ts';

export type CheckoutBody = InputOf<typeof checkoutBasket>['body'];
type CheckoutMember = 'shippingAddress' | 'shippingMethod' | 'voucherCodes' | 'customerId' | 'contact';

/** Compares the contacts of two checkouts without storing personal data. */
export const contactDigest = ({ contact }: Pick<CheckoutBody, 'contact'>): string | undefined =>
  contact && digest(contact.email ?? '', contact.phone ?? '', contact.loyaltyCard ?? '');

/** Whether the values can be changed: until the basket becomes an order, or is paid at the till. */
export const isChangeable = ({ state, transactionId }: Basket): boolean => state === 'locked' && transactionId === undefined;

/** The members of a repeated checkout that differ from the basket. Omitted members change nothing. An unread card is read again. */
export function changedMembers(basket: Basket, body: CheckoutBody, record: CheckoutRecord | undefined): CheckoutMember[] {
  const changed: Record<CheckoutMember, boolean> = {
    shippingAddress: !isSameAddress(basket.shippingAddress, body.shippingAddress),
    shippingMethod: body.shippingMethod !== undefined && body.shippingMethod !== basket.shippingMethod,
    voucherCodes: body.voucherCodes !== undefined && !areSameCodes(givenCodes(basket), distinctCodes(body.voucherCodes)),
    customerId: body.customerId !== undefined && body.customerId !== basket.customerId,
    contact:
      body.contact !== undefined && (contactDigest(body) !== record?.contact || (isChangeable(basket) && record?.cardUnread === true)),
  };
  return (Object.keys(changed) as CheckoutMember[]).filter((member) => changed[member]);
}

/** 409 with the current values, for a checkout that can no longer be changed. */
export function unchangeableCheckout(basket: Basket, changed: readonly CheckoutMember[]): Problem {
  const { id, orderId, transactionId, shippingAddress, shippingMethod, customerId } = basket;
  const values: Record<CheckoutMember, unknown> = {
    shippingAddress,
    shippingMethod,
    customerId,
    contact: customerId === undefined ? undefined : { customerId },
    voucherCodes: givenCodes(basket),
  };
  const reason =
    transactionId === undefined ? `became the order "${orderId}"` : `is paid at the till, by the transaction "${transactionId}"`;
  return conflictingRepeat(
    `The basket "${id}" ${reason}: its checkout values can no longer be changed (${changed.join(', ')}).`,
    Object.fromEntries(changed.map((member) => [member, values[member] ?? null])),
    { objectType: 'basket', id, orderId, transactionId },
  );
}

const ADDRESS_MEMBERS = ['name', 'line1', 'city', 'postalCode', 'country'] as const;

const isSameAddress = (one: Basket['shippingAddress'], other: CheckoutBody['shippingAddress']): boolean =>
  ADDRESS_MEMBERS.every((member) => one?.[member] === other[member]);

/** Vouchers apply one after the other, so their order matters. */
const areSameCodes = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((code, position) => isSameCode(code, others[position] ?? ''));
