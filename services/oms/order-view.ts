import type { z } from 'zod';
import { listReturns } from '../../shared/catalog/fulfillment/internal.ts';
import type { Return } from '../../shared/catalog/fulfillment/returns.ts';
import type { Order, OrderFulfillment, OrderReturn, OrderView as OrderViewSchema } from '../../shared/catalog/order/objects.ts';
import type { Payment as PaymentSchema } from '../../shared/catalog/payment/objects.ts';
import { isDependencyProblem, type Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import { fulfillmentRecords, type StoredOrder } from './collections.ts';
import { fulfillmentOrdersOf } from './fulfillment/fulfillment-orders.ts';
import type { FulfillmentOrder } from './fulfillment/progress.ts';
import { requiredFor } from './order/line-value.ts';
import { type Payment, paymentsOf } from './payment/payments.ts';
import { paymentStatusOf } from './payment/status.ts';
import { returnBookings } from './returns/bookings.ts';
import { VIEW_TIMEOUT_MS } from './timing.ts';

export type OrderView = z.output<typeof OrderViewSchema>;

/** What other applications say of an order; what is undefined is not known. */
export interface OrderParts {
  readonly payments?: readonly Payment[] | undefined;
  readonly fulfillmentOrders?: readonly FulfillmentOrder[] | undefined;
  readonly returns?: readonly z.output<typeof Return>[] | undefined;
}

/** The order without what only the OMS knows. */
export function published({
  voucherCodes: _vouchers,
  holdAttempts: _attempts,
  undo: _undo,
  ...order
}: StoredOrder): z.output<typeof Order> {
  return order;
}

const paymentPart = ({ id, state, tender, amount, capturedAmount, refundedAmount }: z.output<typeof PaymentSchema>) => ({
  id,
  state,
  tender,
  amount,
  capturedAmount,
  refundedAmount,
});

const fulfillmentPart = ({ id, state, locationId, shipments }: FulfillmentOrder): z.output<typeof OrderFulfillment> => ({
  id,
  state,
  locationId,
  shipments,
});

const returnPart = ({ id, state, refundAmount, lines }: z.output<typeof Return>): z.output<typeof OrderReturn> => ({
  id,
  state,
  refundAmount,
  lines,
});

/** The order as it is answered. What is not known of its payments shows as `unknown`, of its fulfilment by its absence. */
export function viewOf(order: StoredOrder, { payments, fulfillmentOrders, returns }: OrderParts): OrderView {
  const total = order.totals.total.amount;
  return {
    ...published(order),
    payments: payments?.map(paymentPart) ?? [],
    paymentStatus: payments ? paymentStatusOf(total, payments, order.state === 'cancelled' ? total : requiredFor(order)) : 'unknown',
    ...(fulfillmentOrders && { fulfillmentOrders: fulfillmentOrders.map(fulfillmentPart) }),
    ...(returns && { returns: returns.map(returnPart) }),
  };
}

/**
 * The order with its payments and fulfillment orders as their owners have them now, but for what is known already. A Payment Hub or
 * FMS that is down or slow does not keep anybody from reading an order.
 */
export async function fetchView(order: StoredOrder, scope: Scope, known: OrderParts = {}): Promise<OrderView> {
  const unless = (error: unknown): undefined => logAndOmit(error, order, scope);
  const [payments, fulfillmentOrders, returns] = await Promise.all([
    known.payments ?? paymentsOf(order.id, scope, VIEW_TIMEOUT_MS).catch(unless),
    known.fulfillmentOrders ?? fetchFulfillmentOrders(order, scope).catch(unless),
    known.returns ?? fetchReturns(order, scope).catch(unless),
  ]);
  return viewOf(order, { payments, fulfillmentOrders, returns });
}

/** Without a record the FMS was never asked for anything. */
async function fetchFulfillmentOrders(order: StoredOrder, scope: Scope): Promise<readonly FulfillmentOrder[]> {
  if (order.state === 'draft' || !(await scope.work.get(fulfillmentRecords, order.id))) return [];
  return fulfillmentOrdersOf(order.id, scope, VIEW_TIMEOUT_MS);
}

/** Without a booking the FMS has no return of it. */
async function fetchReturns(order: StoredOrder, { work, call }: Scope): Promise<readonly z.output<typeof Return>[]> {
  if (order.completedAt === undefined || (await work.find(returnBookings, 'order', order.id, { limit: 1 })).items.length === 0) return [];
  return (await call(listReturns, { query: { orderId: order.id } }, { timeoutMs: VIEW_TIMEOUT_MS })).items;
}

function logAndOmit(error: unknown, { id }: StoredOrder, { log }: Scope): undefined {
  if (!isDependencyProblem(error)) throw error;
  const { code, context }: Problem = error;
  log.warn({ orderId: id, code, dependency: context['dependency'] }, 'the order is shown without what another application knows of it');
  return undefined;
}
