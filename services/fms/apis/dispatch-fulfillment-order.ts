import type { InputOf } from '../../../shared/catalog/define.ts';
import { dispatchFulfillmentOrder as dispatchFulfillmentOrderApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { DEFAULT_CARRIER, fulfillmentOrderLifeCycle } from '../../../shared/catalog/fulfillment/objects.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { ensureCaptured } from '../../../shared/catalog/order/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { progressionOf } from '../../../shared/catalog/simulation/progression.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { refuseOtherContent } from '../../../shared/work/repeats.ts';
import { fulfillmentOrders, nodes, parcels, published, type StoredFulfillmentOrder, trackings } from '../collections.ts';
import { handOverDue, takeStockDue } from '../due-work.ts';
import { fulfillmentOrderById } from '../fulfillment-order-by-id.ts';
import { carryOnDispatch, parcelOf } from '../hand-over.ts';
import { TAKE_OVER_MS } from '../timing.ts';

type Body = InputOf<typeof dispatchFulfillmentOrderApi>['body'];

/**
 * Money first: nothing leaves that is not paid. Then `dispatched` is committed, the point of no return, with due work for what
 * follows: stock, parcel, label. A repeat carries on with what is left of that, unless it asks for another parcel.
 */
export const dispatchFulfillmentOrder = handle(dispatchFulfillmentOrderApi)(async ({ params, body }, scope) => {
  const found = await fulfillmentOrderById(scope.work, params.id);
  if (isAgain(fulfillmentOrderLifeCycle, found, 'dispatch')) {
    await refuseOtherParcel(found, body, scope);
    return again(published(await carryOnDispatch(found, scope)));
  }
  await scope.call(ensureCaptured, { params: { id: found.orderId }, body: { fulfillmentOrderId: found.id } });
  return published(await carryOnDispatch(await dispatched(found, body, scope), scope));
});

/** @throws Problem `conflicting_repeat` when it left with another carrier or service */
async function refuseOtherParcel(found: StoredFulfillmentOrder, { carrier, service }: Body, { work }: Scope): Promise<void> {
  const parcel = await parcelOf(work, found);
  if (!parcel) return;
  const standing = { carrier: parcel.data.carrier, service: parcel.data.service };
  refuseOtherContent({ carrier, service }, standing, {
    ...{ objectType: 'fulfillment-order', id: found.id, what: 'was dispatched' },
    remedy: 'Until its parcel has a label, Generate Shipping Label takes another carrier or service.',
  });
}

async function dispatched(found: StoredFulfillmentOrder, asked: Body, { work, context }: Scope): Promise<StoredFulfillmentOrder> {
  const node = await work.get(nodes, found.locationId);
  if (!node) throw notFound('location', found.locationId);
  const id = work.id('shp');
  const { carrier = DEFAULT_CARRIER, service = found.shippingMethod } = asked;
  work.put(parcels, {
    id,
    data: { id, fulfillmentOrderId: found.id, carrier, service, from: node.address, to: found.shippingAddress },
    ...{ stockTaken: false, registered: false },
    label: progressionOf(context).label === 'auto' ? 'wanted' : 'left',
  });
  work.put(trackings, { id, fulfillmentOrderId: found.id, deliveryAttempts: 0 });
  for (const due of [takeStockDue, handOverDue]) work.schedule(due, found.id, work.now + TAKE_OVER_MS, {});
  const shipments = [{ id, state: 'pending' as const, labelStatus: 'none' as const }];
  const next = work.transition(fulfillmentOrders, found, 'dispatch', { shipments });
  await work.checkpoint();
  return next;
}
