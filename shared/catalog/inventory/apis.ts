import { z } from 'zod';
import { defineApi } from '../define.ts';
import { dependencyProblems } from '../problems.ts';
import { atLeastOne, Id, Instant, Quantity, queryInteger, Sku, SkuQuantity } from '../shapes.ts';
import { CollectableAt, listCollectionPoints } from './collection.ts';
import { InventoryItem, Reservation } from './objects.ts';

export const NodePreference = z
  .literal('most-stock')
  .describe('Chooses the location that can promise the most units of an item. Default: by priority.');

const ReserveRequest = z.strictObject({
  basketId: Id.optional(),
  items: z
    .array(SkuQuantity)
    .min(1)
    .max(200)
    .optional()
    .describe('Quantities of the same SKU are added up. With basketId, the items replace the lines of the basket.'),
  orderId: Id.optional().describe(
    'The order that the stock is reserved for. Without basketId, Confirm Reservation checks whether the order exists; until then the reservation expires.',
  ),
  locationId: Id.optional(),
  ttlSeconds: z
    .int()
    .min(1)
    .max(14_400)
    .optional()
    .describe(
      'Default: the window checkoutHold of the retailer, 900 unless its data have another one. Ignored for a basket in checkout, whose reservation expires with the checkout.',
    ),
});

export const reserveInventory = defineApi({
  id: 'reserve-inventory-api',
  summary:
    'Reserves stock of one or more SKUs for a limited time, all or nothing. A basket has one open reservation. A repeat returns it with status 200. While the basket is open, a request with other values replaces it.',
  type: 'command',
  application: 'sim',
  method: 'POST',
  path: '/inventory/reservations',
  request: atLeastOne(ReserveRequest, ['basketId', 'items']),
  // Applications send the items with the basket's id, so that the SIM need not call them back. The reservation of a checkout at the till
  // has no time limit: ttlSeconds is null.
  serviceRequest: atLeastOne(
    ReserveRequest.extend({
      ttlSeconds: ReserveRequest.shape.ttlSeconds.nullable(),
      prefer: NodePreference.optional(),
      collectAt: Id.optional().describe(
        'In place of locationId: the store where the customer collects the goods. Its shelf is tried first, then one warehouse for all items.',
      ),
      forReplacement: z.literal(true).optional().describe('The units replace others of an order, which may be completed.'),
      takesOverLines: z.array(Id).max(200).optional().describe('Stock allocated to these order lines becomes part of the reservation.'),
    }),
    ['basketId', 'items'],
  ),
  response: Reservation,
  status: 201,
  emits: ['inventory-reserved', 'reservation-created'],
  problems: ['not_found', 'basket_empty', 'invalid_state_transition', 'conflicting_repeat', 'insufficient_stock', ...dependencyProblems],
});

const ConfirmRequest = z.strictObject({ orderId: Id.optional() });

export const confirmReservation = defineApi({
  id: 'confirm-reservation-api',
  summary:
    'Makes a timed reservation permanent. It ends with its order or by Release Reservation. An unknown order is refused with 404, because its stock would stay reserved forever.',
  type: 'action',
  application: 'sim',
  method: 'POST',
  path: '/inventory/reservations/{id}/confirm',
  request: ConfirmRequest,
  // For an order about to be fulfilled. From now on only the OMS releases the reservation.
  serviceRequest: ConfirmRequest.extend({ forFulfilment: z.boolean().default(false) }),
  response: Reservation,
  problems: ['not_found', 'reservation_expired', 'invalid_state_transition', ...dependencyProblems],
  shapes: 'our choice',
});

export const releaseReservation = defineApi({
  id: 'release-reservation-api',
  summary: 'Ends a reservation and releases its stock.',
  type: 'action',
  application: 'sim',
  method: 'DELETE',
  path: '/inventory/reservations/{id}',
  response: Reservation,
  problems: ['not_found', 'invalid_state_transition', ...dependencyProblems],
  shapes: 'our choice',
});

export const getInventory = defineApi({
  id: 'get-inventory-api',
  summary: 'Returns the stock of a SKU per location.',
  application: 'sim',
  path: '/inventory/items/{sku}',
  response: InventoryItem,
  problems: ['not_found', ...dependencyProblems],
  shapes: 'our choice',
});

export const getStockLocations = defineApi({
  id: 'get-stock-locations-api',
  summary: 'Returns every warehouse location that has a SKU, with units on hand and reserved.',
  domain: 'inventory',
  application: 'wms',
  path: '/stock/{sku}/locations',
  response: InventoryItem,
  problems: ['not_found', ...dependencyProblems],
});

export const checkAvailability = defineApi({
  id: 'check-availability-api',
  summary:
    'Returns how many units of a SKU can be promised, and where. Advisory: only a reservation keeps stock for a buyer. The answer does not depend on whether the product may be sold: suspended and discontinued products have stock as well.',
  application: 'inventory-service',
  path: '/inventory/{sku}/availability',
  query: z.strictObject({
    qty: queryInteger(1, 9999).default(1),
    locationId: Id.optional().describe('Restricts the answer to this location.'),
    collectAt: Id.optional().describe(
      'A store where the customer would collect the goods. Restricts the answer to it, and adds collection: from its shelf, or by transfer from a warehouse.',
    ),
  }),
  response: z.object({
    sku: Sku,
    atp: z.int().describe('Available to promise at all nodes.'),
    maxPerLine: z
      .int()
      .describe('Units that the best single node can serve; the best nodes together, if the retailer splits lines (splitLines).'),
    available: z.boolean().describe('Whether maxPerLine covers qty.'),
    nodes: z.array(z.object({ locationId: Id, atp: z.int() })),
    asOf: Instant,
    collection: CollectableAt.optional().describe('With collectAt: when qty would be ready there. Absent if it cannot be collected there.'),
  }),
  problems: ['not_found'],
  shapes: 'our choice',
});

export const allocateInventory = defineApi({
  id: 'allocate-inventory-api',
  summary:
    'Reserves stock for an order line permanently, once per line. If the order already has a reservation of the units, or the request names one, no stock moves and the answer is that reservation. The reservation of a draft still expires. An order that neither the OMS nor a till has is refused with 404, because its stock would stay reserved forever.',
  type: 'command',
  application: 'inventory-service',
  method: 'POST',
  path: '/inventory/allocate',
  request: z.strictObject({
    orderId: Id,
    orderLineId: Id,
    sku: Sku,
    qty: Quantity,
    reservationId: Id.optional(),
    preferredLocations: z.array(Id).max(50).optional().describe('Tried first, in this order.'),
  }),
  response: Reservation,
  status: 201,
  emits: ['inventory-reserved'],
  problems: ['not_found', 'insufficient_stock', 'invalid_state_transition', ...dependencyProblems],
});

export const inventoryApis = [
  reserveInventory,
  confirmReservation,
  releaseReservation,
  getInventory,
  getStockLocations,
  checkAvailability,
  listCollectionPoints,
  allocateInventory,
] as const;
