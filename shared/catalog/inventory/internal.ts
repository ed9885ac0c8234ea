import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { dependencyProblems } from '../problems.ts';
import { atLeastOne, Id, Quantity, Sku, SkuQuantity } from '../shapes.ts';
import { NodePreference } from './apis.ts';
import { CollectableAt, Collection } from './collection.ts';
import { Allocation, InventoryItem, Reservation } from './objects.ts';

/** Identifies a movement. A repeat with the same reference moves nothing. */
const Reference = z.string().min(1).max(200);

/** Units that a location contributes to a reservation. */
export const HeldAt = z.object({ locationId: Id, sku: Sku, qty: Quantity }).meta({ id: 'HeldAt' });

/** A basket or order that has ended, with its final state. */
const Over = z.strictObject({ id: Id, state: z.string().min(1).max(64) });

export const getStock = defineInternalCall({
  id: 'get-stock',
  summary: 'Returns the stock counters of a SKU per location.',
  application: 'inventory-service',
  path: '/internal/stock/{sku}',
  response: InventoryItem,
  problems: ['not_found'],
  callers: ['sim', 'wms'],
});

export const getCollectionPoint = defineInternalCall({
  id: 'get-collection-point',
  summary: 'Returns a store where customers collect orders, with the time when an order that is placed now is ready.',
  application: 'inventory-service',
  path: '/internal/collection-points/{id}',
  response: Collection.pick({ locationId: true, readyBy: true }).extend({
    transferReadyBy: Collection.shape.readyBy.optional().describe('The same, if a warehouse sends the goods to the store.'),
  }),
  problems: ['not_found'],
  callers: ['ecommerce-platform', 'oms'],
  addition: true,
});

export const listCollectable = defineInternalCall({
  id: 'list-collectable',
  summary: 'Returns which of the SKUs a customer can collect in a store, one unit of each, and when they are ready.',
  type: 'query',
  application: 'inventory-service',
  method: 'POST',
  path: '/internal/collection-points/{id}/collectable',
  request: z.strictObject({ skus: z.array(Sku).max(100) }),
  response: z.object({ items: z.array(z.object({ sku: Sku, collection: CollectableAt })) }),
  problems: ['not_found'],
  callers: ['ecommerce-platform'],
  addition: true,
});

export const takeHold = defineInternalCall({
  id: 'take-hold',
  summary: 'Chooses a location for each item and reserves the stock, all or nothing, once per reservation.',
  type: 'command',
  application: 'inventory-service',
  method: 'PUT',
  path: '/internal/holds/{reservationId}',
  request: z.strictObject({
    items: z.array(SkuQuantity).min(1).max(200),
    locationId: Id.optional(),
    collectAt: Id.optional().describe('A store where the customer collects the goods: all items come from it, or from one warehouse.'),
    prefer: NodePreference.optional(),
    replaces: z
      .array(Id)
      .max(1_000)
      .optional()
      .describe('Reservations whose stock is released in the same step, so that this reservation can take it.'),
  }),
  response: z.object({ allocations: z.array(HeldAt) }),
  problems: ['not_found', 'insufficient_stock', 'invalid_state_transition'],
  callers: ['sim'],
});

export const moveHold = defineInternalCall({
  id: 'move-hold',
  summary:
    'Releases all reserved stock or some units, ships it, writes it off or transfers it to a store, once per reference. A reservation whose stock was never taken releases nothing, and its stock can no longer be taken.',
  type: 'command',
  application: 'inventory-service',
  method: 'POST',
  path: '/internal/holds/{reservationId}/movements',
  request: z
    .strictObject({
      reference: Reference,
      kind: z
        .enum(['release', 'give-back', 'consume', 'write-off', 'send', 'receive', 'not-received'])
        .describe(
          'release: all units still reserved, reserved−. give-back: some units, reserved−. consume: units that left, onHand− and reserved−. write-off: missing units, onHand− and reserved−. send: units that leave for a store, onHand− and reserved−. receive: sent units that arrived at their store, onHand+ and reserved+ there. not-received: sent units that will not arrive; they count as left.',
        ),
      allocations: z
        .array(HeldAt)
        .min(1)
        .max(200)
        .optional()
        .describe(
          'All kinds but release: units per location and SKU. receive: the location is the store; otherwise it is the one that they left.',
        ),
    })
    .refine(({ kind, allocations }) => (kind === 'release') === (allocations === undefined), {
      path: ['allocations'],
      error: 'Name allocations for each kind but release, and none for release.',
    }),
  response: z.object({ allocations: z.array(HeldAt).describe('Units that this reference moved.') }),
  problems: ['not_found', 'invalid_state_transition'],
  callers: ['sim'],
});

export const recordReservation = defineInternalCall({
  id: 'record-reservation',
  summary: 'Records stock that was allocated without a reservation.',
  type: 'command',
  application: 'sim',
  method: 'PUT',
  path: '/internal/reservations/{id}',
  request: z.strictObject({
    orderId: Id,
    orderLineId: Id,
    items: z.array(SkuQuantity).min(1).max(200),
    allocations: z.array(Allocation).min(1).max(200),
  }),
  response: Reservation,
  problems: ['invalid_state_transition'],
  callers: ['inventory-service'],
});

export const getReservation = defineInternalCall({
  id: 'get-reservation',
  summary: 'Returns a reservation.',
  application: 'sim',
  path: '/internal/reservations/{id}',
  response: Reservation,
  problems: ['not_found'],
  callers: ['inventory-service', 'oms'],
});

export const getBasketHold = defineInternalCall({
  id: 'get-basket-hold',
  summary: 'Returns the open reservation of a basket, if there is one, for the till or for a repeated checkout.',
  application: 'sim',
  path: '/internal/basket-holds/{basketId}',
  response: z.object({ reservation: Reservation.optional() }),
  callers: ['ecommerce-platform'],
});

export const listOrderHolds = defineInternalCall({
  id: 'list-order-holds',
  summary: 'Returns all open reservations of an order and of its basket.',
  application: 'sim',
  path: '/internal/order-holds/{orderId}',
  query: z.strictObject({ basketId: Id.optional() }),
  response: z.object({ items: z.array(Reservation) }),
  callers: ['inventory-service'],
});

export const releaseHolds = defineInternalCall({
  id: 'release-holds',
  summary: 'Releases all open reservations of an order or basket that has ended. It cannot get new reservations.',
  type: 'action',
  application: 'sim',
  method: 'POST',
  path: '/internal/reservations/release',
  request: atLeastOne(
    z.strictObject({
      basket: Over.optional(),
      order: Over.optional(),
      spare: z.array(Id).max(1_000).optional().describe('Reservations to keep: their goods may still leave, and then they end.'),
    }),
    ['basket', 'order'],
  ),
  response: z.object({ released: z.array(Id) }),
  callers: ['ecommerce-platform', 'oms'],
});

export const moveReservation = defineInternalCall({
  id: 'move-reservation',
  summary:
    'Records units of a reservation that left, were missing, are no longer wanted, or are sent to the store where they are collected, once per reference. The reservation ends with its last unit.',
  type: 'command',
  application: 'sim',
  method: 'POST',
  path: '/internal/reservations/{id}/movements',
  request: z.strictObject({
    reference: Reference.describe('The fulfillment order or order, with the kind.'),
    kind: z
      .enum(['consume', 'short', 'give-back', 'send', 'receive', 'not-received'])
      .describe(
        'consume: increases fulfilledQty of the allocations. short: increases cancelledQty and writes the units off. give-back: the customer wants fewer units; they leave the reservation, and can be promised to others. send: the units leave for the store of the collection and stay promised. receive: the store has them. not-received: they will not arrive there; increases fulfilledQty.',
      ),
    locationId: Id.describe('The location of the units; for receive and not-received, the one that they left.'),
    to: Id.optional().describe('send: the store.'),
    lines: z
      .array(z.strictObject({ orderLineId: Id.optional(), sku: Sku, qty: Quantity }))
      .min(1)
      .max(200),
  }),
  response: Reservation,
  problems: ['not_found', 'invalid_state_transition', ...dependencyProblems],
  callers: ['fms', 'oms'],
});

export const recordStockMovement = defineInternalCall({
  id: 'record-stock-movement',
  summary: 'Records stock that came back or was found, once per reference. Restocked units that have been sold cannot be sent back.',
  type: 'command',
  application: 'inventory-service',
  method: 'POST',
  path: '/internal/stock-movements',
  request: z.strictObject({
    reference: Reference,
    kind: z
      .enum(['restock', 'scrap', 'sent-back', 'found', 'carried-out'])
      .describe(
        'restock: returned units, onHand+. sent-back: restocked units go back to the customer, onHand−. scrap: returned units are scrapped, onHand unchanged. found: units missing from the records, onHand+. carried-out: units without a reservation that a customer carried out of the store. Unreserved units leave onHand, including safety stock; all others are booked as found.',
      ),
    locationId: Id,
    sku: Sku,
    qty: Quantity,
  }),
  response: InventoryItem.extend({
    found: z.int().min(0).optional().describe('carried-out: units that were missing from the records or reserved for others.'),
  }),
  problems: ['not_found', 'insufficient_stock'],
  callers: ['fms', 'oms'],
});

export const countStock = defineInternalCall({
  id: 'count-stock',
  summary:
    'Sets onHand of a SKU at a location to a counted value. Refused when more units are reserved there. Only the control plane calls it, in the role of the outside world.',
  type: 'action',
  application: 'inventory-service',
  method: 'POST',
  path: '/internal/stock/{sku}/counts',
  request: z.strictObject({ locationId: Id, onHand: z.int().min(0).max(1_000_000) }),
  response: InventoryItem,
  problems: ['not_found', 'insufficient_stock'],
  callers: [],
});

export const inventoryInternalCalls = [
  getStock,
  getCollectionPoint,
  listCollectable,
  takeHold,
  moveHold,
  recordReservation,
  getBasketHold,
  listOrderHolds,
  releaseHolds,
  getReservation,
  moveReservation,
  recordStockMovement,
  countStock,
] as const;
