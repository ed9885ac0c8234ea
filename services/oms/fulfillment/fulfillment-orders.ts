import { listFulfillmentOrders } from '../../../shared/catalog/fulfillment/internal.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { FulfillmentOrder } from './progress.ts';

/** All fulfillment orders of an order, from the FMS. @throws Problem `dependency_*` */
export async function fulfillmentOrdersOf(
  orderId: string,
  { call }: Pick<Scope, 'call'>,
  timeoutMs: number,
): Promise<readonly FulfillmentOrder[]> {
  const { items } = await call(listFulfillmentOrders, { query: { orderId } }, { timeoutMs });
  return items;
}
