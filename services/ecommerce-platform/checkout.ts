import { checkoutBasket } from '../../shared/catalog/commerce/apis.ts';
import { basketLifeCycle } from '../../shared/catalog/commerce/objects.ts';
import type { InputOf, OutputOf } from '../../shared/catalog/define.ts';
import { getBasketHold } from '../../shared/catalog/inventory/internal.ts';
import { isAgain, refusal } from '../../shared/catalog/life-cycle.ts';
import { conflictingRepeat, isDependencyProblem, Problem } from '../../shared/catalog/problems.ts';
import { Address } from '../../shared/catalog/shapes.ts';
import { digest } from '../../shared/domain/ids.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import { restartIdleTimer } from './baskets.ts';
import {
  checkoutOf,
  claimCheckout,
  giveUpCheckout,
  type LockedCheckout,
  refuseWhileChanging,
  settleCheckout,
  startUndoing,
} from './checkout-record.ts';
import { type Basket, baskets, type CheckoutRecord } from './collections.ts';
import { type Customer, identifyCustomer, readLoyalty } from './customer.ts';
import { deliveryOf, holdsAtPlace, isSameCollection, refuseAboveLimit } from './delivery.ts';
import { appliedCodes, distinctCodes, evaluateDiscounts, givenCodes, isSameCode } from './discounts.ts';
import { basketIdle, checkoutTtl } from './due-work.ts';
import { convertAndPlaceOrder, submitOrder } from './order-placement.ts';
import { applyDiscounts, currentPrices, priceOpenBasket, pricesForSale, pricingOf } from './pricing.ts';
import { reserveStock } from './stock-reservation.ts';
import { placeOfDelivery } from './tax-place.ts';
import { keepVoucherUses, lockVouchers } from './voucher-uses.ts';

export const checkoutBasketHandler = handle(checkoutBasket)(async ({ params, body }, scope) => {
  const { work } = scope;
  try {
    const basket = await requireObject(work, baskets, params.id);
    if (isAgain(basketLifeCycle, basket, 'checkout')) return await repeatCheckout(scope, basket, body);
    const { locked, record } = await startCheckout(scope, basket, body);
    return body.placeOrder ? await convertAndPlaceOrder(scope, locked, record) : locked;
  } catch (error) {
    if (!(error instanceof Problem) || !(await giveUpCheckout(work, params.id))) throw error;
    return error;
  }
});

/** A repeated checkout can change its values until the order exists, and places a missing order. */
async function repeatCheckout(scope: Scope, basket: Basket, body: CheckoutBody) {
  const record = await checkoutOf(scope.work, basket.id);
  if (basket.transactionId !== undefined && body.placeOrder) throw orderedByTill(basket, basket.transactionId);
  const changed = changedMembers(basket, body, record);
  if (changed.length > 0) {
    if (!isChangeable(basket)) throw unchangeableCheckout(basket, changed);
    const { locked, record: settled } = await changeCheckout(scope, await requireReservation(basket, scope), body);
    return body.placeOrder ? convertAndPlaceOrder(scope, locked, settled) : locked;
  }
  if (!body.placeOrder || !record) return again(basket);
  if (basket.state === 'locked') {
    await refuseWhileChanging(scope.work, basket);
    await identifyCustomer(scope, basket, { placeOrder: true });
    return convertAndPlaceOrder(scope, await requireReservation(basket, scope), record);
  }
  return record.phase === 'placing' ? submitOrder(scope, basket, record) : again(basket);
}

function orderedByTill({ id, state }: Basket, transactionId: string): Problem {
  const detail = `The basket "${id}" belongs to the transaction "${transactionId}": the till places its order when it is paid.`;
  return refusal('basket', { id, state }, 'place-order', detail, { transactionId });
}

type Hold = NonNullable<OutputOf<typeof getBasketHold>['reservation']>;

/** Longest wait for the SIM while an order is placed. */
const TIMEOUT_MS = 800;

/**
 * A client may release the reservation of a checkout and make another one. While the SIM does not answer, the stored reservation counts:
 * Confirm Order checks it again.
 * @returns the basket with the reservation that covers its lines
 * @throws Problem 409 `reservation_expired`
 */
async function requireReservation(basket: Basket, { call }: Scope): Promise<Basket> {
  const answer = await call(getBasketHold, { params: { basketId: basket.id } }, { timeoutMs: TIMEOUT_MS }).catch(undefinedIfUnavailable);
  if (!answer) return basket;
  const { reservation } = answer;
  if (reservation && holdsLines(reservation, basket)) {
    // Confirm Order reserves the goods of a collection again.
    return holdsAtPlace(reservation, basket) ? { ...basket, reservationId: reservation.id } : basket;
  }
  throw reservationIsGone(basket, reservation);
}

function undefinedIfUnavailable(error: unknown): undefined {
  if (!isDependencyProblem(error)) throw error;
  return undefined;
}

const holdsLines = ({ allocations }: Hold, { lines }: Basket): boolean =>
  lines.every(({ sku, qty }) => {
    const held = allocations.filter((allocation) => allocation.sku === sku).reduce((sum, allocation) => sum + allocation.qty, 0);
    return held >= qty;
  });

function reservationIsGone({ id: basketId, reservationId, lines }: Basket, other: Hold | undefined): Problem {
  const why = other
    ? `The reservation "${other.id}" does not cover all lines of the basket "${basketId}"; release it, and reserve again`
    : `The reservation "${reservationId}" of the basket "${basketId}" expired or was released; reserve again`;
  const detail = `${why} with the basketId alone. Then repeat the checkout.`;
  const skus = lines.map(({ sku, qty }) => ({ sku, requested: qty }));
  const about = { objectType: 'basket', id: basketId, reservationId: other?.id ?? reservationId, skus };
  return new Problem('reservation_expired', detail, about);
}

/** Checks without effects come first, then the stock, the voucher uses and the lock. @throws Problem 404, 409, 503, 504 */
async function startCheckout(scope: Scope, basket: Basket, body: CheckoutBody): Promise<LockedCheckout> {
  const { work } = scope;
  if (basket.lines.length === 0) {
    throw new Problem('basket_empty', `The basket "${basket.id}" has no lines to check out.`, { objectType: 'basket', id: basket.id });
  }
  const asked = await deliveryOf(scope, body);
  const lines = await pricesForSale(work, basket.lines, await placeOfDelivery(work, asked.deliveredFrom()));
  const customer = await identifyCustomer(scope, basket, body);
  const customerId = customer?.id ?? basket.customerId;
  const { loyalty, accountId, tier } = await readLoyalty(scope, basket, customer);
  const shopper = { customerId, tier, loyalty: loyalty.status };
  const attempt = (await checkoutOf(work, basket.id))?.attempt ?? 0;
  const codes = distinctCodes(body.voucherCodes ?? []);
  const offered = await evaluateDiscounts(scope, { basketId: basket.id, lines, codes, shopper, attempt });
  refuseAboveLimit(asked.deliveredFrom(), applyDiscounts(lines, offered, work.figures), work.figures);

  const record = await claimCheckout(work, basket.id, basket);
  const held = await reserveStock(scope, {
    basket,
    record,
    vouchers: appliedCodes(offered).length > 0,
    collectAt: asked.collectAt,
  });
  const delivery = asked.deliveredFrom(held.hold.from);
  const discounts = await lockVouchers(scope, { basketId: basket.id, attempt: record.attempt, lines, discounts: offered, shopper });

  const { reservationId, expiresAt } = held.hold;
  const priced = applyDiscounts(lines, discounts, work.figures, delivery.shippingMethod);
  // A voucher that somebody else used in the meantime raises the price.
  refuseAboveLimit(delivery, priced, work.figures);
  work.cancel(basketIdle, basket.id);
  work.schedule(checkoutTtl, basket.id, Date.parse(expiresAt), null);
  const locked = work.transition(baskets, basket, 'checkout', {
    ...priced,
    customerId,
    loyaltyAccountId: accountId,
    loyalty,
    ...delivery,
    shortage: shortageOf(body),
    reservationId,
    expiresAt,
  });
  return {
    locked,
    record: settleCheckout(work, basket.id, {
      ...held,
      contact: contactDigest(body),
      cardUnread: customer?.cardUnread,
      tier,
      pricing: pricingOf(work, lines),
    }),
  };
}

/**
 * Changes the values of a basket in checkout: it is priced again and its voucher uses are adjusted. Its reservation and expiry stay, unless
 * its goods come from another place: to or from a store where the customer collects them. Members that the request leaves out keep their values.
 *
 * New uses are locked before the basket changes, and old ones released after it. If the request is interrupted, due work adjusts the
 * uses to the vouchers of the basket.
 */
async function changeCheckout(scope: Scope, basket: Basket, body: CheckoutBody): Promise<LockedCheckout> {
  const { work } = scope;
  const { voucherCodes = givenCodes(basket) } = body;
  const asked = await deliveryOf(scope, body, basket);
  const lines = await currentPrices(work, basket.lines, await placeOfDelivery(work, asked.deliveredFrom()));
  const before = await checkoutOf(work, basket.id);
  const customer = withCard(await identifyCustomer(scope, basket, body), basket, { body, before });
  const customerId = customer?.id ?? basket.customerId;
  const { loyalty, accountId, tier } = await readLoyalty(scope, basket, customer);
  const shopper = { customerId, tier, loyalty: loyalty.status };
  const codes = distinctCodes(voucherCodes);
  const attempt = before?.attempt ?? 0;
  const offered = await evaluateDiscounts(scope, { basketId: basket.id, lines, codes, shopper, attempt });
  refuseAboveLimit(asked.deliveredFrom(), applyDiscounts(lines, offered, work.figures), work.figures);

  const record = await claimCheckout(work, basket.id, basket, 'changing');
  const standing = appliedCodes(basket);
  const isElsewhere = asked.collectAt !== basket.collection?.locationId;
  const moved = isElsewhere
    ? await reserveStock(scope, { basket, record, vouchers: record.vouchers, collectAt: asked.collectAt })
    : undefined;
  const delivery = asked.deliveredFrom(moved?.hold.from);
  const discounts = await lockVouchers(scope, {
    basketId: basket.id,
    attempt: record.attempt,
    lines,
    discounts: offered,
    shopper,
    standing,
  });
  const priced = applyDiscounts(lines, discounts, work.figures, delivery.shippingMethod);
  refuseAboveLimit(delivery, priced, work.figures);
  if (moved) work.schedule(checkoutTtl, basket.id, Date.parse(moved.hold.expiresAt), null);
  const locked = work.transition(baskets, basket, 'change-checkout', {
    ...priced,
    customerId,
    loyaltyAccountId: accountId,
    loyalty,
    ...delivery,
    shortage: body.shortage === undefined ? basket.shortage : shortageOf(body),
    ...(moved && { reservationId: moved.hold.reservationId, expiresAt: moved.hold.expiresAt }),
  });
  if (standing.length > 0) {
    await work.checkpoint();
    await keepVoucherUses(scope, locked, record.attempt);
  }
  return {
    locked,
    record: settleCheckout(work, basket.id, {
      ...record,
      contact: contactDigest(body) ?? record.contact,
      cardUnread: customer ? customer.cardUnread : record.cardUnread,
      tier,
      pricing: pricingOf(work, lines),
    }),
  };
}

/** A card that an earlier request could not read stays unread until a request gives a contact or another customer. */
function withCard(
  customer: Customer | undefined,
  { customerId }: Basket,
  { body, before }: { body: CheckoutBody; before: CheckoutRecord | undefined },
): Customer | undefined {
  const isStillUnread = before?.cardUnread && body.contact === undefined && customer?.id === customerId;
  return customer && isStillUnread ? { ...customer, cardUnread: true } : customer;
}

type CheckoutBody = InputOf<typeof checkoutBasket>['body'];
type CheckoutMember =
  | 'shippingAddress'
  | 'shippingMethod'
  | 'collection'
  | 'payAt'
  | 'shortage'
  | 'voucherCodes'
  | 'customerId'
  | 'contact';

/** Compares the contacts of two checkouts without storing personal data. */
const contactDigest = ({ contact }: Pick<CheckoutBody, 'contact'>): string | undefined =>
  contact && digest(contact.email ?? '', contact.phone ?? '', contact.loyaltyCard ?? '');

/** Whether the values can be changed: until the basket becomes an order, or is paid at the till. */
const isChangeable = ({ state, transactionId }: Basket): boolean => state === 'locked' && transactionId === undefined;

/** The members of a repeated checkout that differ from the basket. Omitted members change nothing. An unread card is read again. */
function changedMembers(basket: Basket, body: CheckoutBody, record: CheckoutRecord | undefined): CheckoutMember[] {
  const changed: Record<CheckoutMember, boolean> = {
    shippingAddress: !isSameAddress(basket.shippingAddress, body.shippingAddress),
    shippingMethod: body.shippingMethod !== undefined && body.shippingMethod !== basket.shippingMethod,
    collection: !isSameCollection(basket.collection, body.collection),
    payAt: body.payAt !== undefined && body.payAt !== (basket.payAt ?? 'checkout'),
    shortage: body.shortage !== undefined && shortageOf(body) !== basket.shortage,
    voucherCodes: body.voucherCodes !== undefined && !areSameCodes(givenCodes(basket), distinctCodes(body.voucherCodes)),
    customerId: body.customerId !== undefined && body.customerId !== basket.customerId,
    contact:
      body.contact !== undefined && (contactDigest(body) !== record?.contact || (isChangeable(basket) && record?.cardUnread === true)),
  };
  return (Object.keys(changed) as CheckoutMember[]).filter((member) => changed[member]);
}

/** 409 with the current values, for a checkout that can no longer be changed. */
function unchangeableCheckout(basket: Basket, changed: readonly CheckoutMember[]): Problem {
  const { id, orderId, transactionId, shippingAddress, shippingMethod, collection, payAt = 'checkout', customerId } = basket;
  const values: Record<CheckoutMember, unknown> = {
    shippingAddress,
    shippingMethod,
    collection,
    payAt,
    shortage: basket.shortage ?? 'elsewhere',
    customerId,
    contact: customerId === undefined ? undefined : { customerId },
    voucherCodes: givenCodes(basket),
  };
  const reason =
    transactionId === undefined ? `became the order "${orderId}"` : `is paid at the till, by the transaction "${transactionId}"`;
  const detail = `The basket "${id}" ${reason}: its checkout values can no longer be changed (${changed.join(', ')}).`;
  const about = { objectType: 'basket', id, orderId, transactionId };
  return conflictingRepeat(detail, Object.fromEntries(changed.map((member) => [member, values[member] ?? null])), about);
}

/** Only a basket whose short units are cancelled has the member. */
const shortageOf = ({ shortage }: Pick<CheckoutBody, 'shortage'>): Basket['shortage'] => (shortage === 'cancel' ? shortage : undefined);

const ADDRESS_MEMBERS = Address.keyof().options;

const isSameAddress = (one: Basket['shippingAddress'], other: CheckoutBody['shippingAddress']): boolean =>
  ADDRESS_MEMBERS.every((member) => one?.[member] === other?.[member]);

/** Vouchers apply one after the other, so their order matters. */
const areSameCodes = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((code, position) => isSameCode(code, others[position] ?? ''));

/** Reopens a basket without an order and releases its voucher uses. Its reservation expires at the same time. */
export const reopenBasket = handleDue(checkoutTtl)(async ({ key }, scope) => {
  const { work } = scope;
  const basket = await work.get(baskets, key);
  if (basket?.state !== 'locked') return;
  const prices = await priceOpenBasket(scope, await currentPrices(work, basket.lines, basket.destination));
  work.transition(baskets, basket, 'reopen', {
    ...prices,
    loyalty: undefined,
    shippingAddress: undefined,
    shippingMethod: undefined,
    collection: undefined,
    payAt: undefined,
    shortage: undefined,
    reservationId: undefined,
    expiresAt: restartIdleTimer(work, basket.id),
  });
  const record = await checkoutOf(work, basket.id);
  if (record && appliedCodes(basket).length > 0) startUndoing(work, basket.id, { ...record, vouchers: true });
});
