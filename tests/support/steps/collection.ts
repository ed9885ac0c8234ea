import type { ProgressionInput } from '../../../shared/catalog/control/progression.ts';
import { estate } from '../estate.ts';
import { openRehearsal } from '../open-rehearsal.ts';
import { withSteps } from './rehearsal-at.ts';

/** A Monday morning: the stores of the fixtures are open. */
export const MONDAY = '2026-03-02T10:00:00.000Z';

/** Steps of an order that its customer collects in a store. */
export function collectionSteps({ api, call, settle, basket, authorisation, packed, order }: ReturnType<typeof withSteps>) {
  const collected = async (collection: object = { locationId: 'store-01' }, lines = [{ sku: 'mug-blue', qty: 2 }], more: object = {}) => {
    const { id } = await basket({ lines });
    return api('checkout-basket-api', { params: { id }, body: { collection, placeOrder: true, ...more } as never });
  };
  /** A confirmed order and its fulfillment order at the store. */
  const toCollect = async (collection?: object, lines?: { sku: string; qty: number }[], more?: object) => {
    const { orderId = '', ...checkedOut } = await collected(collection, lines, more);
    await authorisation(orderId);
    await api('confirm-order-api', { params: { id: orderId } });
    await settle();
    const [routed] = (await order(orderId)).fulfillmentOrders ?? [];
    return { orderId, fulfillmentOrderId: routed?.id ?? '', basket: checkedOut };
  };
  const ready = async (fulfillmentOrderId: string) => {
    await packed(fulfillmentOrderId);
    return api('dispatch-fulfillment-order-api', { params: { id: fulfillmentOrderId } });
  };
  return {
    collected,
    toCollect,
    ready,
    /** An order whose goods wait at the counter, with the code for its customer. */
    atCounter: async (collection?: object, lines?: { sku: string; qty: number }[]) => {
      const found = await toCollect(collection, lines);
      const { collection: at, shipments } = await ready(found.fulfillmentOrderId);
      await settle();
      return { ...found, shipmentId: shipments[0]?.id ?? '', code: at?.code ?? '', until: at?.until ?? '' };
    },
    handOver: (id: string, body: object, headers: Record<string, string> = {}) =>
      call('hand-over-collection-api', { params: { id }, body, headers }),
    extend: (id: string) => call('extend-collection-api', { params: { id } }),
    fulfilment: (id: string) => api('get-fulfillment-order-api', { params: { id } }),
  };
}

/** A rehearsal on Monday morning whose stores, warehouses and carriers work by hand. */
export async function onMonday(progression: ProgressionInput = {}, retailer: object = {}) {
  const by = { warehouse: 'manual', store: 'manual', carrier: 'manual', returns: 'manual', ...progression } as const;
  const rehearsal = withSteps(await openRehearsal(estate.gateway, by, { startsAt: MONDAY, data: { retailer } }));
  return { ...rehearsal, ...collectionSteps(rehearsal) };
}
