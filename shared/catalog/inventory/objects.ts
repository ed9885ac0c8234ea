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
      trigger: 'Reserve Inventory, or a checkout, if stock covers every item; Create Transaction reserves what the store has',
    },
    {
      verb: 'reserve',
      from: ['requested', 'confirmed'],
      again: true,
      trigger: 'Reserve Inventory for its basket, repeated with the same values',
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
      trigger: 'Allocate Inventory for the same order line, for a line that is already reserved, or with reservationId',
    },
    { verb: 'confirm', from: ['requested'], to: 'confirmed', trigger: 'Confirm Reservation; it no longer expires' },
    {
      verb: 'confirm',
      from: ['confirmed'],
      again: true,
      trigger: 'Confirm Reservation, repeated; a missing orderId is added, with a new version',
    },
    { verb: 'expire', from: ['requested'], to: 'expired', trigger: 'time: its TTL ends' },
    {
      verb: 'release',
      from: ['requested', 'confirmed'],
      to: 'released',
      trigger:
        'Release Reservation; its order, basket or transaction ends; a new reservation of the same basket or order takes over, such as the one of Checkout at its own location',
    },
    { verb: 'release', from: ['released', 'expired', 'cancelled'], again: true, trigger: 'Release Reservation after it has ended' },
    {
      verb: 'move-part',
      from: ['confirmed'],
      trigger:
        'some units are dispatched or short, and the rest stays reserved; a warehouse sends units to a store, or the store receives them',
    },
    {
      verb: 'fulfil',
      from: ['confirmed', 'requested'],
      to: 'fulfilled',
      trigger:
        'every allocation is fulfilled or cancelled, at least one is fulfilled: Dispatch Fulfillment Order, or the customer leaves the store with the goods',
    },
    { verb: 'cancel', from: ['confirmed'], to: 'cancelled', trigger: 'a short pick cancels every allocation' },
  ],
});

/** Units that a location reserves. */
export const Allocation = z
  .object({
    orderLineId: Id.optional(),
    locationId: Id,
    sku: Sku,
    qty: Quantity,
    fulfilledQty: z.int().min(0),
    cancelledQty: z.int().min(0),
    inTransitTo: Id.optional().describe('The store that the units are on their way to. Until it receives them, they are in no stock.'),
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
      'If present, all items are reserved there. If absent, each item is reserved at the first location, by priority, that can serve all of it.',
    ),
    collectAt: Id.optional().describe(
      'The store where the customer collects the goods. All items are reserved there, or at one warehouse that sends them to it.',
    ),
    items: z.array(SkuQuantity),
    allocations: z.array(Allocation),
    expiresAt: Instant.optional().describe('Absent once confirmed, and for reservations of the till.'),
  })
  .meta({ id: 'Reservation' });

export const reservation = defineObject({
  type: 'reservation',
  idPrefix: 'res',
  owner: 'sim',
  meaning: 'Temporary hold on inventory',
  schema: Reservation,
  label: ['{items.sku}'],
  columns: { order: '{orderId}', basket: '{basketId}', units: '{items.qty}', location: '{locationId}', expires: '{expiresAt}' },
  lifeCycle: reservationLifeCycle,
});

export const StockLevel = z
  .object({
    locationId: Id,
    onHand: z.int().min(0),
    reserved: z.int().min(0),
    safetyStock: z.int().min(0).describe('Units that are never promised.'),
    atp: z.int().describe('Available to promise: onHand − reserved − safetyStock.'),
  })
  .meta({ id: 'StockLevel' });

/** Guarded counters, without version and events. */
export const InventoryItem = z.object({ sku: Sku, locations: z.array(StockLevel) }).meta({ id: 'InventoryItem' });

export const inventoryItem = defineObject({
  type: 'inventory-item',
  owner: 'inventory-service',
  meaning: 'Item-level inventory reference used by basket, order, shipment, reservation and allocation records',
  schema: InventoryItem,
  label: ['{sku}'],
});
