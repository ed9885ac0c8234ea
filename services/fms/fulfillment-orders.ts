import type { InputOf } from '../../shared/catalog/define.ts';
import { getFulfillmentOrder as getFulfillmentOrderApi } from '../../shared/catalog/fulfillment/apis.ts';
import { fulfillmentOrderLifeCycle, isAtCounter, isTransfer } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import {
  cancelFulfillment as cancelFulfillmentCall,
  createFulfillmentOrders as createFulfillmentOrdersCall,
  listFulfillmentOrders as listFulfillmentOrdersCall,
} from '../../shared/catalog/fulfillment/internal.ts';
import { allocateInventory } from '../../shared/catalog/inventory/apis.ts';
import { isAgain, refusal } from '../../shared/catalog/life-cycle.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { isToCollect, putBack } from './collection.ts';
import { withOwnQr } from './collection-code.ts';
import { fulfillmentOrders, fulfillmentOrdersOf, orderFulfillments, published, type StoredFulfillmentOrder } from './collections.ts';
import { allocateDue, HAND_OVER_TIMEOUT_MS, writeOffDue } from './due-work.ts';
import { moveUnits, stockMovesOf } from './stock-moves.ts';

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
  work.put(orderFulfillments, { ...fulfillment, id: orderId, attempts: [...(fulfillment?.attempts ?? []), attempt], cancelled: false });
  const { shippingAddress = body.shippingAddress, collector } = fulfillment ?? {};
  const collection = collector && body.collection ? { ...body.collection, person: collector.person } : body.collection;
  const current = { ...body, shippingAddress, collection };
  return { items: body.groups.map((group, index) => published(create(work, current, { ...group, id: work.id('ful', String(index)) }))) };
});

function create(work: UnitOfWork, body: Body, group: Body['groups'][number] & { readonly id: string }): StoredFulfillmentOrder {
  const { orderId, attempt, replacementId, free, shippingAddress, shippingMethod, collection } = body;
  const { id, locationId, reservationId } = group;
  const lines = group.lines.map((line) => ({ ...line, pickedQty: 0, shortQty: 0 }));
  // Allocating needs no stock movement, so it is done before the reply.
  work.schedule(allocateDue, id, work.now, {}, { beforeReply: true });
  return work.create(fulfillmentOrders, 'create', {
    id,
    orderId,
    attempt,
    replacementId,
    free,
    locationId,
    reservationId,
    shippingAddress,
    shippingMethod,
    orderNumber: collection?.orderNumber,
    customerId: collection?.customerId,
    payAt: collection?.payAt,
    collection: collection && { locationId: collection.locationId, person: collection.person, readyBy: collection.readyBy },
    lines,
    shipments: [],
    pickingSteps: [],
  });
}

const fulfillmentCancelled = (orderId: string): Problem => {
  const detail = `The fulfilment of the order "${orderId}" was cancelled; no more of its goods are sent.`;
  return refusal('order', { id: orderId, state: 'cancelled' }, 'create-fulfillment-orders', detail);
};

/** The stock is reserved for the order already, so allocating a line moves none. */
export const allocate = handleDue(allocateDue)(async ({ key }, { work, call }) => {
  const found = await work.get(fulfillmentOrders, key);
  if (found?.state !== 'created') return;
  const { orderId, reservationId } = found;
  for (const { orderLineId, sku, qty } of found.lines) {
    await call(allocateInventory, { body: { orderId, orderLineId, sku, qty, reservationId } }, { step: orderLineId });
  }
  work.transition(fulfillmentOrders, found, 'allocate');
});

export const getFulfillmentOrder = handle(getFulfillmentOrderApi)(async ({ params }, scope) =>
  withOwnQr(await requireObject(scope.work, fulfillmentOrders, params.id), scope),
);

export const listFulfillmentOrders = handle(listFulfillmentOrdersCall)(async ({ query }, { work }) => ({
  items: (await fulfillmentOrdersOf(work, query.orderId)).map(published),
}));

/**
 * Cancels all fulfillment orders of an order in one commit, together with the tombstone. A Dispatch or a routing that commits first causes a conflict:
 * this handler runs again, and then refuses, or cancels the new fulfillment orders as well.
 */
export const cancelFulfillment = handle(cancelFulfillmentCall)(async ({ params: { orderId } }, scope) => {
  const { work } = scope;
  const fulfillment = await work.get(orderFulfillments, orderId);
  const found = await fulfillmentOrdersOf(work, orderId);
  const items = found.map((one) => {
    if (isToCollect(one) && one.state === 'returned-to-sender') return one;
    if (isAtCounter(one)) return putBack(work, one);
    if (isAgain(fulfillmentOrderLifeCycle, one, 'cancel')) return one;
    work.cancel(allocateDue, one.id);
    return work.transition(fulfillmentOrders, one, 'cancel');
  });
  if (!fulfillment?.cancelled) work.put(orderFulfillments, { id: orderId, attempts: fulfillment?.attempts ?? [], cancelled: true });
  const unsettled = items.filter((one) => isTransfer(one) || one.lines.some(({ shortQty }) => shortQty > 0));
  if (unsettled.length > 0) await work.checkpoint();
  return { cancelled: true as const, items: items.map(published), writtenOff: await settleStock(unsettled, scope) };
});

/**
 * Missing units are written off, and units that a store received are booked there, before the OMS releases the reservations of the order.
 * Otherwise they would be promised to others. Due work does both as well; each unit counts once.
 * @returns whether all of it is done
 */
async function settleStock(unsettled: readonly StoredFulfillmentOrder[], { call, log }: Scope): Promise<boolean> {
  try {
    for (const one of unsettled) {
      for (const kind of ['short', ...stockMovesOf(one)] as const) await moveUnits(one, kind, { call }, HAND_OVER_TIMEOUT_MS);
    }
    return true;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log.warn({ code: error.code }, `settling the stock of a cancelled order failed: ${error.message}`);
    return false;
  }
}

export const writeOff = handleDue(writeOffDue)(async ({ key }, { work, call }) => {
  const found = await work.get(fulfillmentOrders, key);
  if (found) await moveUnits(found, 'short', { call });
});
