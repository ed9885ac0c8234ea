import { z } from 'zod';
import { defineObject } from '../define-object.ts';
import { Collection } from '../inventory/collection.ts';
import { CollectionUntil } from '../inventory/opening-hours.ts';
import { defineLifeCycle } from '../life-cycle.ts';
import { Address, commonFields, Id, Instant, Quantity, Sku } from '../shapes.ts';
import { COLLECTION_STATUSES } from './counter.ts';
import { LabelStatus, Shipment } from './shipments.ts';

export { BEFORE_DISPATCH, isAtCounter, isTransfer, wayToCounter } from './counter.ts';

export const fulfillmentOrderLifeCycle = defineLifeCycle({
  object: 'fulfillment-order',
  states: ['created', 'allocated', 'picking', 'packed', 'dispatched', 'delivered', 'failed-delivery', 'returned-to-sender', 'cancelled'],
  rows: [
    {
      verb: 'create',
      from: [null],
      to: 'created',
      events: ['fulfillment-order-created'],
      trigger: 'Route Order, Confirm Order, or Create Replacement',
    },
    { verb: 'allocate', from: ['created'], to: 'allocated', trigger: 'internal: Allocate Inventory with the reservation of its lines' },
    { verb: 'start-picking', from: ['allocated'], to: 'picking', trigger: 'Create Picking Order' },
    {
      verb: 'start-picking',
      from: ['picking', 'packed', 'dispatched', 'delivered', 'failed-delivery', 'returned-to-sender'],
      again: true,
      trigger: 'Create Picking Order, repeated',
    },
    {
      verb: 'pick',
      from: ['picking'],
      trigger: 'Update Picking Status: started, picked, or short with some units picked. A repeat changes nothing',
    },
    { verb: 'pick-nothing', from: ['picking'], to: 'cancelled', trigger: 'Update Picking Status: short with no units picked' },
    { verb: 'pack', from: ['picking'], to: 'packed', trigger: 'Update Picking Status: packed' },
    {
      verb: 'pack',
      from: ['packed', 'dispatched', 'delivered', 'failed-delivery', 'returned-to-sender'],
      again: true,
      trigger: 'Update Picking Status: packed, repeated',
    },
    {
      verb: 'dispatch',
      from: ['packed'],
      to: 'dispatched',
      trigger:
        'Dispatch Fulfillment Order, once the payments of its order are captured; the label of its parcel follows. Before or after the capture, a store puts the goods of a collection on its counter, and a warehouse sends them to the store',
    },
    {
      verb: 'dispatch',
      from: ['dispatched', 'delivered', 'failed-delivery', 'returned-to-sender'],
      again: true,
      trigger: 'Dispatch Fulfillment Order, repeated',
    },
    {
      verb: 'make-ready',
      from: ['dispatched'],
      events: ['ext.collection-ready'],
      trigger:
        'internal: the goods of a collection wait at the counter, with a code for the customer; webhook: the carrier has brought them to the store',
    },
    {
      verb: 'remind',
      from: ['dispatched'],
      events: ['ext.collection-reminder'],
      trigger: 'time: the goods of a collection have waited for half of the time',
    },
    { verb: 'extend', from: ['dispatched'], trigger: 'Extend Collection, once' },
    { verb: 'hand-over', from: ['dispatched'], to: 'delivered', trigger: 'Hand Over Collection, once its payments are captured' },
    { verb: 'hand-over', from: ['delivered'], again: true, trigger: 'Hand Over Collection, repeated' },
    {
      verb: 'give-up-collection',
      from: ['dispatched'],
      to: 'failed-delivery',
      events: ['ext.collection-expired'],
      trigger: 'time: the goods of a collection were not collected until their store closed on the last day',
    },
    {
      verb: 'note',
      from: ['dispatched', 'delivered', 'failed-delivery', 'returned-to-sender'],
      trigger:
        'its parcel gets a label or fails to get one; webhook: a scan that changes only the copy of the parcel; internal: goods that were lost on their way to a store are refunded or replaced',
    },
    {
      verb: 'fail-delivery',
      from: ['dispatched'],
      to: 'failed-delivery',
      trigger: 'webhook: third failed attempt, or lost; lost goods are refunded immediately, unless the retailer has time to replace them',
    },
    {
      verb: 'redeliver',
      from: ['failed-delivery'],
      to: 'dispatched',
      trigger: 'webhook: out for delivery again; after failed attempts or a loss, the goods of a collection arrive at the store',
    },
    { verb: 'deliver', from: ['dispatched', 'failed-delivery'], to: 'delivered', trigger: 'webhook: delivered, even after a loss' },
    {
      verb: 'return-to-sender',
      from: ['dispatched', 'failed-delivery'],
      to: 'returned-to-sender',
      trigger:
        'webhook: returned to sender, restocked and refunded; time: 7 d without a scan after a failed delivery of a parcel that is not lost, refunded immediately and restocked on arrival; a collection that was not collected, or whose order is cancelled: back to the shelf of the store, as goods that arrive there after their refund',
    },
    {
      verb: 'change',
      from: ['created', 'allocated', 'picking', 'packed'],
      trigger: 'Change Order: another address or person; before picking, fewer units or another shipping method',
    },
    {
      verb: 'cancel',
      from: ['created', 'allocated', 'picking', 'packed'],
      to: 'cancelled',
      trigger:
        'Cancel Order: all fulfillment orders of the order, or none; Change Order before picking: none of its units is left, or they come from another location',
    },
    { verb: 'cancel', from: ['cancelled'], again: true, trigger: 'Cancel Order, repeated' },
    {
      verb: 'repeat-scan',
      from: ['created', 'allocated', 'picking', 'packed', 'dispatched', 'delivered', 'failed-delivery', 'returned-to-sender', 'cancelled'],
      again: true,
      trigger: 'webhook: a repeated scan, or one older than the newest seen',
    },
  ],
});

const FulfillmentLine = z
  .object({
    orderLineId: Id,
    sku: Sku,
    qty: Quantity,
    pickedQty: z.int().min(0),
    shortQty: z.int().min(0).describe('Missing units. Where possible, other locations serve them. The rest is cancelled and refunded.'),
  })
  .meta({ id: 'FulfillmentLine' });

const CollectionStore = z
  .object({ name: z.string(), address: Address })
  .meta({ id: 'CollectionStore', description: 'The store where the goods of a collection wait.' });

/** A collection at the store. */
export const StoreCollection = Collection.extend({
  ...CollectionUntil.partial().shape,
  arrivedAt: Instant.optional().describe('When a carrier brought the goods to the store.'),
  readyAt: Instant.optional().describe('Since when the goods wait at the counter.'),
  code: z
    .string()
    .optional()
    .describe('Six digits that the customer shows, sent with ext.collection-ready. Do not show them to the staff of the store.'),
  qrUrl: z
    .string()
    .optional()
    .describe('The code as a QR code in a PNG image, for the message to the customer. The path at the gateway needs no credential.'),
  store: CollectionStore.optional().describe('Where the goods wait.'),
  extended: z.literal(true).optional().describe('Whether the last day was moved; it is moved once.'),
  remindedAt: Instant.optional(),
  refusedReturnId: Id.optional().describe(
    'The return of units that the customer refused at the counter. It is created when the order is completed.',
  ),
  handedOverTo: z.string().optional().describe('Who collected the goods without the code.'),
}).meta({ id: 'StoreCollection' });

/** The copy of a parcel at the FMS. The Carrier Platform owns the parcel. */
export const FulfillmentShipment = z
  .object({
    id: Id,
    trackingNumber: z.string().optional().describe('Present with the label, which follows the dispatch.'),
    state: Shipment.shape.state,
    labelStatus: LabelStatus,
  })
  .meta({ id: 'FulfillmentShipment' });

export const FulfillmentOrder = z
  .object({
    ...commonFields,
    state: z.enum(fulfillmentOrderLifeCycle.states),
    orderId: Id,
    locationId: Id.describe('The node that serves all its lines.'),
    lines: z.array(FulfillmentLine),
    pickingOrderId: Id.optional(),
    shipments: z.array(FulfillmentShipment),
    collection: StoreCollection.optional().describe(
      'Present if the customer collects the goods in a store. If the store is another location than the one of the fulfillment order, the goods are sent to it.',
    ),
    replacementId: Id.optional().describe('The replacement of the order that it serves. Its goods cost nothing more.'),
    failureReason: z
      .enum(['short', 'delivery-attempts', 'lost', 'not-collected', 'changed'])
      .optional()
      .describe(
        'short: no units could be picked. delivery-attempts: three attempts failed. lost: the carrier lost the parcel. not-collected: nobody collected the goods in time. changed: its order was changed before picking.',
      ),
  })
  .meta({ id: 'FulfillmentOrder' });

export const fulfillmentOrder = defineObject({
  type: 'fulfillment-order',
  idPrefix: 'ful',
  owner: 'fms',
  meaning: 'Fulfillment grouping derived from an order',
  schema: FulfillmentOrder,
  label: ['{locationId}: {lines.sku}'],
  columns: { order: '{orderId}', units: '{lines.qty}' },
  moreColumns: {
    location: '{locationId}',
    'collected at': '{collection.locationId}',
    person: '{collection.person}',
    until: '{collection.until}',
  },
  progress: { collection: COLLECTION_STATUSES },
  derivedColumns: ['to pay'],
  references: { 'shipments.id': 'shipment' },
  lifeCycle: fulfillmentOrderLifeCycle,
  changeDetail:
    'The first event with the state dispatched has no trackingNumber, because only a dispatched parcel gets a label. A later event has the number, and so has shipment-label-generated: use one of them to send the number to a customer.',
  changeSubscribers: [
    { application: 'oms', purpose: 'moves the order: picking, short lines, delivery, cancellation, failure, return' },
    { application: 'wms', purpose: 'queues allocated orders for picking, and removes cancelled ones' },
  ],
});
