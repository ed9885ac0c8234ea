import { z } from 'zod';
import { defineObject } from '../define-object.ts';
import { defineLifeCycle } from '../life-cycle.ts';
import { commonFields, Id, Instant, Quantity, Sku, SkuQuantity } from '../shapes.ts';

export const reservationLifeCycle = defineLifeCycle({
  object: 'reservation',
  states: ['requested', 'confirmed', 'fulfilled', 'expired', 'cancelled', 'released'],
  rows: [
    {
      verb: 'reserve',
      from: [null],
      to: 'requested',
      events: ['inventory-reserved', 'reservation-created'],
      trigger: 'Reserve Inventory; every item fits, all or nothing',
    },
    {
      verb: 'reserve',
      from: ['requested', 'confirmed'],
      again: true,
      trigger: 'Reserve Inventory for the basket that it is of, repeated, or in checkout',
    },
    {
      verb: 'allocate',
      from: [null],
      to: 'confirmed',
      events: ['inventory-reserved'],
      trigger: 'Allocate Inventory without a reservation',
    },
    {
      verb: 'allocate',
      from: ['requested', 'confirmed'],
      again: true,
      trigger: 'Allocate Inventory for the same order line, for one that it holds already, or with reservationId',
    },
    { verb: 'confirm', from: ['requested'], to: 'confirmed', trigger: 'Confirm Reservation; from now on it does not expire' },
    { verb: 'confirm', from: ['confirmed'], again: true, trigger: 'Confirm Reservation, repeated' },
    { verb: 'expire', from: ['requested'], to: 'expired', trigger: 'time: its TTL is over' },
    {
      verb: 'release',
      from: ['requested', 'confirmed'],
      to: 'released',
      trigger: 'Release Reservation; the end of its order, basket or transaction; taken over by a new hold of the same basket or order',
    },
    {
      verb: 'release',
      from: ['released', 'expired', 'cancelled'],
      again: true,
      trigger: 'Release Reservation of one that has ended',
    },
    {
      verb: 'move-part',
      from: ['confirmed'],
      trigger: 'one of several allocations, or a part of one, is dispatched or was short; the rest stays held',
    },
    {
      verb: 'fulfil',
      from: ['confirmed', 'requested'],
      to: 'fulfilled',
      trigger:
        'every allocation is fulfilled or cancelled, at least one fulfilled: Dispatch Fulfillment Order; the customer leaves the store with what was held for the till',
    },
    { verb: 'cancel', from: ['confirmed'], to: 'cancelled', trigger: 'every allocation is cancelled: short pick' },
  ],
});

/** Which location gives how many units. */
export const Allocation = z
  .object({
    orderLineId: Id.optional(),
    locationId: Id,
    sku: Sku,
    qty: Quantity,
    fulfilledQty: z.int().min(0),
    cancelledQty: z.int().min(0),
  })
  .meta({ id: 'Allocation' });

export const Reservation = z
  .object({
    ...commonFields,
    state: z.enum(reservationLifeCycle.states),
    basketId: Id.optional(),
    orderId: Id.optional(),
    orderLineId: Id.optional(),
    locationId: Id.optional().describe(
      'Given: all items are held there. Absent: each item at the first location, by priority, that can serve all of it.',
    ),
    items: z.array(SkuQuantity),
    allocations: z.array(Allocation),
    expiresAt: Instant.optional().describe('Absent once confirmed, and for what is held for the till.'),
  })
  .meta({ id: 'Reservation' });

export const reservation = defineObject({
  type: 'reservation',
  domain: 'inventory',
  owner: 'sim',
  meaning: 'Temporary hold on inventory',
  schema: Reservation,
  lifeCycle: reservationLifeCycle,
});

export const StockLevel = z
  .object({
    locationId: Id,
    onHand: z.int().min(0),
    reserved: z.int().min(0),
    safetyStock: z.int().min(0).describe('Kept back, never promised.'),
    atp: z.int().describe('Available to promise: onHand − reserved − safetyStock.'),
  })
  .meta({ id: 'StockLevel' });

/** Guarded counters, not a versioned record: it has neither version nor events. */
export const InventoryItem = z.object({ sku: Sku, locations: z.array(StockLevel) }).meta({ id: 'InventoryItem' });

export const inventoryItem = defineObject({
  type: 'inventory-item',
  domain: 'inventory',
  owner: 'inventory-service',
  meaning: 'Item-level inventory reference used by basket, order, shipment, reservation and allocation records',
  schema: InventoryItem,
});
