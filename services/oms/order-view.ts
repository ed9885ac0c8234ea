import type { z } from 'zod';
import { listFulfillmentOrders, listReturns } from '../../shared/catalog/fulfillment/internal.ts';
import type { Return } from '../../shared/catalog/fulfillment/returns.ts';
import { SHOWN_REFUNDS } from '../../shared/catalog/limits.ts';
import { getOrder as getOrderApi } from '../../shared/catalog/order/apis.ts';
import {
  getOrderEarning as getOrderEarningCall,
  getOrderStock as getOrderStockCall,
  getPayable as getPayableCall,
  listCustomerOrders as listCustomerOrdersCall,
  listOutstanding as listOutstandingCall,
} from '../../shared/catalog/order/internal.ts';
import {
  type Order,
  OrderFulfillment,
  OrderPayment,
  OrderReturn,
  type OrderView as OrderViewSchema,
} from '../../shared/catalog/order/objects.ts';
import { leftToPay, paymentStatusOf, requiredFor } from '../../shared/catalog/payment/cover.ts';
import { byTime, refundId } from '../../shared/catalog/payment/refunds.ts';
import { isDependencyProblem, type Problem } from '../../shared/catalog/problems.ts';
import { type Money, money } from '../../shared/domain/money.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { handle, type Scope } from '../../shared/work/handler.ts';
import { fulfillmentRecords, orders, type StoredOrder } from './collections.ts';
import { VIEW_TIMEOUT_MS } from './due-work.ts';
import { creditHeldFor } from './exchange.ts';
import type { FulfillmentOrder } from './lines.ts';
import { owedRefundOf, type Payment, paymentsOf } from './payments.ts';
import { bookingsOf, payableOf, returnBookings } from './return-bookings.ts';

export const getOrder = handle(getOrderApi)(async ({ params }, scope) =>
  fetchView(await requireObject(scope.work, orders, params.id), scope),
);

const MAX_ORDERS = 20;

export const listCustomerOrders = handle(listCustomerOrdersCall)(async ({ query }, { work, breathe }) => ({
  items: (await work.find(orders, 'customer', query.customerId, { limit: MAX_ORDERS, newestFirst: true, breathe })).items.map(published),
}));

export const listOutstanding = handle(listOutstandingCall)(async ({ body }, scope) => ({
  items: (await Promise.all(body.orderIds.map((id) => outstandingOf(id, scope)))).filter((one) => one !== undefined),
}));

/** Undefined if it is unknown. */
async function outstandingOf(orderId: string, scope: Scope): Promise<{ orderId: string; outstanding: Money } | undefined> {
  const order = await scope.work.get(orders, orderId);
  if (!order) return undefined;
  const payments = await paymentsOf(orderId, scope, VIEW_TIMEOUT_MS).catch((error: unknown) => logAndOmit(error, order, scope));
  if (!payments) return undefined;
  return { orderId, outstanding: leftToPay(order, payments) };
}

export const getOrderStock = handle(getOrderStockCall)(async ({ params }, { work }) => {
  const { id, state, channel, basketId, lines } = await requireObject(work, orders, params.id);
  return { id, state, channel, basketId, lines: lines.map(({ lineId, sku, qty, reservationId }) => ({ lineId, sku, qty, reservationId })) };
});

/** The Loyalty Platform decides from these members who earns points. */
export const getOrderEarning = handle(getOrderEarningCall)(async ({ params }, { work }) => {
  const order = await requireObject(work, orders, params.id);
  const { id, state, customerId, loyaltyAccountId, earningAmount, overpaidAmount, earningRefunds } = order;
  return { id, state, customerId, loyaltyAccountId, earningAmount, overpaidAmount, earningRefunds };
});

/** The Payment Hub decides from state, total and returns which payments and refunds it accepts. */
export const getPayable = handle(getPayableCall)(async ({ params: { id } }, { work }) =>
  payableOf(...(await Promise.all([requireObject(work, orders, id), bookingsOf(work, id)]))),
);

export type OrderView = z.output<typeof OrderViewSchema>;

/** Parts of an order that other applications own. A part is undefined while it is unknown. */
interface OrderParts {
  readonly payments?: readonly Payment[];
  /** Minor units of the payments that pay for exchange orders. */
  readonly exchanged?: number;
  readonly fulfillmentOrders?: readonly FulfillmentOrder[];
  readonly returns?: readonly z.output<typeof Return>[];
}

/** The order without the members that only the OMS uses. */
export function published({
  voucherCodes: _vouchers,
  holdAttempts: _attempts,
  routeStrategy: _strategy,
  undo: _undo,
  pendingChange: _change,
  ...order
}: StoredOrder): z.output<typeof Order> {
  return order;
}

/** The newest refunds of all payments, sorted by request. */
function refundsOf(payments: readonly Payment[]): NonNullable<OrderView['refunds']> {
  const requested = payments.flatMap(({ id, refunds }) => refunds.map((refund, index) => ({ paymentId: id, index, refund })));
  return requested
    .toSorted((one, other) => byTime(one.refund, other.refund))
    .slice(-SHOWN_REFUNDS)
    .map(({ paymentId, index, refund: { amount, state, rounding, failureReason } }) => ({
      id: refundId(paymentId, index),
      paymentId,
      amount,
      state,
      rounding,
      failureReason,
    }));
}

/** The order as answers show it. Unknown payments give the status `unknown`; unknown fulfillment orders and returns are omitted. */
export function viewOf(order: StoredOrder, { payments, exchanged, fulfillmentOrders, returns }: OrderParts): OrderView {
  const { amount: total, currency } = order.totals.total;
  const owed = payments ? owedRefundOf(order, payments, exchanged) : 0;
  return {
    ...published(order),
    payments: payments?.map((payment) => OrderPayment.parse(payment)) ?? [],
    refunds: payments && refundsOf(payments),
    paymentStatus: payments ? paymentStatusOf(total, payments, order.state === 'cancelled' ? total : requiredFor(order)) : 'unknown',
    owedRefund: owed > 0 ? money(owed, currency) : undefined,
    fulfillmentOrders: fulfillmentOrders?.map((found) => OrderFulfillment.parse(found)),
    returns: returns?.map((found) => OrderReturn.parse(found)),
  };
}

/** Completes `known`: its missing parts are read from their owners. A part whose owner does not answer is left out. */
export async function fetchView(order: StoredOrder, scope: Scope, known: OrderParts = {}): Promise<OrderView> {
  const unless = (error: unknown): undefined => logAndOmit(error, order, scope);
  const [payments, fulfillmentOrders, returns] = await Promise.all([
    known.payments ?? paymentsOf(order.id, scope, VIEW_TIMEOUT_MS).catch(unless),
    known.fulfillmentOrders ?? fetchFulfillmentOrders(order, scope).catch(unless),
    known.returns ?? fetchReturns(order, scope).catch(unless),
  ]);
  const mayOwe = payments !== undefined && owedRefundOf(order, payments) > 0;
  const exchanged = mayOwe ? await creditHeldFor(order.id, scope, { timeoutMs: VIEW_TIMEOUT_MS }).catch(unless) : undefined;
  return viewOf(order, { payments, exchanged, fulfillmentOrders, returns });
}

/** Skips the call if the order has no fulfilment record, because the FMS then has no fulfillment orders of it. */
async function fetchFulfillmentOrders(order: StoredOrder, scope: Scope): Promise<readonly FulfillmentOrder[]> {
  if (order.state === 'draft' || !(await scope.work.get(fulfillmentRecords, order.id))) return [];
  return fulfillmentOrdersOf(order.id, scope, VIEW_TIMEOUT_MS);
}

/** Skips the call if the order has no return booking, because the FMS then has no returns of it. */
async function fetchReturns(order: StoredOrder, { work, call }: Scope): Promise<readonly z.output<typeof Return>[]> {
  if (order.completedAt === undefined || (await work.find(returnBookings, 'order', order.id, { limit: 1 })).items.length === 0) return [];
  return (await call(listReturns, { query: { orderId: order.id } }, { timeoutMs: VIEW_TIMEOUT_MS })).items;
}

function logAndOmit(error: unknown, { id }: StoredOrder, { log }: Scope): undefined {
  if (!isDependencyProblem(error)) throw error;
  const { code, context }: Problem = error;
  log.warn({ orderId: id, code, dependency: context['dependency'] }, 'order shown incomplete: another application did not answer');
  return undefined;
}

/** All fulfillment orders of an order, from the FMS. @throws Problem `dependency_*` */
export async function fulfillmentOrdersOf(
  orderId: string,
  { call }: Pick<Scope, 'call'>,
  timeoutMs: number,
): Promise<readonly FulfillmentOrder[]> {
  const { items } = await call(listFulfillmentOrders, { query: { orderId } }, { timeoutMs });
  return items;
}
