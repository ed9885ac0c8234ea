import type { z } from 'zod';
import type { Basket } from '../../../shared/catalog/commerce/objects.ts';
import type { FulfillmentOrder as FulfillmentOrderSchema } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { Reservation } from '../../../shared/catalog/inventory/objects.ts';
import type { Order as OrderSchema } from '../../../shared/catalog/order/objects.ts';
import type { Payment } from '../../../shared/catalog/payment/objects.ts';
import type { HeldWorld } from './held-world.ts';
import { findings, grouped, type InvariantResult } from './invariant.ts';
import { isEnded, moverOfReturn } from './returns.ts';
import type { Return } from './stored-records.ts';

type Order = z.output<typeof OrderSchema>;
type FulfillmentOrder = z.output<typeof FulfillmentOrderSchema>;
type Check = ReturnType<typeof findings>['check'];

/** Orders rest only where somebody outside has the next move; everything else must have work that will move it. */
export function moving(held: HeldWorld): InvariantResult {
  const { check, result } = findings(
    'moving',
    'Every accepted order is at rest, moving, in a named queue, or waits for the warehouse, the carrier or a caller',
  );
  const waiting: string[] = [];
  const byOrder = grouped(held.of<FulfillmentOrder>('fulfillment-order'), ({ orderId }) => orderId);
  const paymentsOf = grouped(held.of<z.output<typeof Payment>>('payment'), ({ orderId }) => orderId);
  const returnsOf = grouped(held.of<Return>('return'), ({ orderId }) => orderId);
  for (const order of held.of<Order>('order')) {
    const fulfillmentOrders = byOrder.get(order.id) ?? [];
    checkPromises(held, order, check);
    checkCovered(held, order, { payments: paymentsOf.get(order.id) ?? [] }, check);
    const coming = (returnsOf.get(order.id) ?? []).filter((one) => !isEnded(one));
    const awaited = [...awaitedBy(held, order, fulfillmentOrders), ...comingFrom(held, coming, check)];
    waiting.push(...awaited.map((whom) => `order/${order.id}: ${whom}`));
    const open = order.state !== 'completed' && order.state !== 'cancelled';
    const states = fulfillmentOrders.map(({ id, state }) => `fulfillment-order/${id} ${state}`).join(', ') || 'no fulfillment order';
    check(!open || awaited.length > 0, `order/${order.id}: ${order.state} with ${states}, and nothing will move it`);
    for (const one of fulfillmentOrders) checkMoves(held, { order, fulfillmentOrder: one }, check);
  }
  checkTimers(held, check);
  return { ...result(), waiting };
}

/** What an order says that is still to be done must be in a queue of the OMS. */
function checkPromises({ queued }: HeldWorld, order: Order, check: Check): void {
  const inQueue = queued('oms', order.id);
  const promise = (promised: boolean, what: string): void => {
    if (promised) check(inQueue, `order/${order.id}: ${what}`);
  };
  promise(order.pendingAction !== undefined, `${order.pendingAction?.action} is pending and nothing will finish or undo it`);
  promise(order.compensation !== undefined, 'compensation is pending and nothing will do it');
  promise(order.state === 'draft', 'draft, and nothing will ever expire it');
  promise(order.routingStatus === 'retrying', 'its routing is tried again, and nothing will do it');
  promise(order.captureStatus === 'retrying', 'its capture is tried again, and nothing will do it');
}

/** A confirmed order holds stock: one whose authorisations are gone is authorised again, or ends. */
function checkCovered(
  { queued }: HeldWorld,
  { id, state, channel, totals: { total } }: Order,
  { payments }: { readonly payments: readonly z.output<typeof Payment>[] },
  check: Check,
): void {
  if (state !== 'confirmed' || channel === 'pos') return;
  const binding = payments
    .filter((payment) => payment.state !== 'voided' && payment.state !== 'failed')
    .reduce((sum, payment) => sum + (payment.state === 'pending' ? payment.amount : payment.authorizedAmount).amount, 0);
  check(
    binding >= total.amount || queued('oms', id),
    `order/${id}: confirmed, payments bind ${binding} of ${total.amount}, and nothing will authorise it again or end it`,
  );
}

/** For whom an open order waits. */
function awaitedBy({ queued }: HeldWorld, order: Order, fulfillmentOrders: readonly FulfillmentOrder[]): string[] {
  if (order.state === 'completed' || order.state === 'cancelled') return [];
  const awaited = fulfillmentOrders.flatMap((one) => {
    const whom = moverOf(queued, one);
    return whom === undefined ? [] : [`${whom}, fulfillment-order/${one.id} is ${one.state}`];
  });
  if (queued('oms', order.id)) awaited.push('the OMS has work queued');
  if (order.routingStatus === 'manual') awaited.push('a caller of Route Order');
  // Time moves nothing here: the goods are on the counter, or gone.
  if (order.channel === 'pos' && order.state === 'confirmed') awaited.push('the till, which hands the goods over');
  return awaited;
}

/** For whom returns wait. */
function comingFrom(held: HeldWorld, returns: readonly Return[], check: Check): string[] {
  return returns.flatMap((one) => {
    const whom = moverOfReturn(held, one);
    check(whom !== undefined, `return/${one.id}: ${one.state}, and nothing will move it`);
    return whom === undefined ? [] : [`${whom}, return/${one.id} is ${one.state}`];
  });
}

/** Who moves a fulfillment order next; undefined when nobody does any more, or nobody would. */
function moverOf(queued: HeldWorld['queued'], { id, state, failureReason, shipments }: FulfillmentOrder): string | undefined {
  switch (state) {
    case 'created':
      return queued('fms', id) ? 'the FMS' : undefined;
    case 'allocated':
    case 'picking':
      return 'the warehouse';
    case 'packed':
      return 'the warehouse or a caller of Dispatch';
    case 'dispatched':
      if (shipments.length === 0 || shipments.every((parcel) => ENDED.has(parcel.state))) return undefined;
      return shipments.some((parcel) => parcel.state === 'pending') ? 'the label of its parcel' : 'the carrier';
    case 'failed-delivery':
      return failureReason !== 'lost' && queued('fms', id) ? 'the carrier, or a week without a scan' : undefined;
    case 'delivered':
    case 'returned-to-sender':
    case 'cancelled':
      return undefined;
  }
}

const ENDED: ReadonlySet<string> = new Set(['delivered', 'returned-to-sender', 'lost']);
const AT_REST: ReadonlySet<string> = new Set(['delivered', 'returned-to-sender', 'cancelled']);
const BEFORE_DISPATCH: ReadonlySet<string> = new Set(['created', 'allocated', 'picking', 'packed']);

function checkMoves(
  { queued }: HeldWorld,
  { order, fulfillmentOrder }: { readonly order: Order; readonly fulfillmentOrder: FulfillmentOrder },
  check: Check,
): void {
  const { id, state, failureReason } = fulfillmentOrder;
  const atRest = AT_REST.has(state) || (state === 'failed-delivery' && failureReason === 'lost');
  check(atRest || moverOf(queued, fulfillmentOrder) !== undefined, `fulfillment-order/${id}: ${state}, and nothing will move it`);
  if (order.state === 'cancelled' || order.state === 'completed') {
    check(
      !BEFORE_DISPATCH.has(state) || queued('oms', order.id) || queued('fms', id),
      `fulfillment-order/${id}: ${state}, and order/${order.id} is ${order.state}`,
    );
  }
}

/** What ends by time must have the work that ends it. */
function checkTimers({ of, queued }: HeldWorld, check: Check): void {
  for (const { id, state } of of<z.output<typeof Payment>>('payment')) {
    if (state === 'pending') check(queued('payment-hub', id), `payment/${id}: pending, and nothing will decide it`);
  }
  const confirmed = new Set(of<Order>('order').flatMap(({ id, state }) => (state === 'confirmed' ? [id] : [])));
  const baskets = new Map(of<z.output<typeof Basket>>('basket').map((basket) => [basket.id, basket]));
  for (const { id, state, basketId, expiresAt } of of<z.output<typeof Reservation>>('reservation')) {
    if (state !== 'requested') continue;
    // A hold for the till has no end of its own: whoever ends the transaction of its basket ends it.
    const { transactionId, state: basketState } = (expiresAt === undefined && baskets.get(basketId ?? '')) || {};
    const isTillHold =
      transactionId !== undefined &&
      (basketState === 'locked' || queued('pos', transactionId) || queued('oms', transactionId) || confirmed.has(transactionId));
    const isGoingBack = queued('ecommerce-platform', basketId ?? '');
    check(isTillHold || isGoingBack || queued('sim', id), `reservation/${id}: requested, and nothing will ever end it`);
  }
}
