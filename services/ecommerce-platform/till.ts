import {
  abandonBasket as abandonBasketCall,
  putTransactionBasket as putTransactionBasketCall,
} from '../../shared/catalog/commerce/internal.ts';
import { basketLifeCycle } from '../../shared/catalog/commerce/objects.ts';
import { getCustomer } from '../../shared/catalog/customer/apis.ts';
import type { InputOf } from '../../shared/catalog/define.ts';
import { isAgain, refusal, rowFor } from '../../shared/catalog/life-cycle.ts';
import { getMemberBalance } from '../../shared/catalog/loyalty/apis.ts';
import { isDependencyProblem, notFound, Problem } from '../../shared/catalog/problems.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { checkoutOf, claimCheckout, giveUpCheckout, settleCheckout, startUndoing } from './checkout-record.ts';
import { type Basket, baskets, type TillBasket, tillBaskets } from './collections.ts';
import {
  BALANCE_TIMEOUT_MS,
  CUSTOMER_TIMEOUT_MS,
  type Customer,
  isGuest,
  type LoyaltyAtCheckout,
  readLoyalty,
  refuseBlocked,
} from './customer.ts';
import { appliedCodes, evaluateDiscounts } from './discounts.ts';
import { basketIdle, releaseHolds } from './due-work.ts';
import { addToLines, applyDiscounts, pricesForSale, type UnpricedLine } from './pricing.ts';
import { reserveStoreStock } from './stock-reservation.ts';
import { placeOfStore } from './tax-place.ts';

export const putTransactionBasketHandler = handle(putTransactionBasketCall)(async ({ params: { transactionId }, body }, scope) => {
  const { work } = scope;
  const existing = await work.findUnique(baskets, 'transaction', transactionId);
  if (existing) return again(existing);
  const basketId = body.basketId ?? basketIdOf(transactionId);
  try {
    return await startTransaction(scope, { transactionId, basketId, body });
  } catch (error) {
    if (!(error instanceof Problem) || !(await giveUpCheckout(work, basketId))) throw error;
    return error;
  }
});

/** Derived from the transaction, so that every repeat creates the same basket. */
const basketIdOf = (transactionId: string): string => `bsk_${transactionId.replace(/^ord_/, '')}`;

type TransactionBody = InputOf<typeof putTransactionBasketCall>['body'];

interface Transaction {
  readonly transactionId: string;
  readonly basketId: string;
  readonly body: TransactionBody;
}

/**
 * Locks the basket of a transaction at the till: checks come first, then the reservation, then the lock.
 * @throws Problem 404; 409 for a basket that is empty or not open, a blocked customer, an abandoned transaction; 503, 504
 */
async function startTransaction(scope: Scope, transaction: Transaction): Promise<Basket> {
  const { work } = scope;
  const { transactionId, basketId, body } = transaction;
  const goods = await goodsOf(work, transaction);
  const { open } = goods;
  const till = await claimTransaction(work, transaction);
  const lines = await pricesForSale(work, goods.lines, await placeOfStore(work, body.storeId));
  const { customerId, accountId, loyalty, tier } = await identifyBuyer(scope, { loyaltyId: body.loyaltyId, basket: open });
  const attempt = (await checkoutOf(work, basketId))?.attempt ?? 0;
  const shopper = { customerId, tier, loyalty: loyalty.status };
  // An open basket has no vouchers.
  const discounts = await evaluateDiscounts(scope, { basketId, lines, shopper, attempt });

  const claimed = await claimCheckout(work, basketId, open);
  const held = await reserveStoreStock(scope, claimed, { basketId, basketVersion: open?.version ?? 0, locationId: body.storeId, lines });
  const members = {
    ...applyDiscounts(lines, discounts, work.figures),
    channel: 'pos' as const,
    storeId: body.storeId,
    transactionId,
    customerId,
    loyaltyAccountId: accountId,
    loyalty,
    reservationId: held.hold?.reservationId,
    expiresAt: undefined,
  };
  settleCheckout(work, basketId, held);
  // If the till has abandoned the transaction, the commit is refused and the reservation is released.
  work.expect(tillBaskets, till);
  if (!open) return work.create(baskets, 'start-transaction', { id: basketId, currency: work.figures.currency, ...members });
  work.cancel(basketIdle, basketId);
  return work.transition(baskets, open, 'start-transaction', members);
}

/** `open` is the basket that the transaction takes over; without one, it creates its own. */
async function goodsOf(
  work: UnitOfWork,
  { basketId, body }: Transaction,
): Promise<{ open: Basket | undefined; lines: readonly UnpricedLine[] }> {
  if (body.lines) {
    const requested = body.lines.map((line, index) => ({ ...line, pointer: `/lines/${index}/qty` }));
    return { open: undefined, lines: addToLines(basketId, [], requested) };
  }
  const open = await requireObject(work, baskets, basketId);
  rowFor(basketLifeCycle, open, 'start-transaction');
  if (open.lines.length === 0) {
    throw new Problem('basket_empty', `The basket "${open.id}" has no lines to pay for.`, { objectType: 'basket', id: open.id });
  }
  return { open, lines: open.lines };
}

/** Records the basket of the transaction, with the commit that claims the checkout. @throws Problem 409 after the till abandoned it */
async function claimTransaction(work: UnitOfWork, { transactionId, basketId }: Transaction): Promise<TillBasket> {
  const found = await work.get(tillBaskets, transactionId);
  if (found?.abandoned) {
    const detail = `The till abandoned the transaction "${transactionId}"; start another one.`;
    throw refusal('basket', { id: basketId, state: 'abandoned' }, 'start-transaction', detail, { allowedFrom: ['open'] });
  }
  return found ?? work.put(tillBaskets, { id: transactionId, basketId });
}

interface Buyer extends LoyaltyAtCheckout {
  readonly customerId?: string;
}

/**
 * The buyer at the till: the member whose card is shown, otherwise the customer of the basket, otherwise nobody. A sale continues while the
 * Loyalty Platform or the CRM is down.
 * @throws Problem 404 for an unknown card; 409 `customer_blocked`, and for the card of another than the registered customer of the basket
 */
async function identifyBuyer(scope: Scope, { loyaltyId, basket }: { loyaltyId?: string; basket?: Basket }): Promise<Buyer> {
  if (loyaltyId === undefined) return identifyOwner(scope, basket);
  const member = await readMember(scope, loyaltyId);
  const owner = await readCustomer(scope, basket?.customerId);
  refuseBlocked(owner);
  if (member.customerId === undefined || member.customerId === basket?.customerId) return { ...member, customerId: basket?.customerId };
  if (basket && owner && !isGuest(owner)) {
    const detail = `The basket "${basket.id}" belongs to another registered customer than the card. Leave the card out.`;
    throw refusal('basket', basket, 'start-transaction', detail, { allowedFrom: ['open'] });
  }
  refuseBlocked(await readCustomer(scope, member.customerId));
  return member;
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

/** The id is the transaction’s: the till may not have the id of the basket. The record makes a late request for the basket fail. */
export const abandonBasketHandler = handle(abandonBasketCall)(async ({ params: { id } }, { work }) => {
  const basket = await work.findUnique(baskets, 'transaction', id);
  if (!basket) {
    const till = await work.get(tillBaskets, id);
    if (!till?.abandoned) work.put(tillBaskets, { ...till, id, abandoned: true });
    return notFound('basket', id);
  }
  if (isAgain(basketLifeCycle, basket, 'cancel-checkout')) return again(basket);
  await giveBack(work, basket);
  return work.transition(baskets, basket, 'cancel-checkout', { expiresAt: undefined });
});

/** Gives back reservations and voucher uses before the reply, or by the clock while the other application is down. */
async function giveBack(work: UnitOfWork, basket: Basket): Promise<void> {
  work.schedule(releaseHolds, basket.id, work.now, null, { beforeReply: true });
  const record = await checkoutOf(work, basket.id);
  if (record && appliedCodes(basket).length > 0) startUndoing(work, basket.id, { ...record, vouchers: true });
}
