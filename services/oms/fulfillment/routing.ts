import { createFulfillmentOrders } from '../../../shared/catalog/fulfillment/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { progressionOf } from '../../../shared/catalog/simulation/progression.ts';
import type { Context } from '../../../shared/simulation/context.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type StoredOrder } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import type { OrderLine } from '../order/lines.ts';
import { isSale } from '../order/sale.ts';
import { DECIDE_TIMEOUT_MS, ROUTE_AGAIN_MS, TAKE_OVER_MS } from '../timing.ts';
import { freshRecord } from './progress.ts';

/** What has no address goes nowhere, nor does what is taken along. */
export const isRoutable = (order: StoredOrder): boolean => !isSale(order) && order.shippingAddress !== undefined;

/** Whether the OMS routes by itself in this rehearsal. */
export const routesByItself = (context: Context): boolean => progressionOf(context).route === 'auto';

/**
 * Notes that the FMS will be asked for fulfillment orders, with the due work that does so when nobody else does: for a checkpoint.
 * `asked`: by Route Order, so that it is finished also where orders are not routed by themselves.
 */
export function beginRouting(
  work: UnitOfWork,
  orderId: string,
  { asked, strategy }: { readonly asked: boolean; readonly strategy?: FulfillmentRecord['strategy'] } = { asked: false },
): void {
  work.put(fulfillmentRecords, { ...freshRecord(orderId), ...(strategy !== undefined && { strategy }) });
  work.schedule(dueWork.routeOrder, orderId, work.now + TAKE_OVER_MS, { asked });
}

interface Group {
  readonly locationId: string;
  readonly reservationId: string;
  readonly lines: { readonly orderLineId: string; readonly sku: string; readonly qty: number }[];
}

/** One group per node: a line is served by one node, and lines of one node travel together. */
export function groupsOf(lines: readonly OrderLine[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { lineId, sku, qty, nodeId, reservationId } of lines) {
    if (nodeId === undefined || reservationId === undefined) throw new Error(`The line ${lineId} is held nowhere; it cannot be routed.`);
    const key = `${nodeId} ${reservationId}`;
    const group = groups.get(key) ?? { locationId: nodeId, reservationId, lines: [] };
    group.lines.push({ orderLineId: lineId, sku, qty });
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Asks the FMS for fulfillment orders; repeated with the same attempt it makes no others. @throws Problem */
export async function createFulfillmentOrdersFor(
  order: StoredOrder,
  { attempt, groups }: { attempt: number; groups: Group[] },
  { call }: Scope,
): Promise<void> {
  const { id: orderId, shippingAddress, shippingMethod = 'STANDARD' } = order;
  if (!shippingAddress) throw new Error(`The order ${orderId} has no address; it cannot be routed.`);
  const body = { orderId, attempt, shippingAddress, shippingMethod, groups };
  await call(createFulfillmentOrders, { body }, { timeoutMs: DECIDE_TIMEOUT_MS });
}

/** Routes a confirmed order whose record says that this has begun. The changes are for the last commit. @throws Problem of the FMS */
export async function requestFulfillment(order: StoredOrder, record: FulfillmentRecord, scope: Scope): Promise<StoredOrder> {
  const { work } = scope;
  await createFulfillmentOrdersFor(order, { attempt: 1, groups: groupsOf(order.lines) }, scope);
  work.put(fulfillmentRecords, { ...record, routed: true });
  work.cancel(dueWork.routeOrder, order.id);
  if (order.routingStatus === undefined) return order;
  return work.transition(orders, order, order.state === 'confirmed' ? 'route' : 'note', { routingStatus: undefined });
}

/** As `routed`; when the FMS does not take the order now, that is visible on it, and due work tries again. */
export async function requestFulfillmentOrRetry(order: StoredOrder, scope: Scope): Promise<StoredOrder> {
  const { work, log } = scope;
  const record = await work.get(fulfillmentRecords, order.id);
  if (!record || record.routed) return order;
  try {
    return await requestFulfillment(order, record, scope);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ orderId: order.id, code: error.code }, 'the order is not routed yet');
    work.schedule(dueWork.routeOrder, order.id, work.now + ROUTE_AGAIN_MS, { asked: false });
    return order.routingStatus === 'retrying' ? order : work.transition(orders, order, 'note', { routingStatus: 'retrying' });
  }
}
