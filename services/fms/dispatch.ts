import type { InputOf } from '../../shared/catalog/define.ts';
import { dispatchFulfillmentOrder as dispatchFulfillmentOrderApi } from '../../shared/catalog/fulfillment/apis.ts';
import { fulfillmentOrderLifeCycle, isTransfer } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { DEFAULT_CARRIER, STORE_COUNTER } from '../../shared/catalog/fulfillment/shipments.ts';
import { isAgain } from '../../shared/catalog/life-cycle.ts';
import { ensureCaptured } from '../../shared/catalog/order/internal.ts';
import { absentApplication, invalid, Problem } from '../../shared/catalog/problems.ts';
import { refuseOtherContent } from '../../shared/handlers/repeats.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import type { DueWork } from '../../shared/work/due-work.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { isToCollect, makeReady, refuseCarrier, storeOf } from './collection.ts';
import { withOwnQr } from './collection-code.ts';
import { fulfillmentOrders, nodes, type Parcel, parcels, published, type StoredFulfillmentOrder } from './collections.ts';
import { HAND_OVER_TIMEOUT_MS, handOverDue, TAKE_OVER_MS, takeStockDue } from './due-work.ts';
import { createParcel, handOverParcel, isHandedOver, parcelOf } from './parcels.ts';
import { moveUnits, stockMovesOf } from './stock-moves.ts';

type Body = InputOf<typeof dispatchFulfillmentOrderApi>['body'];

/**
 * The capture comes first: unpaid goods are never dispatched. Then `dispatched` is committed, which is the point of no return, with due work for
 * stock, parcel and label. A repeat finishes the remaining steps, unless it names another parcel.
 */
export const dispatchFulfillmentOrder = handle(dispatchFulfillmentOrderApi)(async ({ params, body }, scope) => {
  const found = await requireObject(scope.work, fulfillmentOrders, params.id);
  const isRepeat = isAgain(fulfillmentOrderLifeCycle, found, 'dispatch');
  if (isToCollect(found) && !isTransfer(found)) {
    refuseCarrier(body);
    return isRepeat ? again(await shown(found, scope)) : shown(await makeReady(found, scope), scope);
  }
  if (isRepeat) {
    await refuseOtherParcel(found, body, scope);
    return again(await shown(await carryOnDispatch(found, scope), scope));
  }
  const toStore = isToCollect(found) || undefined;
  if (!found.free) await scope.call(ensureCaptured, { params: { id: found.orderId }, body: { fulfillmentOrderId: found.id, toStore } });
  return shown(await carryOnDispatch(await commitDispatch(found, body, scope), scope), scope);
});

/** The answer, with the QR code of a collection that waits. */
const shown = async (found: StoredFulfillmentOrder, scope: Scope) => (isToCollect(found) ? withOwnQr(found, scope) : published(found));

/** @throws Problem `conflicting_repeat` after a dispatch with another carrier or service */
async function refuseOtherParcel(found: StoredFulfillmentOrder, { carrier, service }: Body, { work }: Scope): Promise<void> {
  const parcel = await parcelOf(work, found);
  if (!parcel) return;
  const standing = { carrier: parcel.data.carrier, service: parcel.data.service };
  refuseOtherContent({ carrier, service }, standing, {
    objectType: 'fulfillment-order',
    id: found.id,
    what: 'was dispatched',
    remedy: 'While its parcel has no label, Generate Shipping Label accepts another carrier or service.',
  });
}

async function commitDispatch(found: StoredFulfillmentOrder, asked: Body, { work, context }: Scope): Promise<StoredFulfillmentOrder> {
  const node = await requireObject(work, nodes, found.locationId, 'location');
  const { carrier = DEFAULT_CARRIER, service = found.shippingMethod } = asked;
  if (isToCollect(found) && carrier === STORE_COUNTER) throw notACarrier();
  const to = isToCollect(found) ? (await storeOf(found, work)).address : found.shippingAddress;
  if (!to) throw new Error(`The fulfillment order ${found.id} has no address.`);
  const kind = isToCollect(found) ? ('collection' as const) : undefined;
  const copy = createParcel(
    { fulfillmentOrderId: found.id, kind, carrier, service, from: node.address, to, stockTaken: false },
    { work, context },
  );
  for (const due of [takeStockDue, handOverDue]) work.schedule(due, found.id, work.now + TAKE_OVER_MS, {});
  const next = work.transition(fulfillmentOrders, found, 'dispatch', { shipments: [copy] });
  await work.checkpoint();
  return next;
}

const notACarrier = (): Problem =>
  invalid(
    '/carrier',
    'not_a_carrier',
    `"${STORE_COUNTER}" is the counter of a store. A carrier takes the goods there: name it, or leave the member out.`,
  );

/**
 * Takes the three steps after a committed dispatch: the stock leaves, the parcel is registered, the label is made. Stock and parcel
 * do not wait for each other. A failure does not undo the dispatch: due work, committed with it, tries again.
 */
async function carryOnDispatch(found: StoredFulfillmentOrder, scope: Scope): Promise<StoredFulfillmentOrder> {
  const { work, log } = scope;
  const parcel = await parcelOf(work, found);
  if (!parcel) return found;
  const unmoved = parcel.stockTaken ? undefined : await takeStock(found, parcel, scope);
  if (unmoved) {
    log.warn({ fulfillmentOrderId: found.id, code: unmoved.code }, 'taking dispatched goods out of stock failed');
    leaveLater(work, takeStockDue, found, unmoved);
  }
  const latest = (await parcelOf(work, found)) ?? parcel;
  if (isHandedOver(found, latest)) return found;
  const { found: next, failure } = await handOver(found, latest, scope);
  if (failure) {
    log.warn({ fulfillmentOrderId: found.id, code: failure.code }, 'handing over a dispatched parcel failed');
    leaveLater(work, handOverDue, found, failure);
  }
  return next;
}

/** Due work takes the step when the absent application is back, or else after the time of a request. */
function leaveLater(work: UnitOfWork, due: DueWork, { id }: StoredFulfillmentOrder, failure: Problem): void {
  work.schedule(due, id, work.now + TAKE_OVER_MS, {}, { awaits: absentApplication(failure) });
}

/** Makes the movements of dispatched goods in the stock records. @returns why that failed */
async function takeStock(found: StoredFulfillmentOrder, parcel: Parcel, scope: Scope): Promise<Problem | undefined> {
  try {
    for (const kind of stockMovesOf(found)) await moveUnits(found, kind, scope, HAND_OVER_TIMEOUT_MS);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  scope.work.put(parcels, { ...parcel, stockTaken: true });
  scope.work.cancel(takeStockDue, found.id);
  return undefined;
}

async function handOver(found: StoredFulfillmentOrder, parcel: Parcel, scope: Scope) {
  const { work } = scope;
  const { shipments, failure } = await handOverParcel(found, parcel, scope);
  if (!failure) work.cancel(handOverDue, found.id);
  return { found: shipments ? work.transition(fulfillmentOrders, found, 'note', { shipments }) : found, failure };
}

export const takeStockLater = handleDue(takeStockDue)(async ({ key }, scope) => {
  const found = await scope.work.get(fulfillmentOrders, key);
  const parcel = found && (await parcelOf(scope.work, found));
  if (!found || !parcel || parcel.stockTaken) return;
  const failure = await takeStock(found, parcel, scope);
  if (failure) throw failure;
});

/** A failure is committed to the fulfillment order, so that clients see it before the next attempt. */
export const handOverLater = handleDue(handOverDue)(async ({ key }, scope) => {
  const found = await scope.work.get(fulfillmentOrders, key);
  const parcel = found && (await parcelOf(scope.work, found));
  if (!found || !parcel || isHandedOver(found, parcel)) return;
  const { failure } = await handOver(found, parcel, scope);
  if (!failure) return;
  await scope.work.checkpoint();
  throw failure;
});
