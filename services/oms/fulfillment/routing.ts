import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import { createFulfillmentOrders } from '../../../shared/catalog/fulfillment/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { Context } from '../../../shared/control/context.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type StoredOrder } from '../collections.ts';
import { routeOrderDue } from '../due-work.ts';
import type { OrderLine } from '../order/lines.ts';
import { isSale } from '../order/sale.ts';
import { DECIDE_TIMEOUT_MS, ROUTING_RETRY_MS, TAKE_OVER_MS } from '../timing.ts';
import { freshRecord } from './progress.ts';

/** Orders without an address are not routed. Sales are not routed either: the customer takes the goods. */
export const isRoutable = (order: StoredOrder): boolean => !isSale(order) && order.shippingAddress !== undefined;

/** Whether this rehearsal routes orders automatically. */
export const routesByItself = (context: Context): boolean => progressionOf(context).route === 'auto';

/**
 * Stores that routing has begun, with the due work that finishes it; the caller commits both before it calls the FMS.
 * `asked`: by Route Order, so due work finishes it even if routing is manual.
 */
export function beginRouting(
  work: UnitOfWork,
  orderId: string,
  { asked, strategy }: { readonly asked: boolean; readonly strategy?: FulfillmentRecord['strategy'] } = { asked: false },
): void {
  work.put(fulfillmentRecords, { ...freshRecord(orderId), ...(strategy !== undefined && { strategy }) });
  work.schedule(routeOrderDue, orderId, work.now + TAKE_OVER_MS, { asked });
}

interface Group {
  readonly locationId: string;
  readonly reservationId: string;
  readonly lines: { readonly orderLineId: string; readonly sku: string; readonly qty: number }[];
}

/** One group per node and reservation. A line is served by one node. */
export function groupsOf(lines: readonly OrderLine[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { lineId, sku, qty, nodeId, reservationId } of lines) {
    if (nodeId === undefined || reservationId === undefined) throw new Error(`The line ${lineId} has no reservation and cannot be routed.`);
    const key = `${nodeId} ${reservationId}`;
    const group = groups.get(key) ?? { locationId: nodeId, reservationId, lines: [] };
    group.lines.push({ orderLineId: lineId, sku, qty });
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Calls the FMS to create the fulfillment orders of an attempt. A repeat creates no others. @throws Problem */
export async function createFulfillmentOrdersFor(
  order: StoredOrder,
  { attempt, groups }: { attempt: number; groups: Group[] },
  { call }: Scope,
): Promise<void> {
  const { id: orderId, shippingAddress, shippingMethod = 'STANDARD' } = order;
  if (!shippingAddress) throw new Error(`The order ${orderId} has no address and cannot be routed.`);
  const body = { orderId, attempt, shippingAddress, shippingMethod, groups };
  await call(createFulfillmentOrders, { body }, { timeoutMs: DECIDE_TIMEOUT_MS });
}

/** Routes a confirmed order whose routing has begun. The changes are part of the last commit. @throws Problem of the FMS */
export async function requestFulfillment(order: StoredOrder, record: FulfillmentRecord, scope: Scope): Promise<StoredOrder> {
  const { work } = scope;
  await createFulfillmentOrdersFor(order, { attempt: 1, groups: groupsOf(order.lines) }, scope);
  work.put(fulfillmentRecords, { ...record, routed: true });
  work.cancel(routeOrderDue, order.id);
  if (order.routingStatus === undefined) return order;
  return work.transition(orders, order, order.state === 'confirmed' ? 'route' : 'note', { routingStatus: undefined });
}

/** Does the same as `requestFulfillment`. After a failure the order shows `routingStatus: 'retrying'`, and due work tries again. */
export async function requestFulfillmentOrRetry(order: StoredOrder, scope: Scope): Promise<StoredOrder> {
  const { work, log } = scope;
  const record = await work.get(fulfillmentRecords, order.id);
  if (!record || record.routed) return order;
  try {
    return await requestFulfillment(order, record, scope);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ orderId: order.id, code: error.code }, 'routing an order failed');
    work.schedule(routeOrderDue, order.id, work.now + ROUTING_RETRY_MS, { asked: false });
    return order.routingStatus === 'retrying' ? order : work.transition(orders, order, 'note', { routingStatus: 'retrying' });
  }
}
