import type { InputOf } from '../../../shared/catalog/define.ts';
import { createFulfillmentOrders as createFulfillmentOrdersCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { refusal } from '../../../shared/catalog/life-cycle.ts';
import type { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { fulfillmentOrders, fulfillmentOrdersOf, orderFulfillments, published, type StoredFulfillmentOrder } from '../collections.ts';
import { allocateDue } from '../due-work.ts';

type Body = InputOf<typeof createFulfillmentOrdersCall>['body'];

/** Creates fulfillment orders once per order and attempt. Only the groups in the first request of an attempt are used. */
export const createFulfillmentOrders = handle(createFulfillmentOrdersCall)(async ({ body }, { work }) => {
  const { orderId, attempt } = body;
  const fulfillment = await work.get(orderFulfillments, orderId);
  if (fulfillment?.cancelled) throw fulfillmentCancelled(orderId);
  if (fulfillment?.attempts.includes(attempt)) {
    const earlier = await fulfillmentOrdersOf(work, orderId);
    return again({ items: earlier.filter((one) => one.attempt === attempt).map(published) });
  }
  work.put(orderFulfillments, { id: orderId, attempts: [...(fulfillment?.attempts ?? []), attempt], cancelled: false });
  return { items: body.groups.map((group, index) => published(create(work, body, { ...group, id: work.id('ful', String(index)) }))) };
});

function create(work: UnitOfWork, body: Body, group: Body['groups'][number] & { readonly id: string }): StoredFulfillmentOrder {
  const { orderId, attempt, shippingAddress, shippingMethod } = body;
  const { id, locationId, reservationId } = group;
  const lines = group.lines.map((line) => ({ ...line, pickedQty: 0, shortQty: 0 }));
  // Allocating needs no stock movement, so it is done before the reply.
  work.schedule(allocateDue, id, work.now, {}, { beforeReply: true });
  return work.create(fulfillmentOrders, 'create', {
    id,
    orderId,
    attempt,
    locationId,
    reservationId,
    shippingAddress,
    shippingMethod,
    lines,
    shipments: [],
    pickingSteps: [],
  });
}

const fulfillmentCancelled = (orderId: string): Problem =>
  refusal(
    'order',
    { id: orderId, state: 'cancelled' },
    'create-fulfillment-orders',
    `The fulfilment of the order "${orderId}" was cancelled; no more of its goods are sent.`,
  );
