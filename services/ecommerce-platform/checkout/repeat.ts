import type { checkoutBasket } from '../../../shared/catalog/commerce/apis.ts';
import type { InputOf } from '../../../shared/catalog/define.ts';
import { conflictingRepeat, type Problem } from '../../../shared/catalog/problems.ts';
import { digest } from '../../../shared/domain/ids.ts';
import { distinctCodes, sameCode } from '../basket/promotions.ts';
import type { Basket, CheckoutRecord } from '../collections.ts';

export type CheckoutBody = InputOf<typeof checkoutBasket>['body'];
type Said = 'shippingAddress' | 'shippingMethod' | 'voucherCodes' | 'customerId' | 'contact';

/** Says whether two checkouts named the same contact without keeping who that is. */
export const contactDigest = ({ contact }: Pick<CheckoutBody, 'contact'>): string | undefined =>
  contact && digest(contact.email ?? '', contact.phone ?? '', contact.loyaltyCard ?? '');

/** The members of a repeated checkout that ask for something else than what stands. Members that were left out ask for nothing. */
export function changedMembers(basket: Basket, body: CheckoutBody, record: CheckoutRecord | undefined): Said[] {
  const changed: Record<Said, boolean> = {
    shippingAddress: !isSameAddress(basket.shippingAddress, body.shippingAddress),
    shippingMethod: body.shippingMethod !== undefined && body.shippingMethod !== basket.shippingMethod,
    voucherCodes: body.voucherCodes !== undefined && !areSameCodes(codesOf(basket), distinctCodes(body.voucherCodes)),
    customerId: body.customerId !== undefined && body.customerId !== basket.customerId,
    contact: body.contact !== undefined && contactDigest(body) !== record?.contact,
  };
  return (Object.keys(changed) as Said[]).filter((member) => changed[member]);
}

/** The codes that a checkout was given, applied or not. */
export const codesOf = ({ vouchers }: Basket): string[] => vouchers.map(({ code }) => code);

/** 409 for a checkout that can no longer become another one: the values that stand. */
export function checkoutStands(basket: Basket, changed: readonly Said[]): Problem {
  const { id, orderId, transactionId, shippingAddress, shippingMethod, customerId } = basket;
  const values: Record<Said, unknown> = {
    ...{ shippingAddress, shippingMethod, customerId, contact: customerId === undefined ? undefined : { customerId } },
    voucherCodes: codesOf(basket),
  };
  const why = transactionId === undefined ? `became the order "${orderId}"` : `is paid at the till, by the transaction "${transactionId}"`;
  return conflictingRepeat(
    `The basket "${id}" ${why}: it is not checked out with other values any more (${changed.join(', ')}).`,
    Object.fromEntries(changed.map((member) => [member, values[member] ?? null])),
    {
      ...{ objectType: 'basket', id },
      ...(orderId !== undefined && { orderId }),
      ...(transactionId !== undefined && { transactionId }),
    },
  );
}

const ADDRESS_MEMBERS = ['name', 'line1', 'city', 'postalCode', 'country'] as const;

const isSameAddress = (one: Basket['shippingAddress'], other: CheckoutBody['shippingAddress']): boolean =>
  ADDRESS_MEMBERS.every((member) => one?.[member] === other[member]);

const areSameCodes = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((code) => others.some((other) => sameCode(code, other)));
