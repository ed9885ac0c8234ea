import type { z } from 'zod';
import { listFulfillmentOrders, listReturns } from '../../shared/catalog/fulfillment/internal.ts';
import type { Return } from '../../shared/catalog/fulfillment/returns.ts';
import type { Order, OrderFulfillment, OrderReturn, OrderView as OrderViewSchema } from '../../shared/catalog/order/objects.ts';
import type { Payment as PaymentSchema } from '../../shared/catalog/payment/objects.ts';
import { isDependencyProblem, type Problem } from '../../shared/catalog/problems.ts';
import type { Scope } from '../../shared/work/handler.ts';
import { fulfillmentRecords, type StoredOrder } from './collections.ts';
import type { FulfillmentOrder } from './fulfillment/progress.ts';
import { requiredFor } from './order/lines.ts';
import { type Payment, paymentsOf } from './payment/payments.ts';
import { paymentStatusOf } from './payment/status.ts';
import { returnBookings } from './returns/bookings.ts';
import { VIEW_TIMEOUT_MS } from './timing.ts';

export type OrderView = z.output<typeof OrderViewSchema>;

/** Parts of an order that other applications own. A part is undefined while it is unknown. */
export interface OrderParts {
  readonly payments?: readonly Payment[];
  readonly fulfillmentOrders?: readonly FulfillmentOrder[];
  readonly returns?: readonly z.output<typeof Return>[];
}

/** The order without the members that only the OMS uses. */
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

/** The order as answers show it. Unknown payments give the status `unknown`; unknown fulfillment orders and returns are omitted. */
export function viewOf(order: StoredOrder, { payments, fulfillmentOrders, returns }: OrderParts): OrderView {
  const total = order.totals.total.amount;
  return {
    ...published(order),
    payments: payments?.map(paymentPart) ?? [],
    paymentStatus: payments ? paymentStatusOf(total, payments, order.state === 'cancelled' ? total : requiredFor(order)) : 'unknown',
    fulfillmentOrders: fulfillmentOrders?.map(fulfillmentPart),
    returns: returns?.map(returnPart),
  };
}

/** Reads the parts that `known` lacks from their owners. A part without an answer is left out. */
export async function fetchView(order: StoredOrder, scope: Scope, known: OrderParts = {}): Promise<OrderView> {
  const unless = (error: unknown): undefined => logAndOmit(error, order, scope);
  const [payments, fulfillmentOrders, returns] = await Promise.all([
    known.payments ?? paymentsOf(order.id, scope, VIEW_TIMEOUT_MS).catch(unless),
    known.fulfillmentOrders ?? fetchFulfillmentOrders(order, scope).catch(unless),
    known.returns ?? fetchReturns(order, scope).catch(unless),
  ]);
  return viewOf(order, { payments, fulfillmentOrders, returns });
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
