import type { InputOf } from '../../../shared/catalog/define.ts';
import { dispatchFulfillmentOrder as dispatchFulfillmentOrderApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { fulfillmentOrderLifeCycle } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { DEFAULT_CARRIER } from '../../../shared/catalog/fulfillment/shipments.ts';
import { isAgain } from '../../../shared/catalog/life-cycle.ts';
import { ensureCaptured } from '../../../shared/catalog/order/internal.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle, type Scope } from '../../../shared/work/handler.ts';
import { refuseOtherContent } from '../../../shared/work/repeats.ts';
import { fulfillmentOrderById, fulfillmentOrders, nodes, published, type StoredFulfillmentOrder } from '../collections.ts';
import { carryOnDispatch } from '../dispatch/hand-over.ts';
import { handOverDue, takeStockDue } from '../due-work.ts';
import { createParcel, parcelOf } from '../parcels/parcel.ts';
import { TAKE_OVER_MS } from '../timing.ts';

type Body = InputOf<typeof dispatchFulfillmentOrderApi>['body'];

/**
 * The capture comes first: unpaid goods are never dispatched. Then `dispatched` is committed, which is the point of no return, with due work for
 * stock, parcel and label. A repeat finishes the remaining steps, unless it names another parcel.
 */
export const dispatchFulfillmentOrder = handle(dispatchFulfillmentOrderApi)(async ({ params, body }, scope) => {
  const found = await fulfillmentOrderById(scope.work, params.id);
  if (isAgain(fulfillmentOrderLifeCycle, found, 'dispatch')) {
    await refuseOtherParcel(found, body, scope);
    return again(published(await carryOnDispatch(found, scope)));
  }
  await scope.call(ensureCaptured, { params: { id: found.orderId }, body: { fulfillmentOrderId: found.id } });
  return published(await carryOnDispatch(await commitDispatch(found, body, scope), scope));
});

/** @throws Problem `conflicting_repeat` after a dispatch with another carrier or service */
async function refuseOtherParcel(found: StoredFulfillmentOrder, { carrier, service }: Body, { work }: Scope): Promise<void> {
  const parcel = await parcelOf(work, found);
  if (!parcel) return;
  const standing = { carrier: parcel.data.carrier, service: parcel.data.service };
  refuseOtherContent({ carrier, service }, standing, {
    objectType: 'fulfillment-order',
    id: found.id,
    what: 'was dispatched',
    remedy: 'Until its parcel has a label, Generate Shipping Label takes another carrier or service.',
  });
}

async function commitDispatch(found: StoredFulfillmentOrder, asked: Body, { work, context }: Scope): Promise<StoredFulfillmentOrder> {
  const node = await work.get(nodes, found.locationId);
  if (!node) throw notFound('location', found.locationId);
  const { carrier = DEFAULT_CARRIER, service = found.shippingMethod } = asked;
  const copy = createParcel(
    { fulfillmentOrderId: found.id, carrier, service, from: node.address, to: found.shippingAddress, stockTaken: false },
    { work, context },
  );
  for (const due of [takeStockDue, handOverDue]) work.schedule(due, found.id, work.now + TAKE_OVER_MS, {});
  const next = work.transition(fulfillmentOrders, found, 'dispatch', { shipments: [copy] });
  await work.checkpoint();
  return next;
}
