import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { dependencyProblems } from '../problems.ts';
import { atLeastOne, Id, Quantity, Sku, SkuQuantity } from '../shapes.ts';
import { NodePreference } from './apis.ts';
import { Allocation, InventoryItem, Reservation } from './objects.ts';

/** Names a movement: repeated with the same one, nothing moves again. */
const Reference = z.string().min(1).max(200);

/** What a location gives to a hold. */
export const HeldAt = z.object({ locationId: Id, sku: Sku, qty: Quantity }).meta({ id: 'HeldAt' });

/** What has ended, and how. */
const Over = z.strictObject({ id: Id, state: z.string().min(1).max(64) });

export const getStock = defineInternalCall({
  id: 'get-stock',
  name: 'Get Stock',
  summary: 'Counters of a SKU per location.',
  domain: 'inventory',
  type: 'query',
  application: 'inventory-service',
  method: 'GET',
  path: '/internal/stock/{sku}',
  response: InventoryItem,
  problems: ['not_found'],
  callers: ['sim', 'wms'],
});

export const takeHold = defineInternalCall({
  id: 'take-hold',
  name: 'Take Hold',
  summary: 'Chooses a location for each item and takes the stock, all or nothing, once per reservation.',
  domain: 'inventory',
  type: 'command',
  application: 'inventory-service',
  method: 'PUT',
  path: '/internal/holds/{reservationId}',
  request: z.strictObject({
    items: z.array(SkuQuantity).min(1).max(200),
    locationId: Id.optional(),
    prefer: NodePreference.optional(),
    replaces: z
      .array(Id)
      .max(1_000)
      .optional()
      .describe('Reservations whose stock is given back in the same step, so that it may be taken again.'),
  }),
  response: z.object({ allocations: z.array(HeldAt) }),
  problems: ['not_found', 'insufficient_stock', 'invalid_state_transition'],
  callers: ['sim'],
});

export const moveHold = defineInternalCall({
  id: 'move-hold',
  name: 'Move Hold',
  summary:
    'Gives held stock back, ships it or writes it off, once per reference. A hold that was never taken has nothing to give, and can no longer be taken.',
  domain: 'inventory',
  type: 'command',
  application: 'inventory-service',
  method: 'POST',
  path: '/internal/holds/{reservationId}/movements',
  request: z
    .strictObject({
      reference: Reference,
      kind: z
        .enum(['release', 'consume', 'write-off'])
        .describe(
          'release: reserved−, of all that is still held. consume: it left. write-off: it was not there. Both: onHand−, reserved−.',
        ),
      allocations: z.array(HeldAt).min(1).max(200).optional().describe('consume, write-off: how many units of what, and where.'),
    })
    .refine(({ kind, allocations }) => (kind === 'release') === (allocations === undefined), {
      path: ['allocations'],
      error: 'Name allocations to consume or write off, and none to release.',
    }),
  response: z.object({ allocations: z.array(HeldAt).describe('What this reference moved.') }),
  problems: ['not_found', 'invalid_state_transition'],
  callers: ['sim'],
});

export const recordReservation = defineInternalCall({
  id: 'record-reservation',
  name: 'Record Reservation',
  summary: 'The finished record of stock that was allocated without a hold.',
  domain: 'inventory',
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
  name: 'Get Reservation',
  summary: 'A reservation, for Allocate Inventory that names one, and for what leaves a store.',
  domain: 'inventory',
  type: 'query',
  application: 'sim',
  method: 'GET',
  path: '/internal/reservations/{id}',
  response: Reservation,
  problems: ['not_found'],
  callers: ['inventory-service', 'oms'],
});

export const getBasketHold = defineInternalCall({
  id: 'get-basket-hold',
  name: 'Get Basket Hold',
  summary: 'The open reservation of a basket, if it has one: what the till takes over.',
  domain: 'inventory',
  type: 'query',
  application: 'sim',
  method: 'GET',
  path: '/internal/basket-holds/{basketId}',
  response: z.object({ reservation: Reservation.optional() }),
  callers: ['ecommerce-platform'],
});

export const releaseHolds = defineInternalCall({
  id: 'release-holds',
  name: 'Release Holds',
  summary:
    'An order or a basket is over: each of its open reservations is released, whoever asked for it, and nothing is held for it any more.',
  domain: 'inventory',
  type: 'action',
  application: 'sim',
  method: 'POST',
  path: '/internal/reservations/release',
  request: atLeastOne(
    z.strictObject({
      basket: Over.optional(),
      order: Over.optional(),
      spare: z.array(Id).max(1_000).optional().describe('Reservations that end by what leaves them, which may still be under way.'),
    }),
    ['basket', 'order'],
  ),
  response: z.object({ released: z.array(Id) }),
  callers: ['ecommerce-platform', 'oms'],
});

export const moveReservation = defineInternalCall({
  id: 'move-reservation',
  name: 'Move Reservation',
  summary: 'Units of a reservation left or were not there, once per reference; the reservation ends with its last unit.',
  domain: 'inventory',
  type: 'command',
  application: 'sim',
  method: 'POST',
  path: '/internal/reservations/{id}/movements',
  request: z.strictObject({
    reference: Reference.describe('The fulfillment order or order, and the kind.'),
    kind: z.enum(['consume', 'short']).describe('consume: fulfilledQty of the allocations. short: cancelledQty, and a write-off.'),
    locationId: Id,
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
  name: 'Record Stock Movement',
  summary: 'Stock that came back or turned up, once per reference. What was sold meanwhile cannot be sent back.',
  domain: 'inventory',
  type: 'command',
  application: 'inventory-service',
  method: 'POST',
  path: '/internal/stock-movements',
  request: z.strictObject({
    reference: Reference,
    kind: z
      .enum(['restock', 'scrap', 'sent-back', 'found', 'found-and-sold'])
      .describe(
        'restock: it came back, onHand+. sent-back: what was restocked goes to the customer again, onHand−. scrap: it came back and is thrown away, onHand stays. found: nobody knew of it, onHand+. found-and-sold: nobody knew of it, and a customer carried it out, onHand stays.',
      ),
    locationId: Id,
    sku: Sku,
    qty: Quantity,
  }),
  response: InventoryItem,
  problems: ['not_found', 'insufficient_stock'],
  callers: ['fms', 'oms'],
});

export const countStock = defineInternalCall({
  id: 'count-stock',
  name: 'Count Stock',
  summary:
    'Somebody counted a SKU at a location: onHand becomes what was found. Refused when more is reserved there. Sent by the simulation plane, which plays the outside world.',
  domain: 'inventory',
  type: 'action',
  application: 'inventory-service',
  method: 'POST',
  path: '/internal/stock/{sku}/counts',
  request: z.strictObject({ locationId: Id, onHand: z.int().min(0).max(1_000_000) }),
  response: InventoryItem,
  problems: ['not_found', 'insufficient_stock'],
  callers: [],
});
