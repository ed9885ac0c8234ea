import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { createFulfillmentOrders } from '../../shared/catalog/fulfillment/internal.ts';
import { confirmReservation, reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { isAgain, refusal } from '../../shared/catalog/life-cycle.ts';
import { routeOrder as routeOrderApi } from '../../shared/catalog/order/apis.ts';
import { orderLifeCycle } from '../../shared/catalog/order/objects.ts';
import { absentApplication, didNothing, isDependencyProblem, isProblem, Problem } from '../../shared/catalog/problems.ts';
import type { Context } from '../../shared/control/context.ts';
import { refuseOtherContent } from '../../shared/handlers/repeats.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { Patch, UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { isSale } from './baskets.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type StoredOrder } from './collections.ts';
import { DECIDE_TIMEOUT_MS, FIRST_RETRY_MS, NEW_RESERVATION_TTL_SECONDS, RECHECK_MS, routeOrderDue, TAKE_OVER_MS } from './due-work.ts';
import { freshRecord } from './fulfillment.ts';
import { itemsOf, linesHeldBy, linesServedFrom, nodesOf, type OrderLine, type Reservation, reservationsOf } from './lines.ts';
import { fulfillmentOrdersOf } from './order-view.ts';
import { actionPending, beginIntent, refuseWhileOtherPending, withdraw } from './pending-action.ts';
import { replacesDelivered } from './replaced-units.ts';

/**
 * Routes an order that Confirm Order did not route. For a routed order it returns the existing fulfillment orders. The routing is
 * stored before the FMS is called, so that a concurrent cancellation calls the FMS too.
 */
export const routeOrder = handle(routeOrderApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const found = await requireObject(work, orders, params.id);
  if (isSale(found)) throw notRoutable(found, 'was sold at the till, and its goods are carried out');
  const known = await work.get(fulfillmentRecords, found.id);
  if (isAgain(orderLifeCycle, found, 'route') || known?.routed) {
    const { id } = found;
    refuseOtherContent(
      { strategy: body.strategy },
      { strategy: known?.strategy ?? NEAREST },
      { objectType: 'order', id, what: 'was routed' },
    );
    return again({ items: [...(await fulfillmentOrdersOf(found.id, scope, DECIDE_TIMEOUT_MS))] });
  }
  refuseWhileOtherPending(found, 'route');
  if (!isRoutable(found)) throw notRoutable(found, 'has no shipping address and is not collected in a store');
  const { routeStrategy, pendingAction } = found;
  // The pending routing has another strategy, and may still be withdrawn.
  if (pendingAction && body.strategy !== undefined && body.strategy !== routeStrategy) throw actionPending(found, 'route', pendingAction);
  const strategy = routeStrategy ?? body.strategy ?? known?.strategy ?? NEAREST;
  const order = await ensureReservations(found, strategy, scope);
  if (order instanceof Problem) return order;
  const begun = await beginAskedRouting(order, strategy, { work, at: work.now + TAKE_OVER_MS });
  await work.checkpoint();
  try {
    await requestFulfillment(begun.order, { ...begun.record, strategy }, scope);
  } catch (error) {
    // The FMS creates nothing for an order that is being cancelled.
    if (isProblem(error, 'invalid_state_transition')) await work.ensureCurrent(orders, begun.order);
    throw error;
  }
  // The fulfillment orders are read again, because the FMS has allocated them since.
  return { items: [...(await fulfillmentOrdersOf(order.id, scope, DECIDE_TIMEOUT_MS))] };
});

const notRoutable = ({ id, state }: StoredOrder, why: string): Problem =>
  refusal('order', { id, state }, 'route', `The order "${id}" ${why}; it cannot be routed.`);

/** Failed attempts after which the intent is withdrawn, so that it does not block other actions for long. */
const ATTEMPTS = 3;

/** Continues an interrupted Route Order until its stock is reserved. The same work then requests the fulfillment orders. */
async function continueRouting(order: StoredOrder, attempts: number, scope: Scope): Promise<void> {
  const { work } = scope;
  const { routeStrategy: strategy = NEAREST } = order;
  try {
    const secured = await ensureReservations(order, strategy, scope);
    if (!(secured instanceof Problem)) await beginAskedRouting(secured, strategy, { work, at: work.now });
  } catch (error) {
    if (!isDependencyProblem(error) || attempts < ATTEMPTS) throw error;
    const latest = await work.get(orders, order.id);
    if (latest?.pendingAction?.action === 'route') withdrawRouting(work, latest);
  }
}

/** Routes a confirmed order that the FMS has not accepted yet. Another pending action goes first. */
export const routeDueOrder = handleDue(routeOrderDue)(async ({ key, payload, attempts }, scope) => {
  const { work, context } = scope;
  const order = await work.get(orders, key);
  if (order?.pendingAction?.action === 'route') return continueRouting(order, attempts, scope);
  const record = await work.get(fulfillmentRecords, key);
  if (!order || !record || record.routed || record.unrouted || order.state === 'cancelled') return;
  if (order.pendingAction) {
    work.schedule(routeOrderDue, key, work.now + RECHECK_MS, payload);
    return;
  }
  const { asked } = payload;
  if (!asked && !routesAutomatically(context)) {
    if (order.routingStatus !== 'manual') work.transition(orders, order, 'note', { routingStatus: 'manual' });
    return;
  }
  try {
    await requestFulfillment(order, record, scope);
  } catch (error) {
    if (error instanceof Problem && order.routingStatus !== 'retrying') {
      work.transition(orders, order, 'note', { routingStatus: 'retrying' });
      await work.checkpoint();
    }
    throw error;
  }
});

/** Orders without an address or a place of collection are not routed. Sales are not routed either: the customer takes the goods. */
export const isRoutable = (order: StoredOrder): boolean =>
  !isSale(order) && (order.shippingAddress !== undefined || order.collection !== undefined);

/** Whether this rehearsal routes orders automatically. */
export const routesAutomatically = (context: Context): boolean => progressionOf(context).route === 'auto';

/** Stores that the routing of Confirm Order has begun, with the due work that finishes it; the caller commits both before it calls the FMS. */
export function beginRouting(work: UnitOfWork, orderId: string): void {
  work.put(fulfillmentRecords, freshRecord(orderId));
  work.schedule(routeOrderDue, orderId, work.now + TAKE_OVER_MS, { asked: false });
}

interface BegunRouting {
  readonly order: StoredOrder;
  readonly record: FulfillmentRecord;
}

/**
 * Stores in the next commit that the routing of Route Order has begun, in place of its intent. The commit fails if another action has begun.
 * @param at when due work finishes it, unless the request has done so
 */
async function beginAskedRouting(
  order: StoredOrder,
  strategy: Strategy,
  { work, at }: { readonly work: UnitOfWork; readonly at: number },
): Promise<BegunRouting> {
  const known = await work.get(fulfillmentRecords, order.id);
  if (!order.pendingAction) {
    if (known && !known.unrouted) return { order, record: known };
    work.expect(orders, order);
  }
  const free = order.pendingAction ? withdrawRouting(work, order) : order;
  const record = work.put(fulfillmentRecords, { ...(known ?? freshRecord(order.id)), strategy, unrouted: undefined });
  work.schedule(routeOrderDue, order.id, at, { asked: true });
  return { order: free, record };
}

const withdrawRouting = (work: UnitOfWork, order: StoredOrder, patch: Patch<StoredOrder> = {}): StoredOrder =>
  withdraw(work, order, 'route', { ...patch, routeStrategy: undefined });

interface Group {
  readonly locationId: string;
  readonly reservationId: string;
  readonly lines: { readonly orderLineId: string; readonly sku: string; readonly qty: number }[];
}

/** One group per node and reservation. */
function groupsOf(lines: readonly OrderLine[]): Group[] {
  const groups = new Map<string, Group>();
  for (const line of lines) {
    const { lineId, sku, reservationId } = line;
    const at = nodesOf(line);
    if (at.length === 0 || reservationId === undefined) throw new Error(`The line ${lineId} has no reservation and cannot be routed.`);
    for (const { locationId, qty } of at) {
      const key = `${locationId} ${reservationId}`;
      const group = groups.get(key) ?? { locationId, reservationId, lines: [] };
      group.lines.push({ orderLineId: lineId, sku, qty });
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

/** Calls the FMS to create the fulfillment orders of an attempt. A repeat creates nothing more. @returns their ids @throws Problem */
export async function createFulfillmentOrdersFor(
  order: StoredOrder,
  { attempt, groups, replacementId }: { attempt: number; groups: Group[]; replacementId?: string },
  { call }: Scope,
): Promise<string[]> {
  const { id: orderId, orderNumber, customerId, shippingAddress, shippingMethod = 'STANDARD' } = order;
  const free = replacesDelivered(order, { replacementId }) || undefined;
  const payAt = free ? undefined : order.payAt;
  const collection = order.collection && { ...order.collection, orderNumber, customerId, payAt };
  if (!shippingAddress && !collection) throw new Error(`The order ${orderId} has no address and cannot be routed.`);
  const body = { orderId, attempt, replacementId, free, shippingAddress, shippingMethod, collection, groups };
  const { items } = await call(createFulfillmentOrders, { body }, { timeoutMs: DECIDE_TIMEOUT_MS });
  return items.map(({ id }) => id);
}

/** Routes a confirmed order whose routing has begun. The changes are part of the last commit. @throws the Problem of the FMS */
async function requestFulfillment(order: StoredOrder, record: FulfillmentRecord, scope: Scope): Promise<StoredOrder> {
  const { work } = scope;
  await createFulfillmentOrdersFor(order, { attempt: record.attempts, groups: groupsOf(order.lines) }, scope);
  work.put(fulfillmentRecords, { ...record, routed: true });
  work.cancel(routeOrderDue, order.id);
  if (order.routingStatus === undefined) return order;
  return work.transition(orders, order, order.state === 'confirmed' ? 'route' : 'note', { routingStatus: undefined });
}

/** Does the same as `requestFulfillment`. After a failure the order shows `routingStatus: 'retrying'`, and due work tries again. */
export async function requestFulfillmentOrRetry(order: StoredOrder, scope: Scope): Promise<StoredOrder> {
  const { work, log } = scope;
  const record = await work.get(fulfillmentRecords, order.id);
  if (!record || record.routed || record.unrouted) return order;
  try {
    return await requestFulfillment(order, record, scope);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ orderId: order.id, code: error.code }, 'routing an order failed');
    work.schedule(routeOrderDue, order.id, work.now + FIRST_RETRY_MS, { asked: false }, { awaits: absentApplication(error) });
    return order.routingStatus === 'retrying' ? order : work.transition(orders, order, 'note', { routingStatus: 'retrying' });
  }
}

/** `nearest`: the first location by priority that can serve a line. `most-stock`: the location with the highest ATP. */
type Strategy = NonNullable<FulfillmentRecord['strategy']>;

/** The strategy when a request names none. */
const NEAREST = 'nearest' satisfies Strategy;

/**
 * Ensures a confirmed reservation for every line. Lines that have one keep their node. For the others, the strategy chooses the locations of
 * one new reservation. The intent to take it is committed first. Every request and due work of the intent makes the same call, so a call that
 * arrives late gets the answer of the first one, and replaces no reservation that was confirmed since.
 * @returns the order, or the refusal with the intent withdrawn
 * @throws Problem when the outcome is unknown, or another request for the same routing is running; the intent stays
 */
async function ensureReservations(order: StoredOrder, strategy: Strategy, scope: Scope): Promise<StoredOrder | Problem> {
  const { work } = scope;
  const held = new Set<string>();
  for (const id of reservationsOf(order.lines)) if (await tryConfirmReservation(id, order.id, scope)) held.add(id);
  const without = order.lines.filter(({ reservationId }) => reservationId === undefined || !held.has(reservationId));
  if (without.length === 0) return order;
  const intended = await beginIntent(work, order, 'route', { routeStrategy: strategy });
  const holdAttempts = intended.holdAttempts + 1;
  let taken: Reservation;
  try {
    taken = await reserveLines(without, { order: intended, strategy }, scope);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'idempotency_in_progress' && intended.pendingAction) throw actionPending(intended, 'route', intended.pendingAction);
    if (didNothing(error) && !order.pendingAction) withdrawRouting(work, intended);
    else if (error.retryable || isDependencyProblem(error)) throw error;
    else withdrawRouting(work, intended, { holdAttempts });
    return error;
  }
  const secured = linesServedFrom(linesHeldBy(without, taken.id), taken.allocations);
  const lines = order.lines.map((line) => secured.find(({ lineId }) => lineId === line.lineId) ?? line);
  const noted = work.transition(orders, intended, 'note', { lines, holdAttempts });
  await work.checkpoint();
  // An unconfirmed reservation may have ended since. Then the next attempt makes another one.
  return ensureReservations(noted, strategy, scope);
}

/** The new reservation takes over units that are already reserved for the order, its basket or these lines. */
function reserveLines(
  lines: readonly OrderLine[],
  { order, strategy }: { order: StoredOrder; strategy: Strategy },
  { call }: Scope,
): Promise<Reservation> {
  const items = itemsOf(lines);
  const body = {
    orderId: order.id,
    items,
    ttlSeconds: NEW_RESERVATION_TTL_SECONDS,
    collectAt: order.collection?.locationId,
    takesOverLines: lines.map(({ lineId }) => lineId),
    ...(strategy !== NEAREST && { prefer: strategy }),
    ...(lines.length === order.lines.length && { basketId: order.basketId }),
  };
  const step = `route ${order.holdAttempts + 1} ${strategy} ${items.map(({ sku }) => sku).join(' ')}`;
  return call(reserveInventory, { body }, { intent: order.id, step });
}

/** A reservation reaches these states only after it was confirmed and passed to the FMS. */
const WORKED_ON: ReadonlySet<unknown> = new Set(['fulfilled', 'cancelled']);

/**
 * Confirms a reservation for fulfilment; afterwards clients cannot release it. An earlier attempt whose answer was lost may have confirmed
 * it, and its units may be dispatched or short by now. Then its fulfillment order exists, and the next request to the FMS finds it.
 * @returns false if the reservation ended before it was confirmed
 */
export async function tryConfirmReservation(id: string, orderId: string, { call }: Scope): Promise<boolean> {
  try {
    await call(confirmReservation, { params: { id }, body: { orderId, forFulfilment: true } });
    return true;
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable) throw error;
    if (error.code === 'invalid_state_transition') return WORKED_ON.has(error.context['currentState']);
    if (error.code !== 'reservation_expired' && error.code !== 'not_found') throw error;
    return false;
  }
}
