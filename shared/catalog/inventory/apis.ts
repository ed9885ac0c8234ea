import { z } from 'zod';
import { defineApi } from '../define.ts';
import { dependencyProblems } from '../problems.ts';
import { atLeastOne, Id, Instant, Quantity, queryInteger, Sku, SkuQuantity } from '../shapes.ts';
import { InventoryItem, Reservation } from './objects.ts';

/** Absent: by priority. */
export const NodePreference = z.literal('most-stock').describe('Per item the location that can promise most of it, not the first one.');

const ReserveRequest = z.strictObject({
  basketId: Id.optional(),
  items: z.array(SkuQuantity).min(1).max(200).optional().describe('With basketId: instead of the lines of the basket.'),
  orderId: Id.optional(),
  locationId: Id.optional(),
  ttlSeconds: z.int().min(1).max(14_400).optional().describe('Default 900.'),
});

export const reserveInventory = defineApi({
  id: 'reserve-inventory-api',
  name: 'Reserve Inventory',
  summary:
    'Holds stock of one or more SKUs for a limited time, all or nothing. A basket has one open hold: asked for again, that one is the answer (200), adjusted while the basket is open.',
  domain: 'inventory',
  type: 'command',
  application: 'sim',
  auth: 'bearer',
  method: 'POST',
  path: '/inventory/reservations',
  request: atLeastOne(ReserveRequest, ['basketId', 'items']),
  // A service sends the items along with the basket's id, so that the SIM need not ask its caller back.
  // The hold of a checkout at the till has no time limit.
  serviceRequest: atLeastOne(
    ReserveRequest.extend({
      ttlSeconds: ReserveRequest.shape.ttlSeconds.nullable(),
      prefer: NodePreference.optional(),
      takesOverLines: z.array(Id).max(200).optional().describe('What was allocated to these lines of the order becomes part of the hold.'),
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
  name: 'Confirm Reservation',
  summary: 'Keeps a timed hold for good.',
  domain: 'inventory',
  type: 'action',
  application: 'sim',
  auth: 'bearer',
  method: 'POST',
  path: '/inventory/reservations/{id}/confirm',
  request: ConfirmRequest,
  // The order that has the hold is about to be sent: from now on only the OMS releases it.
  serviceRequest: ConfirmRequest.extend({ forFulfilment: z.boolean().default(false) }),
  response: Reservation,
  problems: ['not_found', 'reservation_expired', 'invalid_state_transition', ...dependencyProblems],
  shapes: 'our choice',
});

export const releaseReservation = defineApi({
  id: 'release-reservation-api',
  name: 'Release Reservation',
  summary: 'Ends a hold and gives its stock back.',
  domain: 'inventory',
  type: 'action',
  application: 'sim',
  auth: 'bearer',
  method: 'DELETE',
  path: '/inventory/reservations/{id}',
  response: Reservation,
  problems: ['not_found', 'invalid_state_transition', ...dependencyProblems],
  shapes: 'our choice',
});

export const getInventory = defineApi({
  id: 'get-inventory-api',
  name: 'Get Inventory',
  summary: 'Stock of a SKU, location by location.',
  domain: 'inventory',
  type: 'query',
  application: 'sim',
  auth: 'bearer',
  method: 'GET',
  path: '/inventory/items/{sku}',
  response: InventoryItem,
  problems: ['not_found', ...dependencyProblems],
  shapes: 'our choice',
});

export const getStockLocations = defineApi({
  id: 'get-stock-locations-api',
  name: 'Get Stock Locations',
  summary: 'Every warehouse location that holds a SKU, with what is on hand and reserved there.',
  domain: 'inventory',
  type: 'query',
  application: 'wms',
  auth: 'bearer',
  method: 'GET',
  path: '/stock/{sku}/locations',
  response: InventoryItem,
  problems: ['not_found', ...dependencyProblems],
});

export const checkAvailability = defineApi({
  id: 'check-availability-api',
  name: 'Check Availability',
  summary: 'How many units of a SKU can be promised, and where. Advisory: only a reservation holds stock.',
  domain: 'inventory',
  type: 'query',
  application: 'inventory-service',
  auth: 'bearer',
  method: 'GET',
  path: '/inventory/{sku}/availability',
  query: z.strictObject({
    qty: queryInteger(1, 9999).default(1),
    locationId: Id.optional().describe('Look at this location alone.'),
  }),
  response: z.object({
    sku: Sku,
    atp: z.int().describe('Over all nodes.'),
    maxPerLine: z.int().describe('What the best single node can serve.'),
    available: z.boolean().describe('One node can serve qty.'),
    nodes: z.array(z.object({ locationId: Id, atp: z.int() })),
    asOf: Instant,
  }),
  problems: ['not_found'],
  shapes: 'our choice',
});

export const allocateInventory = defineApi({
  id: 'allocate-inventory-api',
  name: 'Allocate Inventory',
  summary:
    'Holds stock for an order line for good, once per line. With reservationId the line already has its stock: that reservation is the answer and nothing moves.',
  domain: 'inventory',
  type: 'command',
  application: 'inventory-service',
  auth: 'bearer',
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
