import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { Id, Quantity, Sku, SkuQuantity } from '../shapes.ts';
import { Allocation, InventoryItem, Reservation } from './objects.ts';

/** What a location gives to a hold. */
export const HeldAt = z.object({ locationId: Id, sku: Sku, qty: Quantity }).meta({ id: 'HeldAt' });

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
  callers: ['sim'],
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
    replaces: Id.optional().describe('A reservation whose stock is given back in the same step, so that it may be taken again.'),
  }),
  response: z.object({ allocations: z.array(HeldAt) }),
  problems: ['not_found', 'insufficient_stock', 'invalid_state_transition'],
  callers: ['sim'],
});

export const moveHold = defineInternalCall({
  id: 'move-hold',
  name: 'Move Hold',
  summary: 'Gives held stock back, once per reference. A hold that was never taken has nothing to give, and can no longer be taken.',
  domain: 'inventory',
  type: 'command',
  application: 'inventory-service',
  method: 'POST',
  path: '/internal/holds/{reservationId}/movements',
  request: z.strictObject({ reference: z.string().min(1).max(200), kind: z.literal('release') }),
  response: z.object({ allocations: z.array(HeldAt) }),
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
  callers: ['inventory-service'],
});

export const getReservation = defineInternalCall({
  id: 'get-reservation',
  name: 'Get Reservation',
  summary: 'A reservation, for Allocate Inventory that names one.',
  domain: 'inventory',
  type: 'query',
  application: 'sim',
  method: 'GET',
  path: '/internal/reservations/{id}',
  response: Reservation,
  problems: ['not_found'],
  callers: ['inventory-service'],
});
