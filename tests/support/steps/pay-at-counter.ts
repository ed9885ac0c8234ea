import type { ProgressionInput } from '../../../shared/catalog/control/progression.ts';
import { collectionSteps, onMonday } from './collection.ts';
import type { withSteps } from './rehearsal-at.ts';

/** A till of the store where the goods wait. */
export const TILL = { storeId: 'store-01', laneId: 'lane-1' };

/** Steps of an order that its customer pays when it is collected. */
export function payAtCounterSteps(rehearsal: ReturnType<typeof withSteps>) {
  const { api, call, settle, basket, order } = rehearsal;
  const { ready } = collectionSteps(rehearsal);
  const orderedToPay = async (lines = [{ sku: 'mug-blue', qty: 2 }], more: object = {}) => {
    const { id } = await basket({ lines });
    const body = { collection: { locationId: 'store-01' }, payAt: 'collection' as const, placeOrder: true, ...more };
    return (await api('checkout-basket-api', { params: { id }, body })).orderId ?? '';
  };
  const confirmedToPay = async (lines?: { sku: string; qty: number }[], more?: object) => {
    const orderId = await orderedToPay(lines, more);
    await api('confirm-order-api', { params: { id: orderId } });
    await settle();
    const [routed] = (await order(orderId)).fulfillmentOrders ?? [];
    return { orderId, fulfillmentOrderId: routed?.id ?? '' };
  };
  return {
    orderedToPay,
    confirmedToPay,
    /** An unpaid order whose goods wait at the counter. */
    unpaidAtCounter: async (lines?: { sku: string; qty: number }[], more?: object) => {
      const found = await confirmedToPay(lines, more);
      const { collection } = await ready(found.fulfillmentOrderId);
      await settle();
      return { ...found, code: collection?.code ?? '' };
    },
    openTill: (orderId: string, till: object = TILL, headers: Record<string, string> = {}) =>
      call('create-transaction-api', { body: { ...TILL, ...till, orderId }, headers }),
  };
}

/** A rehearsal on Monday morning whose orders are paid at the counter. */
export async function payingAtCounter(progression: ProgressionInput = {}, retailer: object = {}) {
  const rehearsal = await onMonday(progression, retailer);
  return { ...rehearsal, ...payAtCounterSteps(rehearsal) };
}
