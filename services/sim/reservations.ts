import { getBasket, getTransaction } from '../../shared/catalog/commerce/internal.ts';
import {
  confirmReservation as confirmReservationApi,
  getInventory as getInventoryApi,
  releaseReservation as releaseReservationApi,
} from '../../shared/catalog/inventory/apis.ts';
import {
  getBasketHold as getBasketHoldCall,
  getReservation as getReservationCall,
  getStock,
  listOrderHolds as listOrderHoldsCall,
  moveHold,
  recordReservation as recordReservationCall,
  releaseHolds as releaseHoldsCall,
} from '../../shared/catalog/inventory/internal.ts';
import { reservationLifeCycle } from '../../shared/catalog/inventory/objects.ts';
import { isAgain } from '../../shared/catalog/life-cycle.ts';
import { getOrderStock } from '../../shared/catalog/order/internal.ts';
import { notFound, undefinedIf } from '../../shared/catalog/problems.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import { refuseWhileReplaced } from './attempts.ts';
import { attempts, fulfillmentHolds, reservations, type StoredReservation } from './collections.ts';
import { expireReservationDue, giveBackStockDue } from './due-work.ts';
import {
  findEnd,
  findOpenReservation,
  findOpenReservations,
  isOpen,
  markEnded,
  refuseForeignOrder,
  refuseOtherOrder,
  refuseWhileSent,
  reservationExpired,
  stockAtTill,
} from './reservation-rules.ts';
import { isBeingBought } from './reserving.ts';
import { movePendingStock } from './stock-movements.ts';

export const confirmReservation = handle(confirmReservationApi)(async ({ params: { id }, body }, scope) => {
  const { work } = scope;
  const { orderId, forFulfilment } = body;
  const [found] = await Promise.all([
    requireObject(work, reservations, id),
    ...(forFulfilment ? [work.get(fulfillmentHolds, id), work.get(attempts, id)] : []),
  ]);
  if (found.state === 'expired') throw reservationExpired(found);
  const isConfirmed = isAgain(reservationLifeCycle, found, 'confirm');
  refuseOtherOrder(found, orderId);
  const isNew = forFulfilment && !(await work.get(fulfillmentHolds, id));
  // The reservation was confirmed before its order was stored.
  const isBound = orderId !== undefined && found.orderId === undefined;
  if (isConfirmed && !isNew && !isBound) return again(found);
  await refuseUnfit(found, orderId ?? found.orderId, scope);
  await refuseWhileReplaced(found, work);
  if (isNew) {
    // A concurrent release is either committed first, or finds this record.
    work.expect(reservations, found);
    work.put(fulfillmentHolds, { id, orderId });
  }
  if (isConfirmed) return isBound ? work.revise(reservations, found, { ...found, orderId }) : again(found);
  work.cancel(expireReservationDue, id);
  return work.transition(reservations, found, 'confirm', { expiresAt: undefined, orderId: orderId ?? found.orderId });
});

/** @throws Problem `not_found` for an order that neither the OMS nor a till has; `dependency_*` */
async function requireOrder(orderId: string, call: Scope['call']): Promise<void> {
  const known = await call(getOrderStock, { params: { id: orderId } }).catch(undefinedIf('not_found'));
  const found = known ?? (await call(getTransaction, { params: { id: orderId } }).catch(undefinedIf('not_found')));
  if (!found) throw notFound('order', orderId);
}

/**
 * The OMS confirms for its own orders. A caller from outside may confirm the reservation of a basket only for the order that the basket
 * became, and any other reservation only for an existing order that has not ended: when the order ends, it releases the stock.
 * @throws Problem `not_found`, `validation_failed`, `invalid_state_transition`, `dependency_*`
 */
async function refuseUnfit(found: StoredReservation, orderId: string | undefined, { work, call, context }: Scope): Promise<void> {
  if (context.chain.length > 0 || orderId === undefined) return;
  const { basketId } = found;
  if (basketId === undefined) await requireOrder(orderId, call);
  // If the reservation already names the order, Reserve Inventory has checked it.
  else if (found.orderId === undefined) refuseForeignOrder(await call(getBasket, { params: { id: basketId } }), orderId);
  const ended = await findEnd(work, { orderId });
  if (ended) throw ended;
}

/** Commits the state before the stock is returned: a unit that is returned too early could be sold twice. */
export const releaseReservation = handle(releaseReservationApi)(async ({ params: { id } }, scope) => {
  const { work } = scope;
  const found = await requireObject(work, reservations, id);
  if (isAgain(reservationLifeCycle, found, 'release')) return again(found);
  await refuseBeingSent(found, scope);
  await refuseAtTill(found, scope);
  work.cancel(expireReservationDue, id);
  work.schedule(giveBackStockDue, id, work.now, {}, { beforeReply: true });
  return work.transition(reservations, found, 'release');
});

/** Only the OMS can stop a shipment, and it does so before the release. @throws Problem `invalid_state_transition` */
async function refuseBeingSent(found: StoredReservation, { work, context }: Scope): Promise<void> {
  if (context.chain.at(-1) !== 'oms') await refuseWhileSent(found, work);
}

/**
 * The goods of a sale leave with the customer. If their reservation were released, they would stay in the stock records.
 * @throws Problem `invalid_state_transition` for a caller from outside; `dependency_*`
 */
async function refuseAtTill(found: StoredReservation, { work, call, context }: Scope): Promise<void> {
  if (context.chain.length > 0 || found.basketId === undefined || !isOpen(found)) return;
  const attempt = await work.get(attempts, found.id);
  if (!attempt || attempt.expiresAt !== undefined) return;
  // The till reserves the stock before the basket exists.
  const basket = await call(getBasket, { params: { id: found.basketId } }).catch(undefinedIf('not_found'));
  if (!basket || isBeingBought(basket)) throw stockAtTill(found, basket?.transactionId);
}

export const expireReservation = handleDue(expireReservationDue)(async ({ key }, { work }) => {
  const found = await work.get(reservations, key);
  if (found?.state !== 'requested') return;
  work.schedule(giveBackStockDue, key, work.now, {}, { beforeReply: true });
  work.transition(reservations, found, 'expire');
});

/** Returns the stock without the units that have left. The Inventory Service books the return once. */
export const giveBackStock = handleDue(giveBackStockDue)(async ({ key }, { work, call }) => {
  await movePendingStock(key, { work, call });
  await call(moveHold, { params: { reservationId: key }, body: { reference: `release ${key}`, kind: 'release' } });
});

/** A concurrent attempt to reserve stock is either committed first and released here, or finds that its order or basket has ended. */
export const releaseHolds = handle(releaseHoldsCall)(async ({ body: { basket, order, spare = [] } }, { work }) => {
  if (order) await markEnded(work, 'order', order);
  if (basket) await markEnded(work, 'basket', basket);
  const released = (await findOpenReservations(work, { orderId: order?.id, basketId: basket?.id })).filter(({ id }) => !spare.includes(id));
  for (const reservation of released) {
    work.cancel(expireReservationDue, reservation.id);
    work.schedule(giveBackStockDue, reservation.id, work.now, {}, { beforeReply: true });
    work.transition(reservations, reservation, 'release');
  }
  return { released: released.map(({ id }) => id) };
});

/** Records stock that the Inventory Service has reserved already, once per id. For an order that has ended, nothing is recorded. */
export const recordReservation = handle(recordReservationCall)(async ({ params: { id }, body }, { work }) => {
  const found = await work.get(reservations, id);
  if (found) return again(found);
  const ended = await findEnd(work, body);
  if (ended) throw ended;
  return work.create(reservations, 'allocate', { id, ...body });
});

export const getReservation = handle(getReservationCall)(async ({ params: { id } }, { work }) => {
  const found = await requireObject(work, reservations, id);
  return found;
});

export const getBasketHold = handle(getBasketHoldCall)(async ({ params }, { work }) => {
  const reservation = await findOpenReservation(work, params.basketId);
  return reservation ? { reservation } : {};
});

export const listOrderHolds = handle(listOrderHoldsCall)(async ({ params: { orderId }, query: { basketId } }, { work }) => ({
  items: await findOpenReservations(work, { orderId, basketId }),
}));

export const getInventory = handle(getInventoryApi)(({ params }, { call }) => call(getStock, { params }));
