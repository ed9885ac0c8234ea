import { type Application, applications } from '../../shared/catalog/applications.ts';
import { nameOf } from '../../shared/catalog/event-names.ts';
import { BEFORE_DISPATCH, isAtCounter } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { hasOpenDispute, isUndecided } from '../../shared/catalog/payment/cover.ts';
import { hasFailed } from '../../shared/catalog/payment/refunds.ts';
import { DELIVER_AGAIN, type DueItem } from '../../shared/store/ports/due-work.ts';
import type { Parked } from '../../shared/store/ports/ledger.ts';
import { type Check, findings, grouped, type InvariantResult } from './invariant.ts';
import { checkPromisedWork } from './promised-work.ts';
import type { Basket, FulfillmentOrder, Order, Payment, Reservation, Return, ReturnBooking } from './stored-records.ts';
import { ID, type WorldRecords } from './world-records.ts';

/** An open order must have queued work, or wait for an actor outside the estate. */
export function moving(world: WorldRecords): InvariantResult {
  const { check, result } = findings('moving');
  const waiting: string[] = [];
  const byOrder = grouped(world.of<FulfillmentOrder>('fulfillment-order'), ({ orderId }) => orderId);
  const paymentsOf = grouped(world.of<Payment>('payment'), ({ orderId }) => orderId);
  const returnsOf = grouped(world.of<Return>('return'), ({ orderId }) => orderId);
  for (const order of world.of<Order>('order')) {
    const fulfillmentOrders = byOrder.get(order.id) ?? [];
    const isUndoing = order.compensation !== undefined;
    check(!isUndoing || world.queued('oms', order.id), `order/${order.id}: compensation is pending and nothing will do it`);
    checkAuthorized(world, order, { payments: paymentsOf.get(order.id) ?? [] }, check);
    const coming = (returnsOf.get(order.id) ?? []).filter((one) => !isEnded(one));
    const awaited = [...awaitedActors(world, order, fulfillmentOrders), ...awaitedActorsOfReturns(world, coming, check)];
    waiting.push(...awaited.map((whom) => `order/${order.id}: ${whom}`));
    const open = order.state !== 'completed' && order.state !== 'cancelled';
    const states = fulfillmentOrders.map(({ id, state }) => `fulfillment-order/${id} ${state}`).join(', ') || 'no fulfillment order';
    check(!open || awaited.length > 0, `order/${order.id}: ${order.state} with ${states}, and nothing will move it`);
    for (const one of fulfillmentOrders) checkMoves(world, { order, fulfillmentOrder: one }, check);
  }
  checkReservations(world, check);
  checkPromisedWork(world, check);
  return { ...result(), waiting: [...waiting, ...awaitedReturns(world)] };
}

/** A confirmed order holds stock, so without valid authorisations it must be authorised again or cancelled, unless it is paid at its collection. */
function checkAuthorized(
  { queued }: WorldRecords,
  { id, state, channel, payAt, totals: { total } }: Order,
  { payments }: { readonly payments: readonly Payment[] },
  check: Check,
): void {
  if (state !== 'confirmed' || channel === 'pos' || payAt === 'collection') return;
  const committed = payments
    .filter((payment) => payment.state !== 'voided' && payment.state !== 'failed')
    .reduce((sum, payment) => sum + (isUndecided(payment) ? payment.amount : payment.authorizedAmount).amount, 0);
  check(
    committed >= total.amount || queued('oms', id),
    `order/${id}: confirmed, payments bind ${committed} of ${total.amount}, and nothing will authorise it again or end it`,
  );
}

/** The actors that an open order waits for. */
function awaitedActors({ queued }: WorldRecords, order: Order, fulfillmentOrders: readonly FulfillmentOrder[]): string[] {
  if (order.state === 'completed' || order.state === 'cancelled') return [];
  const awaited = fulfillmentOrders.flatMap((one) => {
    const whom = nextActorOn(queued, one);
    return whom === undefined ? [] : [`${whom}, fulfillment-order/${one.id} is ${one.state}`];
  });
  if (queued('oms', order.id)) awaited.push('the OMS has work queued');
  if (order.routingStatus === 'manual') awaited.push('a caller of Route Order');
  // No timer ends a sale at the till, because the customer may have left with the goods.
  if (order.channel === 'pos' && order.state === 'confirmed') awaited.push('the till, which hands the goods over');
  return awaited;
}

/** The actors that open returns wait for. */
function awaitedActorsOfReturns(world: WorldRecords, returns: readonly Return[], check: Check): string[] {
  return returns.flatMap((one) => {
    const whom = nextActorOnReturn(world, one);
    check(whom !== undefined, `return/${one.id}: ${one.state}, and nothing will move it`);
    return whom === undefined ? [] : [`${whom}, return/${one.id} is ${one.state}`];
  });
}

/** The actor that moves a fulfillment order next; undefined when it has ended or is stuck. */
function nextActorOn(queued: WorldRecords['queued'], found: FulfillmentOrder): string | undefined {
  const { id, state, failureReason, shipments } = found;
  switch (state) {
    case 'created':
      return queued('fms', id) ? 'the FMS' : undefined;
    case 'allocated':
    case 'picking':
      return 'the warehouse';
    case 'packed':
      return 'the warehouse or a caller of Dispatch';
    case 'dispatched':
      if (isAtCounter(found)) return 'its customer, or the last day of its collection';
      if (shipments.length === 0 || shipments.every((parcel) => ENDED.has(parcel.state))) return undefined;
      if (shipments.some((parcel) => parcel.state === 'pending')) return 'the label of its parcel';
      return found.collection ? 'the carrier, which takes it to a store' : 'the carrier';
    case 'failed-delivery':
      if (failureReason === 'lost')
        return queued('oms', id, 'refund-lost-goods') ? 'customer service, which may replace its goods until they are refunded' : undefined;
      return queued('fms', id) ? 'the carrier, or a week without a scan' : undefined;
    case 'delivered':
    case 'returned-to-sender':
    case 'cancelled':
      return undefined;
  }
}

const ENDED: ReadonlySet<string> = new Set(['delivered', 'returned-to-sender', 'lost']);
const AT_REST: ReadonlySet<string> = new Set(['delivered', 'returned-to-sender', 'cancelled']);

function checkMoves(
  { queued }: WorldRecords,
  { order, fulfillmentOrder }: { readonly order: Order; readonly fulfillmentOrder: FulfillmentOrder },
  check: Check,
): void {
  const { id, state, failureReason, replacementId } = fulfillmentOrder;
  const atRest = AT_REST.has(state) || (state === 'failed-delivery' && failureReason === 'lost');
  check(atRest || nextActorOn(queued, fulfillmentOrder) !== undefined, `fulfillment-order/${id}: ${state}, and nothing will move it`);
  if (order.state === 'cancelled' || (order.state === 'completed' && replacementId === undefined)) {
    check(
      !BEFORE_DISPATCH.has(state) || queued('oms', order.id) || queued('fms', id),
      `fulfillment-order/${id}: ${state}, and order/${order.id} is ${order.state}`,
    );
  }
}

/** A requested reservation must have work that ends it, at the application that has it now. */
function checkReservations({ of, queued }: WorldRecords, check: Check): void {
  const confirmed = new Set(of<Order>('order').flatMap(({ id, state }) => (state === 'confirmed' ? [id] : [])));
  const baskets = new Map(of<Basket>('basket').map((basket) => [basket.id, basket]));
  for (const { id, state, basketId, expiresAt } of of<Reservation>('reservation')) {
    if (state !== 'requested') continue;
    // A reservation for the till does not expire; it ends with the transaction of its basket.
    const { transactionId, state: basketState } = (expiresAt === undefined && baskets.get(basketId ?? '')) || {};
    const isTillReservation =
      transactionId !== undefined &&
      (basketState === 'locked' || queued('pos', transactionId) || queued('oms', transactionId) || confirmed.has(transactionId));
    const isGoingBack = queued('ecommerce-platform', basketId ?? '');
    check(isTillReservation || isGoingBack || queued('sim', id), `reservation/${id}: requested, and nothing will ever end it`);
  }
}

export const bookingsIn = (world: WorldRecords): readonly ReturnBooking[] => world.records<ReturnBooking>('oms', 'return-bookings');

/** The actor that moves an open return next; undefined when no actor will. */
function nextActorOnReturn(world: WorldRecords, found: Return): string | undefined {
  const { id, state, dropOff, rejecting, shipments, refunds } = found;
  const isQueued = world.queued('fms', id);
  // A return that has a refund is not given up while its customer has the goods.
  const afterWeek = refunds.length > 0 ? 'its customer' : undefined;
  if (rejecting !== undefined) return isQueued ? 'the OMS' : undefined;
  switch (state) {
    case 'requested':
      return 'customer service';
    case 'approved':
      if (shipments.at(-1)?.state === 'lost') return world.queued('fms', id, 'give-up-return') ? 'its customer, or a week' : afterWeek;
      return dropOff === 'store' ? 'its customer' : 'its customer and the carrier';
    case 'in-transit': {
      if (found.writtenOffAt !== undefined) return refunderOf(world, id);
      const isStuck = shipments.some((parcel) => parcel.state === 'lost' || parcel.state === 'returned-to-sender');
      if (isStuck) return world.queued('fms', id, 'give-up-return') ? 'the carrier, or a week without its parcel' : afterWeek;
      return 'the carrier';
    }
    case 'received':
      return 'the warehouse';
    case 'inspected': {
      const exchange = world.of<Order>('order').some((one) => one.exchangeForReturnId === id && one.state !== 'cancelled');
      return exchange && !isQueued ? 'the order that it is exchanged for' : refunderOf(world, id);
    }
    case 'refunded':
    case 'exchanged':
    case 'rejected':
      return undefined;
  }
}

/** The FMS while it has work for the return, then the bank in a dispute, then the provider of a pending refund of the order; otherwise a caller. */
function refunderOf(world: WorldRecords, id: string): string | undefined {
  if (world.queued('fms', id)) return 'the FMS';
  const orderId = bookingsIn(world).find((booking) => booking.id === id)?.orderId;
  const payments = world.of<Payment>('payment').filter((payment) => payment.orderId === orderId);
  if (payments.some(({ disputes }) => hasOpenDispute(disputes))) return 'the bank of the cardholder';
  const refunds = payments.flatMap((payment) => payment.refunds);
  const pending = payments.filter((payment) => payment.refunds.some(({ state }) => state === 'pending'));
  const isByHand = ({ id: paymentId, tender }: Payment) =>
    tender.type === 'external' && !world.queued('payment-hub', paymentId, 'decide-refund');
  if (pending.length > 0) return pending.every(isByHand) ? 'a caller of Note Refund Result' : 'the payment provider';
  if (refunds.some((refund) => refund.returnId === id && hasFailed(refund))) return 'a caller of Refund Payment';
  return bookingsIn(world).some((booking) => booking.id === id && booking.status === 'open') ? 'a caller of Refund Payment' : undefined;
}

const isEnded = ({ state }: Return): boolean => state === 'refunded' || state === 'exchanged' || state === 'rejected';

/** Maximum number of characters that a violation quotes from an error. */
const MOST_OF_AN_ERROR = 300;

/** Parked work is not done. Each violation names the object that the work is about. */
export function parkedWork(world: WorldRecords): InvariantResult {
  const { check, result } = findings('parked');
  const namesOf = objectNames(world);
  for (const { application, kind, key } of world.due) check(true, `due ${application}|${kind}|${key}`);
  for (const one of world.parked) check(false, describeParked(world, one, namesOf));
  return result();
}

/** Work that waits for an unavailable application, and the object that it is about. */
function awaitedReturns(world: WorldRecords): string[] {
  const namesOf = objectNames(world);
  return world.awaiting.map(({ application, kind, key, payload, awaits }: DueItem) => {
    const whose = titleOf(application);
    if (kind === DELIVER_AGAIN) {
      const { subject, name } = eventNamed(world, key);
      return `${subject}: ${whose}, which has not consumed ${name}, waits for ${titleOf(awaits ?? '')}`;
    }
    const about = namesOf(`${key} ${JSON.stringify(payload)}`) ?? `due ${application}|${kind}|${key}`;
    return `${about}: ${whose}, whose work ${kind} waits for ${titleOf(awaits ?? '')}`;
  });
}

function describeParked(world: WorldRecords, { what, key, error }: Parked, namesOf: ReturnType<typeof objectNames>): string {
  const [application = '', second = '', ...rest] = key.split('|');
  const whose = titleOf(application);
  if (what === 'delivery') {
    const { subject, name } = eventNamed(world, second);
    return `${subject}: ${whose} has not consumed ${name}, which is parked: ${detailOf(error)}`;
  }
  const about = namesOf(rest.join('|')) ?? `due ${key}`;
  return `${about}: the work ${second} of ${whose} is parked: ${detailOf(error)}`;
}

/** An event that is still in the outbox is not listed. */
function eventNamed({ events }: WorldRecords, eventId: string): { readonly subject: string; readonly name: string } {
  const event = events.find(({ id }) => id === eventId);
  return { subject: event?.subject ?? 'event', name: event ? nameOf(event.type) : eventId };
}

const titleOf = (application: string): string => applications[application as Application]?.title ?? application;

/** A problem is parked as JSON. */
function detailOf(error: string): string {
  let text = error;
  try {
    const { detail } = JSON.parse(error) as { readonly detail?: unknown };
    if (typeof detail === 'string') text = detail;
  } catch {}
  return text.slice(0, MOST_OF_AN_ERROR);
}

/** Names the objects whose ids a text contains; undefined when it names none. */
function objectNames({ of, records, objects }: WorldRecords): (text: string) => string | undefined {
  let known: ReadonlyMap<string, string> | undefined;
  const read = (): ReadonlyMap<string, string> => {
    const found = new Map<string, string>();
    for (const type of Object.keys(objects)) for (const { id } of of<{ readonly id: string }>(type)) found.set(id, `${type}/${id}`);
    // The till stores transactions that are not open yet.
    for (const { id } of records<{ readonly id: string }>('pos', 'transactions')) if (!found.has(id)) found.set(id, `transaction/${id}`);
    return found;
  };
  return (text) => {
    known ??= read();
    const named = [...new Set([...text.matchAll(ID)].flatMap(([id]) => known?.get(id) ?? []))];
    return named.length > 0 ? named.join(', ') : undefined;
  };
}
