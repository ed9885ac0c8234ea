import { priceOrder } from '../../shared/catalog/commerce/internal.ts';
import { changeFulfillment } from '../../shared/catalog/fulfillment/internal.ts';
import { reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { noCollectionAt, sourceOf } from '../../shared/catalog/inventory/collection.ts';
import { getCollectionPoint } from '../../shared/catalog/inventory/internal.ts';
import { refusal, rowFor } from '../../shared/catalog/life-cycle.ts';
import { changeOrder as changeOrderApi } from '../../shared/catalog/order/apis.ts';
import { orderLifeCycle } from '../../shared/catalog/order/objects.ts';
import { didNothing, isDependencyProblem, isProblem, Problem } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import { isSale } from './baskets.ts';
import {
  type Asked,
  entryFor,
  isSameChange,
  lessBy,
  refundOfChange,
  refuseDearer,
  refuseFurtherChange,
  removedBy,
  repriced,
  sharedPrice,
  surplusOf,
  type Wanted,
  wantedOf,
} from './change-terms.ts';
import { fulfillmentRecords, orders, type PendingChange, type StoredOrder } from './collections.ts';
import { undoNow, withUndo } from './compensation.ts';
import {
  compensateDue,
  DECIDE_TIMEOUT_MS,
  finishChangeDue,
  NEW_RESERVATION_TTL_SECONDS,
  refundCancelledUnitsDue,
  routeOrderDue,
  TAKE_OVER_MS,
  VIEW_TIMEOUT_MS,
} from './due-work.ts';
import { freshRecord } from './fulfillment.ts';
import { refundOwedUnits } from './late-refunds.ts';
import { type FulfillmentOrder, itemsOf, keptAt, linesHeldBy, linesServedFrom, reservationsOf } from './lines.ts';
import { fetchView, type OrderView } from './order-view.ts';
import { type Payment, paymentsOf } from './payments.ts';
import { actionPending, beginIntent, refuseWhileOtherPending, withdraw } from './pending-action.ts';
import { requestFulfillmentOrRetry, tryConfirmReservation } from './routing.ts';

/**
 * Computes the difference, stores the intent, has the FMS change the fulfillment orders, commits the changed order, then releases surplus
 * stock and lowers the authorisations. Only the FMS can refuse a change after its intent: the warehouse has begun. While another application
 * cannot undo its part, the order has `compensation: 'pending'`, and due work tries again.
 */
export const changeOrder = handle(changeOrderApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const found = await requireObject(work, orders, params.id);
  if (isSale(found)) throw soldAtTill(found);
  // Another action may begin after an earlier run of this request has made the change.
  if (found.pendingAction && isMade(found, body)) return again(await fetchView(found, scope));
  refuseWhileOtherPending(found, 'change');
  if (found.pendingChange && !isSameChange(found.pendingChange.asked, body)) {
    throw actionPending(found, 'change', found.pendingAction ?? { action: 'change', since: found.updatedAt });
  }
  const resumed = found.pendingAction !== undefined;
  let intended = found;
  if (!resumed) {
    const wanted = wantedOf(found, body);
    // An earlier run of this request may have left what follows from the change.
    if (!wanted && found.changes) return again(await viewChanged({ order: found, fulfillmentOrders: undefined }, scope));
    rowFor(orderLifeCycle, found, 'change');
    if (!wanted) return again(await fetchView(found, scope));
    intended = await beginIntent(work, found, 'change', { pendingChange: await planFor(found, { asked: body, wanted }, scope) });
  }
  const outcome = await carryOutChange(intended, resumed, scope);
  return outcome instanceof Problem ? outcome : viewChanged(outcome, scope);
});

/** Whether an order already has what a change requests, while another action is pending. */
function isMade({ changes, pendingChange, ...order }: StoredOrder, asked: Asked): boolean {
  if (!changes || (pendingChange && isSameChange(pendingChange.asked, asked))) return false;
  try {
    return wantedOf({ ...order, changes }, asked) === undefined;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

interface Changed {
  readonly order: StoredOrder;
  /** Its fulfillment orders, if the FMS has changed them. Undefined if the order is routed again. */
  readonly fulfillmentOrders: readonly FulfillmentOrder[] | undefined;
}

const soldAtTill = (order: StoredOrder): Problem =>
  refusal(
    orderLifeCycle,
    order,
    'change',
    `The order "${order.id}" was sold at the till, and its customer has the goods. Create Return takes some of them back.`,
  );

/** Finishes a change after its intent. While the FMS does not answer, the call is retried. */
export const finishChange = handleDue(finishChangeDue)(async ({ key }, scope) => {
  const order = await scope.work.get(orders, key);
  if (order?.pendingAction?.action !== 'change') return;
  const outcome = await carryOutChange(order, true, scope);
  if (outcome instanceof Problem) return;
  const { work } = scope;
  if (owes(outcome.order)) work.schedule(refundCancelledUnitsDue, key, work.now, {});
  await requestFulfillmentOrRetry(outcome.order, scope);
});

/** Everything that the change needs, so that due work can finish it without the applications that computed it. */
async function planFor(order: StoredOrder, { asked, wanted }: { asked: Asked; wanted: Wanted }, scope: Scope): Promise<PendingChange> {
  const { work } = scope;
  refuseFurtherChange(order);
  const { what, delivery, lines, moves } = wanted;
  const isOfGoods = what === 'lines' || what === 'shipping-method' || moves || isTaxedElsewhere(order, wanted, work.figures);
  if (isOfGoods && order.state !== 'confirmed') throw hasBegun(order);
  const record = await work.get(fulfillmentRecords, order.id);
  if (record && !record.routed && !record.unrouted) throw beingRouted(order);
  const promised = moves ? await withPromise(delivery, scope) : delivery;
  const price = isOfGoods ? await priceFor(order, wanted, scope) : undefined;
  if (price) refuseDearer(order, price, what);
  const removed = what === 'lines' ? removedBy(order, lines) : undefined;
  const number = (order.changes ?? []).length + 1;
  const changed = price && { lines: repriced(order, price), totals: price.totals };
  const payments = price && (await paymentsOf(order.id, scope, VIEW_TIMEOUT_MS).catch(undefinedIfUnavailable));
  const after = { ...order, ...changed, ...(what !== 'lines' && { collection: promised.collection }) };
  return {
    asked,
    entry: entryFor(order, after, { at: instant(work.now), what, removed, payments, figures: work.figures }),
    ...changed,
    delivery: what === 'lines' ? undefined : promised,
    fulfillment: record?.routed ? fulfillmentChange(wanted, order, record.attempts) : undefined,
    surplus: removed && surplusOf(order, removed, number),
    moves: moves ? { collectAt: promised.collection?.locationId } : undefined,
  };
}

function undefinedIfUnavailable(error: unknown): undefined {
  if (!isDependencyProblem(error)) throw error;
  return undefined;
}

const hasBegun = (order: StoredOrder): Problem => {
  const detail = `The order "${order.id}" is ${order.state}: the warehouse has begun, so its goods and their delivery stay. Another address or person is possible until the dispatch. Later, Create Return takes units back.`;
  return refusal(orderLifeCycle, order, 'change', detail, { allowedFrom: ['confirmed'] });
};

const beingRouted = (order: StoredOrder): Problem => {
  const detail = `The order "${order.id}" is being routed; repeat the request after that.`;
  return refusal(orderLifeCycle, order, 'change', detail, { retryable: true, retryAfter: 1 });
};

/** Whether another address changes the tax that is added to the prices. Given taxes stay. */
function isTaxedElsewhere(order: StoredOrder, { what, delivery }: Wanted, { taxIncluded }: Scope['work']['figures']): boolean {
  if (taxIncluded || what !== 'address' || order.priceSource === 'given') return false;
  const [before, after] = [order.shippingAddress, delivery.shippingAddress];
  return before?.country !== after?.country || before?.region !== after?.region;
}

/** What the FMS has to change. */
function fulfillmentChange({ what, delivery, lines, moves }: Wanted, order: StoredOrder, attempts: number): PendingChange['fulfillment'] {
  if (moves) return { withdraw: { attempts } };
  switch (what) {
    case 'lines':
      return {
        lines: order.lines.flatMap((line) => {
          const qty = lines.find(({ lineId }) => lineId === line.lineId)?.qty ?? 0;
          return line.nodes ? keptAt(line, qty).map((at) => ({ orderLineId: line.lineId, ...at })) : [{ orderLineId: line.lineId, qty }];
        }),
      };
    case 'address':
      return { shippingAddress: delivery.shippingAddress };
    case 'shipping-method':
      return { shippingMethod: delivery.shippingMethod };
    case 'collection':
      return { collector: { person: delivery.collection?.person } };
  }
}

/** A collection with the promise of its store, if its shelf has the goods. @throws Problem `validation_failed` for a place without collection */
async function withPromise(delivery: Wanted['delivery'], { call }: Scope): Promise<Wanted['delivery']> {
  const { collection } = delivery;
  if (!collection) return delivery;
  const { locationId } = collection;
  try {
    const { readyBy } = await call(getCollectionPoint, { params: { id: locationId } }, { timeoutMs: DECIDE_TIMEOUT_MS });
    return { ...delivery, collection: { ...collection, readyBy } };
  } catch (error) {
    if (!isProblem(error, 'not_found')) throw error;
    throw noCollectionAt('/collection/locationId', locationId);
  }
}

/**
 * The eCommerce Platform prices the remaining units by the rules of the checkout. A real one may not do so, and an order with given
 * prices has no basket; then each line keeps the share of its units, and the shipping stays.
 */
async function priceFor(order: StoredOrder, { what, delivery, lines }: Wanted, { call }: Scope) {
  const { total, shipping } = order.totals;
  if (order.basketId === undefined) return sharedPrice(order, lines);
  const { shippingAddress: to, collection } = delivery;
  const body = {
    // Another delivery changes the shipping only.
    lines: lines.map(({ lineId, qty }) => ({
      lineId,
      qty,
      discount: what === 'lines' ? undefined : order.lines.find((line) => line.lineId === lineId)?.discount,
    })),
    shippingMethod: delivery.shippingMethod,
    destination: to && { country: to.country, region: to.region },
    collectAt: collection?.locationId,
    ...(what === 'lines' && { most: { total, shipping } }),
  };
  try {
    return await call(priceOrder, { params: { id: order.basketId }, body }, { timeoutMs: DECIDE_TIMEOUT_MS });
  } catch (error) {
    if (!isProblem(error, 'swapped') && !isProblem(error, 'not_found')) throw error;
    return sharedPrice(order, lines);
  }
}

/**
 * Carries out a change after its intent. A request and due work may run this concurrently: they send the same calls, and the first commit wins.
 * @returns the changed order, or the refusal with the intent withdrawn
 * @throws Problem when another application leaves the outcome open; the intent then stays
 */
async function carryOutChange(order: StoredOrder, resumed: boolean, scope: Scope): Promise<Changed | Problem> {
  const { pendingChange: change } = order;
  if (!change) throw new Error(`The order ${order.id} has no change.`);
  const held = await takeStockElsewhere(order, change, { resumed, scope });
  if (held instanceof Problem) return held;
  const fulfillmentOrders = await changeAtFms(held, held.pendingChange ?? change, { resumed, scope });
  if (fulfillmentOrders instanceof Problem) return fulfillmentOrders;
  return { order: await markChanged(held, scope), fulfillmentOrders: change.moves ? undefined : fulfillmentOrders };
}

interface Attempt {
  /** Whether an earlier attempt stored the intent, and may have changed something. */
  readonly resumed: boolean;
  readonly scope: Scope;
}

/** Goods that come from another place are reserved there first, and the intent notes the reservation. */
async function takeStockElsewhere(order: StoredOrder, change: PendingChange, { resumed, scope }: Attempt): Promise<StoredOrder | Problem> {
  const { moves } = change;
  if (!moves) return order;
  const { work, call } = scope;
  if (moves.reservationId !== undefined) return order;
  const body = {
    orderId: order.id,
    items: itemsOf(order.lines),
    collectAt: moves.collectAt,
    ttlSeconds: NEW_RESERVATION_TTL_SECONDS,
  };
  try {
    // Whether the goods come from the shelf, and so when they are ready, depends on the reservation.
    const { readyBy: _readyBy, ...certain } = change.entry.after;
    const foreseen = { changes: [...(order.changes ?? []), { ...change.entry, after: certain }] };
    const step = `move ${order.holdAttempts + 1}`;
    const taken = await call(reserveInventory, { body }, { intent: order.id, step, foreseen });
    const { id: reservationId, allocations } = taken;
    if (!(await tryConfirmReservation(reservationId, order.id, scope))) throw goodsGone(order);
    const lines = linesServedFrom(linesHeldBy(change.lines ?? order.lines, reservationId), allocations);
    const collection =
      change.delivery?.collection && (await withSource(change.delivery.collection, sourceOf(taken, moves.collectAt ?? ''), scope));
    const delivery = { ...change.delivery, collection };
    const entry = { ...change.entry, after: { ...change.entry.after, readyBy: collection?.readyBy } };
    const noted = work.transition(orders, order, 'note', {
      holdAttempts: order.holdAttempts + 1,
      pendingChange: { ...change, entry, lines, delivery, moves: { ...moves, reservationId } },
    });
    await work.checkpoint();
    return noted;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.code === 'insufficient_stock' || error.code === 'not_found') {
      withdraw(work, order, 'change', { pendingChange: undefined, holdAttempts: order.holdAttempts + 1 });
      return error;
    }
    if (!didNothing(error) || resumed) throw error;
    withdraw(work, order, 'change', { pendingChange: undefined });
    return error;
  }
}

const goodsGone = ({ id }: StoredOrder): Problem =>
  new Problem(
    'insufficient_stock',
    `The goods of the order "${id}" were reserved elsewhere, and that reservation ended; repeat the request.`,
    {
      objectType: 'order',
      id,
      skus: [],
    },
  );

type Collection = NonNullable<StoredOrder['collection']>;

/** A warehouse that sends the goods to the store needs longer than its shelf. */
async function withSource(collection: Collection, source: 'shelf' | 'transfer', { call }: Scope): Promise<Collection> {
  if (source === 'shelf') return collection;
  const { locationId } = collection;
  const { readyBy, transferReadyBy = readyBy } = await call(
    getCollectionPoint,
    { params: { id: locationId } },
    { timeoutMs: DECIDE_TIMEOUT_MS },
  );
  return { ...collection, readyBy: transferReadyBy };
}

/** @returns the changed fulfillment orders, if there are any; or the refusal of the FMS, with the intent withdrawn */
async function changeAtFms(
  order: StoredOrder,
  change: PendingChange,
  { resumed, scope }: Attempt,
): Promise<readonly FulfillmentOrder[] | Problem | undefined> {
  if (!change.fulfillment) return undefined;
  const { work, call } = scope;
  try {
    const options = { timeoutMs: DECIDE_TIMEOUT_MS, isSeparate: true } as const;
    const { items } = await call(changeFulfillment, { params: { orderId: order.id }, body: change.fulfillment }, options);
    return items;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const isRefused = error.code === 'swapped' || (error.code === 'invalid_state_transition' && !error.retryable);
    if (!isRefused && (resumed || !didNothing(error))) throw error;
    const release = change.moves?.reservationId === undefined ? undefined : [change.moves.reservationId];
    if (release) work.schedule(compensateDue, order.id, work.now, {}, { beforeReply: true });
    withdraw(work, order, 'change', { pendingChange: undefined, ...withUndo(order, { payments: [], vouchers: false, release }) });
    return isRefused ? refusedByFms(order, error) : error;
  }
}

function refusedByFms(order: StoredOrder, { code, message, context }: Problem): Problem {
  const why =
    code === 'swapped'
      ? 'the real system in place of the FMS does not change fulfillment orders'
      : message.replace(/^The fulfillment order "[^"]*" cannot be changed: /, '').replace(/\.$/, '');
  const detail = `The order "${order.id}" cannot be changed: ${why}. Cancel it while that is possible, or return goods after they have arrived.`;
  return refusal(orderLifeCycle, order, 'change', detail, {
    ...(typeof context['id'] === 'string' && { fulfillmentOrderId: context['id'] }),
  });
}

/** This commit changes the order. What it gives back follows, by the request or by due work. */
async function markChanged(order: StoredOrder, { work }: Scope): Promise<StoredOrder> {
  const { pendingChange: change, changes = [] } = order;
  if (!change) throw new Error(`The order ${order.id} has no change.`);
  const number = changes.length + 1;
  const owed = refundOfChange(change.entry, number);
  const known = await work.get(fulfillmentRecords, order.id);
  if (owed.length > 0 || change.moves) {
    const record = known ?? { ...freshRecord(order.id), unrouted: true as const };
    work.put(fulfillmentRecords, {
      ...record,
      owed: [...record.owed, ...owed],
      ...(change.moves && record.routed && { routed: false, attempts: record.attempts + 1 }),
    });
  }
  if (change.moves && known?.routed) work.schedule(routeOrderDue, order.id, work.now + TAKE_OVER_MS, { asked: true });
  if (owed.length > 0) work.schedule(refundCancelledUnitsDue, order.id, work.now + TAKE_OVER_MS, {});
  const undo = withUndo(order, {
    payments: [],
    vouchers: false,
    surplus: change.surplus,
    release: change.moves && reservationsOf(order.lines),
    lower: owed.length > 0 ? true : undefined,
  });
  if (undo.undo) work.schedule(compensateDue, order.id, work.now + TAKE_OVER_MS, {});
  work.cancel(finishChangeDue, order.id);
  const changed = work.transition(orders, order, 'change', {
    ...(change.lines && { lines: change.lines }),
    ...(change.totals && { totals: change.totals }),
    ...(change.delivery && deliveryOf(change.delivery)),
    pendingAction: undefined,
    pendingChange: undefined,
    changes: [...changes, change.entry],
    ...undo,
  });
  await work.checkpoint();
  return changed;
}

const deliveryOf = ({ shippingAddress, shippingMethod, collection }: NonNullable<PendingChange['delivery']>) => ({
  shippingAddress,
  shippingMethod,
  collection,
});

function owes({ changes }: StoredOrder): boolean {
  const newest = changes?.at(-1);
  return newest !== undefined && lessBy(newest) > 0;
}

/** Carries out what follows from a change, as far as other applications answer, and shows the result. */
async function viewChanged({ order, fulfillmentOrders }: Changed, scope: Scope): Promise<OrderView> {
  const undone = await undoNow(await requestFulfillmentOrRetry(order, scope), scope);
  const payments = (owes(order) && (await refundNow(order, undone.payments, scope))) || undone.payments;
  return fetchView(undone.order, scope, { payments, fulfillmentOrders });
}

async function refundNow(
  { id }: StoredOrder,
  known: readonly Payment[] | undefined,
  scope: Scope,
): Promise<readonly Payment[] | undefined> {
  const { work, log } = scope;
  try {
    const payments = await refundOwedUnits(id, scope, known);
    work.cancel(refundCancelledUnitsDue, id);
    return payments;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ orderId: id, code: error.code }, 'refunding a changed order failed');
    return undefined;
  }
}
