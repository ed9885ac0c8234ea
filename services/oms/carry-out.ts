import { getReservation, moveReservation, recordStockMovement } from '../../shared/catalog/inventory/internal.ts';
import { isAgain, refusal } from '../../shared/catalog/life-cycle.ts';
import { carryOut as carryOutCall } from '../../shared/catalog/order/internal.ts';
import { orderLifeCycle } from '../../shared/catalog/order/objects.ts';
import { requiredFor, stillToCapture } from '../../shared/catalog/payment/cover.ts';
import { isProblem, Problem, undefinedIf } from '../../shared/catalog/problems.ts';
import { money, moneyInWords } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import { isSale } from './baskets.ts';
import { orders, type StoredOrder } from './collections.ts';
import { finishCarryOutDue, releaseReservationsDue } from './due-work.ts';
import { itemsOf, type Reservation, reservationsOf } from './lines.ts';
import { published } from './order-view.ts';
import { captureIfPossible, earningOf } from './payments.ts';
import { beginIntent, refuseWhileOtherPending, withdraw } from './pending-action.ts';

/** A repeat or due work continues an interrupted carry-out, because the customer already has the goods. */
export const carryOut = handle(carryOutCall)(async ({ params }, scope) => {
  const { work } = scope;
  const found = await requireObject(work, orders, params.id);
  if (!isSale(found)) throw noSale(found);
  if (isAgain(orderLifeCycle, found, 'carry-out')) return again(published(found));
  refuseWhileOtherPending(found, 'carry-out');
  const outcome = await carryOutSale(await beginIntent(work, found, 'carry-out'), scope);
  return outcome instanceof Problem ? outcome : published(outcome);
});

const noSale = (order: StoredOrder): Problem =>
  refusal(orderLifeCycle, order, 'carry-out', `The order "${order.id}" was not sold at the till; its goods are shipped, not carried out.`);

/** Continues an interrupted carry-out until the other applications have answered. The goods have left already. */
export const finishCarryOut = handleDue(finishCarryOutDue)(async ({ key }, scope) => {
  const order = await scope.work.get(orders, key);
  if (order?.pendingAction?.action !== 'carry-out') return;
  const outcome = await carryOutSale(order, scope);
  if (outcome instanceof Problem) scope.log.warn({ orderId: key, code: outcome.code }, outcome.message);
});

/**
 * Continues a carry-out from its intent to its end: captures every tender, takes the goods out of the stock of the store and completes
 * the sale. Each step may be repeated by the request, a repeat of it or due work. The changes are part of the last commit.
 * @returns the completed order; or the refusal of a sale that is not paid, with the intent withdrawn
 * @throws Problem when another application leaves the outcome open; the intent then stays
 */
async function carryOutSale(order: StoredOrder, scope: Scope): Promise<StoredOrder | Problem> {
  const { work } = scope;
  const { storeId } = order;
  if (storeId === undefined) throw new Error(`The sale ${order.id} has no store.`);
  const payments = order.totals.total.amount === 0 ? [] : await captureIfPossible(order.id, scope, () => false);
  const missing = stillToCapture(requiredFor(order), payments);
  if (missing > 0) {
    withdraw(work, order, 'carry-out');
    return notPaid(order, missing);
  }
  const stockDiscrepancy = await takeOutOfStore(order, storeId, scope);
  const lines = order.lines.map((line) => ({ ...line, nodeId: storeId, fulfilledQty: line.qty }));
  work.cancel(finishCarryOutDue, order.id);
  work.schedule(releaseReservationsDue, order.id, work.now, {}, { beforeReply: true });
  return work.transition(orders, order, 'carry-out', {
    lines,
    pendingAction: undefined,
    completedAt: instant(work.now),
    ...earningOf({ ...order, lines }, payments),
    ...(stockDiscrepancy && { stockDiscrepancy }),
  });
}

function notPaid(order: StoredOrder, missing: number): Problem {
  const outstanding = money(missing, order.totals.total.currency);
  const detail = `${moneyInWords(outstanding)} of the order "${order.id}" are not captured, or were refunded; pay them, then carry out the order again.`;
  return new Problem('payment_incomplete', detail, { objectType: 'order', id: order.id, outstanding });
}

type Units = { readonly sku: string; readonly qty: number };

const sumOf = (units: readonly Units[], sku: string): number =>
  units.filter((one) => one.sku === sku).reduce((sum, { qty }) => sum + qty, 0);

/**
 * Takes the goods of a sale out of the stock of its store. Units that the till reserved are consumed. Others are taken from unreserved
 * stock. Units beyond that were missing from the records, so no counter becomes negative. Every call names the order and moves its
 * units once.
 * @returns whether the store sold more than its records had
 * @throws Problem `dependency_*`
 */
async function takeOutOfStore(order: StoredOrder, storeId: string, scope: Scope): Promise<boolean> {
  const left = await consumeReserved(order, storeId, scope);
  const missing = itemsOf(order.lines)
    .map(({ sku, qty }) => ({ sku, qty: qty - sumOf(left, sku) }))
    .filter(({ qty }) => qty > 0);
  let found = 0;
  for (const { sku, qty } of missing) {
    const body = { reference: `carry-out ${order.id} ${sku}`, kind: 'carried-out' as const, locationId: storeId, sku, qty };
    // A SKU that no location has ever stocked has no counter to book on.
    const moved = await scope.call(recordStockMovement, { body }, { step: sku }).catch(undefinedIf('not_found'));
    found += moved?.found ?? qty;
  }
  return found > 0;
}

/** @returns the units that left the reservation: all of them, or none if it ended in another way */
async function consumeReserved(order: StoredOrder, storeId: string, scope: Scope): Promise<Units[]> {
  const held = await reservationOf(order, scope);
  if (!held || held.state === 'fulfilled') return held ? fulfilledOf(held) : [];
  const lines = held.allocations.map(({ sku, qty, fulfilledQty, cancelledQty }) => ({ sku, qty: qty - fulfilledQty - cancelledQty }));
  const body = {
    reference: `carry-out ${order.id}`,
    kind: 'consume' as const,
    locationId: storeId,
    lines: lines.filter(({ qty }) => qty > 0),
  };
  try {
    return fulfilledOf(await scope.call(moveReservation, { params: { id: held.id }, body }));
  } catch (error) {
    if (!isProblem(error, 'invalid_state_transition') || error.retryable) throw error;
    // A concurrent request ended the reservation.
    const now = await reservationOf(order, scope);
    if (now && now.state !== 'fulfilled') throw error;
    return now ? fulfilledOf(now) : [];
  }
}

const fulfilledOf = ({ allocations }: Reservation): Units[] => allocations.map(({ sku, fulfilledQty }) => ({ sku, qty: fulfilledQty }));

/** The states of a reservation that still has its units, or has consumed them for this sale. */
const USABLE: ReadonlySet<string> = new Set(['requested', 'confirmed', 'fulfilled']);

/** @returns undefined without a usable reservation: the store had no stock, or the reservation was released */
async function reservationOf({ lines }: StoredOrder, { call }: Scope): Promise<Reservation | undefined> {
  const [id] = reservationsOf(lines);
  if (id === undefined) return undefined;
  const found = await call(getReservation, { params: { id } }).catch(undefinedIf('not_found'));
  return found && USABLE.has(found.state) ? found : undefined;
}
