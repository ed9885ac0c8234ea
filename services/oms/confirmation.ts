import { confirmReservation, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { isReservedFor } from '../../shared/catalog/inventory/collection.ts';
import { getReservation } from '../../shared/catalog/inventory/internal.ts';
import { isAgain } from '../../shared/catalog/life-cycle.ts';
import { confirmOrder as confirmOrderApi } from '../../shared/catalog/order/apis.ts';
import { orderLifeCycle } from '../../shared/catalog/order/objects.ts';
import { didNothing, isDependencyProblem, isProblem, Problem, type ProblemCode, undefinedIf } from '../../shared/catalog/problems.ts';
import { recordVoucherUse } from '../../shared/catalog/promotion/internal.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { isSale, paysAtCollection, refuseBlocked } from './baskets.ts';
import { fulfillmentRecords, orders, type StoredOrder } from './collections.ts';
import { withUndo } from './compensation.ts';
import {
  compensateDue,
  expireDraftDue,
  finishConfirmationDue,
  NEW_RESERVATION_TTL_SECONDS,
  redeemVouchersDue,
  routeOrderDue,
} from './due-work.ts';
import { paymentsToConfirmOn } from './exchange.ts';
import { itemsOf, linesHeldBy, linesServedFrom, type OrderLine, type Reservation, reservationsOf } from './lines.ts';
import { fetchView, type OrderView } from './order-view.ts';
import { type Payment, paymentIncomplete } from './payments.ts';
import { actionPending, beginIntent, refuseWhileOtherPending, withdraw } from './pending-action.ts';
import { beginRouting, isRoutable, requestFulfillmentOrRetry, routesAutomatically } from './routing.ts';

/**
 * Checks customer and payments before anything is written, so that their refusal leaves no trace. Then stores the intent, secures the
 * stock, commits `confirmed`, which is the point of no return, and routes the order; due work may route it later. A sale is
 * never routed, because its customer has the goods.
 */
export const confirmOrder = handle(confirmOrderApi)(async ({ params }, scope) => {
  const { work } = scope;
  const found = await requireObject(work, orders, params.id);
  if (isAgain(orderLifeCycle, found, 'confirm')) return again(await routeAndView(found, undefined, scope));
  refuseWhileOtherPending(found, 'confirm');
  const resumed = found.pendingAction !== undefined;
  // The till checked its customer before the sale; a pending confirmation was checked when it began.
  if (found.customerId !== undefined && !resumed && !isSale(found)) await refuseBlocked(found.customerId, scope);
  const payments = await paymentsToConfirm(found, scope);
  const incomplete = resumed ? undefined : notSecured(found, payments);
  if (incomplete) {
    await work.ensureCurrent(orders, found);
    throw incomplete;
  }
  if (isSale(found)) return fetchView(confirmSale(found, scope), scope, { payments });
  const order = await beginIntent(work, found, 'confirm');
  const outcome = await continueConfirmation({ order, payments, resumed }, scope).catch((error: unknown) => {
    // Another request for the same confirmation is running.
    if (isProblem(error, 'idempotency_in_progress') && order.pendingAction) {
      throw actionPending(order, 'confirm', order.pendingAction);
    }
    throw error;
  });
  if (outcome instanceof Problem) return outcome;
  await work.checkpoint();
  return routeAndView(outcome, payments, scope);
});

/**
 * The payments that decide a confirmation. They do not decide an order that is paid at its collection: undefined while the Payment Hub does not
 * answer.
 */
async function paymentsToConfirm(order: StoredOrder, scope: Scope): Promise<readonly Payment[] | undefined> {
  const payments = paymentsToConfirmOn(order, scope);
  // The credit of an exchange can be taken only before the confirmation.
  return paysAtCollection(order) && order.exchangeForReturnId === undefined ? payments.catch(undefinedIfUnavailable) : payments;
}

function undefinedIfUnavailable(error: unknown): undefined {
  if (!isDependencyProblem(error)) throw error;
  return undefined;
}

/** The refusal of an order that has to be paid before its confirmation. */
const notSecured = (order: StoredOrder, payments: readonly Payment[] = []): Problem | undefined =>
  paysAtCollection(order) ? undefined : paymentIncomplete(order, payments);

/** Continues after the confirmation: redeems vouchers and routes, unless that is done or routing is manual. */
async function routeAndView(order: StoredOrder, payments: readonly Payment[] | undefined, scope: Scope): Promise<OrderView> {
  if (order.state !== 'confirmed' || order.pendingAction) return fetchView(order, scope);
  scheduleRedemption(scope.work, order);
  if (!routesAutomatically(scope.context)) return fetchView(order, scope, { payments });
  return fetchView(await requestFulfillmentOrRetry(order, scope), scope, { payments });
}

/** Failed attempts (5 s, 30 s and 5 min apart) after which the intent is withdrawn, so that it does not block other actions for long. */
const ATTEMPTS = 3;

/**
 * Continues an interrupted Confirm Order. If other applications stay unavailable, the intent is withdrawn and the order is a draft again. Its
 * reservation ends with the next confirmation, the cancellation or the expiry of the draft.
 */
export const finishConfirmation = handleDue(finishConfirmationDue)(async ({ key, attempts }, scope) => {
  const order = await scope.work.get(orders, key);
  if (order?.pendingAction?.action !== 'confirm') return;
  try {
    const payments = await paymentsToConfirm(order, scope);
    const outcome = await continueConfirmation({ order, payments, resumed: true }, scope);
    // No request waits for the routing, so it follows as due work.
    if (!(outcome instanceof Problem) && (await scope.work.get(fulfillmentRecords, key)))
      scope.work.schedule(routeOrderDue, key, scope.work.now, { asked: false });
  } catch (error) {
    if (!isDependencyProblem(error) || attempts < ATTEMPTS) throw error;
    const latest = await scope.work.get(orders, key);
    if (latest?.pendingAction?.action === 'confirm') withdraw(scope.work, latest, 'confirm');
  }
});

/**
 * Continues a confirmation from its intent to its end: confirmed, or refused with the intent withdrawn. Either change is part of the last
 * commit. A request, its repeat and due work may run this concurrently: they send the same calls, and the first commit wins.
 * @param resumed an earlier attempt stored the intent, and may have changed stock at the SIM
 * @returns the confirmed order, or its refusal
 * @throws Problem when another application leaves the outcome open; the intent then stays
 */
async function continueConfirmation(
  { order, payments = [], resumed }: { order: StoredOrder; payments?: readonly Payment[]; resumed: boolean },
  scope: Scope,
): Promise<StoredOrder | Problem> {
  const { work } = scope;
  const incomplete = notSecured(order, payments);
  if (incomplete) {
    withdraw(work, order, 'confirm');
    return incomplete;
  }
  const holding = await secureStock(order, scope);
  switch (holding.is) {
    case 'held':
      return markConfirmed(holding.order, servedBy(holding), scope);
    case 'short':
      return refuseForStock({ order: holding.order, problem: holding.problem, payments }, scope);
    case 'unavailable':
      if (resumed) throw holding.problem;
  }
  withdraw(work, holding.order, 'confirm');
  return holding.problem;
}

const servedBy = ({ order, reservation }: { order: StoredOrder; reservation: Reservation }): OrderLine[] =>
  linesServedFrom(linesHeldBy(order.lines, reservation.id), reservation.allocations);

/** Confirms a paid sale in one commit. Its goods are at the till, so no stock is requested, and the reservation of the till stays. */
const confirmSale = (order: StoredOrder, scope: Scope): StoredOrder => markConfirmed(order, order.lines, scope);

/** This commit decides the confirmation: later failures are retried, and do not refuse the order. */
function markConfirmed(order: StoredOrder, lines: StoredOrder['lines'], { work, context }: Scope): StoredOrder {
  work.cancel(finishConfirmationDue, order.id);
  work.cancel(expireDraftDue, order.id);
  scheduleRedemption(work, order);
  const byHand = isRoutable(order) && !routesAutomatically(context);
  if (isRoutable(order) && !byHand) beginRouting(work, order.id);
  return work.transition(orders, order, 'confirm', {
    lines,
    pendingAction: undefined,
    ...(byHand && { routingStatus: 'manual' as const }),
  });
}

/** Vouchers are redeemed before the reply, or later if the Promotion Engine is down. A repeat changes nothing. */
function scheduleRedemption(work: UnitOfWork, { id, voucherCodes }: StoredOrder): void {
  if (voucherCodes.length > 0) work.schedule(redeemVouchersDue, id, work.now, {}, { beforeReply: true });
}

/** Refuses a confirmation when a line has no stock: nothing is reserved, the authorisations are voided, and the order stays a draft. */
function refuseForStock(
  { order, problem, payments }: { order: StoredOrder; problem: Problem; payments: readonly Payment[] },
  { work }: Scope,
): Problem {
  const authorised = payments.filter(({ state }) => state === 'authorised').map(({ id }) => id);
  const ended = withdraw(work, order, 'confirm', {
    lines: linesHeldBy(order.lines, undefined),
    holdAttempts: order.holdAttempts + 1,
    ...withUndo(order, { payments: authorised, vouchers: false }),
  });
  if (ended.undo) work.schedule(compensateDue, order.id, work.now, {}, { beforeReply: true });
  return shortOfStock(order, problem);
}

/** The refusal: `reservation_expired` if the order had a reservation, otherwise `insufficient_stock`. */
function shortOfStock(order: StoredOrder, shortage: Problem): Problem {
  const context = {
    objectType: 'order',
    id: order.id,
    skus: shortage.context['skus'] ?? [],
    lines: order.lines.map(({ lineId, sku, qty }) => ({ lineId, sku, qty })),
  };
  const consequence = 'Nothing is reserved for it and its authorisations are voided; authorise and confirm again when the goods are back.';
  if (reservationsOf(order.lines).length === 0) {
    return new Problem('insufficient_stock', `There is no stock for the order "${order.id}": ${shortage.message} ${consequence}`, context);
  }
  const gone = `The reservation of the order "${order.id}" expired or was released, and its goods are sold: ${shortage.message} ${consequence}`;
  return new Problem('reservation_expired', gone, context);
}

/** Redeems the vouchers of a confirmed order. The compensation of a cancelled order releases them instead. */
export const redeemVouchers = handleDue(redeemVouchersDue)(async ({ key }, { work, call }) => {
  const order = await work.get(orders, key);
  if (order?.basketId === undefined || order.state === 'draft' || order.state === 'cancelled') return;
  await call(recordVoucherUse, { params: { basketId: order.basketId }, body: { state: 'redeemed' } });
});

/**
 * Outcome of securing the stock of an order; `order` is its newest version. `short`: no location has enough of some SKUs, which the
 * problem names. `unavailable`: the SIM certainly did nothing. `lost`: the new reservation ended before it was confirmed.
 */
type StockOutcome =
  | { readonly is: 'held'; readonly order: StoredOrder; readonly reservation: Reservation }
  | { readonly is: 'short' | 'unavailable' | 'lost'; readonly order: StoredOrder; readonly problem: Problem };

/**
 * Confirms the reservation of the order. If it has ended, makes one new reservation for all lines and confirms that.
 * @throws Problem when it is unknown whether the SIM acted; the intent then stays for the next attempt
 */
async function secureStock(order: StoredOrder, scope: Scope): Promise<StockOutcome> {
  const confirmed = await confirmStored(order, scope);
  if (confirmed) return confirmed;
  const taken = await takeNewReservation(order, scope);
  if (taken.is !== 'taken') return taken;
  return (await confirmStored(taken.order, scope)) ?? reservationLost(taken.order);
}

/** Problem codes of the SIM's answers about a reservation that has ended. */
const RESERVATION_IS_GONE: ReadonlySet<ProblemCode> = new Set(['reservation_expired', 'invalid_state_transition', 'not_found']);

/** @returns undefined if the order has no reservation, or it has ended */
async function confirmStored(order: StoredOrder, scope: Scope): Promise<StockOutcome | undefined> {
  const { call, context } = scope;
  const [reservationId] = reservationsOf(order.lines);
  if (reservationId === undefined || !(await servesPlace(order, reservationId, scope))) return undefined;
  // If routing is manual, a client may still release the reservation before Route Order.
  const body = { orderId: order.id, forFulfilment: isRoutable(order) && routesAutomatically(context) };
  try {
    const reservation = await call(confirmReservation, { params: { id: reservationId }, body });
    return { is: 'held', order, reservation };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (didNothing(error)) return { is: 'unavailable', order, problem: error };
    if (!RESERVATION_IS_GONE.has(error.code) || error.retryable) throw error;
    return undefined;
  }
}

/**
 * Whether a reservation serves the place of the order. A client may have reserved the goods of a collection elsewhere. Only a collection
 * reads the reservation.
 */
async function servesPlace({ collection }: StoredOrder, id: string, { call }: Scope): Promise<boolean> {
  if (!collection) return true;
  const found = await call(getReservation, { params: { id } }).catch(undefinedIf('not_found'));
  return found !== undefined && isReservedFor(found, collection.locationId);
}

/**
 * Reserves stock for all lines, and stores the reservation on the order before confirming the reservation: an unconfirmed reservation
 * expires. Every attempt of this confirmation sends the same call, so the stock is reserved once.
 */
async function takeNewReservation(order: StoredOrder, { call, work }: Scope): Promise<StockOutcome | { is: 'taken'; order: StoredOrder }> {
  // The new reservation replaces all other reservations of the order or its basket.
  const body = {
    orderId: order.id,
    basketId: order.basketId,
    items: itemsOf(order.lines),
    collectAt: order.collection?.locationId,
    ttlSeconds: NEW_RESERVATION_TTL_SECONDS,
  };
  try {
    const { id } = await call(reserveInventory, { body }, { intent: order.id, step: `hold ${order.holdAttempts + 1}` });
    const noted = work.transition(orders, order, 'note', { lines: linesHeldBy(order.lines, id), holdAttempts: order.holdAttempts + 1 });
    await work.checkpoint();
    return { is: 'taken', order: noted };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (didNothing(error)) return { is: 'unavailable', order, problem: error };
    if (error.code === 'insufficient_stock' || error.code === 'not_found') return { is: 'short', order, problem: error };
    throw error;
  }
}

/** The new reservation ended before it was confirmed. It is not certain that any SKU is sold out, so the payments are not voided. */
const reservationLost = (order: StoredOrder): StockOutcome => ({
  is: 'lost',
  order,
  problem: new Problem(
    'reservation_expired',
    `The new reservation of the order "${order.id}" ended before it was confirmed; confirm the order again.`,
    {
      objectType: 'order',
      id: order.id,
      skus: [],
      lines: order.lines.map(({ lineId, sku, qty }) => ({ lineId, sku, qty })),
      retryable: true,
      retryAfter: 1,
    },
  ),
});
