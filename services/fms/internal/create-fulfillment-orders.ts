import type { InputOf } from '../../../shared/catalog/define.ts';
import { createFulfillmentOrders as createFulfillmentOrdersCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { fulfillmentOrders, orderFulfilments, published, type StoredFulfillmentOrder } from '../collections.ts';
import { allocateDue } from '../due-work.ts';
import { fulfillmentOrdersOf } from '../fulfillment-order-by-id.ts';

type Body = InputOf<typeof createFulfillmentOrdersCall>['body'];

/** Once per order and attempt; the first group of lines that was sent with an attempt counts. */
export const createFulfillmentOrders = handle(createFulfillmentOrdersCall)(async ({ body }, { work }) => {
  const { orderId, attempt } = body;
  const fulfilment = await work.get(orderFulfilments, orderId);
  if (fulfilment?.cancelled) throw fulfilmentCancelled(orderId);
  if (fulfilment?.attempts.includes(attempt)) {
    const earlier = await fulfillmentOrdersOf(work, orderId);
    return again({ items: earlier.filter((one) => one.attempt === attempt).map(published) });
  }
  work.put(orderFulfilments, { id: orderId, attempts: [...(fulfilment?.attempts ?? []), attempt], cancelled: false });
  return { items: body.groups.map((group, index) => published(create(work, body, { ...group, id: work.id('ful', String(index)) }))) };
});

function create(work: UnitOfWork, body: Body, group: Body['groups'][number] & { readonly id: string }): StoredFulfillmentOrder {
  const { orderId, attempt, shippingAddress, shippingMethod } = body;
  const { id, locationId, reservationId } = group;
  const lines = group.lines.map((line) => ({ ...line, pickedQty: 0, shortQty: 0 }));
  // Nothing moves by allocating, so whoever reads after the answer finds it allocated.
  work.schedule(allocateDue, id, work.now, {}, { beforeReply: true });
  return work.create(fulfillmentOrders, 'create', {
    ...{ id, orderId, attempt, locationId, reservationId, shippingAddress, shippingMethod },
    ...{ lines, shipments: [], pickingSteps: [] },
  });
}

const fulfilmentCancelled = (orderId: string): Problem =>
  new Problem('invalid_state_transition', `The fulfilment of the order "${orderId}" was cancelled; nothing is sent for it any more.`, {
    objectType: 'order',
    id: orderId,
    currentState: 'cancelled',
    action: 'create-fulfillment-orders',
    allowedFrom: [],
  });
