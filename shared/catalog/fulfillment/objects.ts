import { z } from 'zod';
import { defineObject } from '../define-object.ts';
import { defineLifeCycle } from '../life-cycle.ts';
import { Address, commonFields, Id, Instant, Quantity, Sku } from '../shapes.ts';

export const shipmentLifeCycle = defineLifeCycle({
  object: 'shipment',
  states: [
    'pending',
    'label-created',
    'collected',
    'in-transit',
    'out-for-delivery',
    'delivery-attempted',
    'held-at-depot',
    'delivered',
    'returned-to-sender',
    'lost',
  ],
  rows: [
    {
      verb: 'register',
      from: [null],
      to: 'pending',
      trigger: 'the FMS registers a parcel: Dispatch Fulfillment Order, or a return by parcel',
    },
    {
      verb: 'register',
      from: [
        'pending',
        'label-created',
        'collected',
        'in-transit',
        'out-for-delivery',
        'delivery-attempted',
        'held-at-depot',
        'delivered',
        'returned-to-sender',
        'lost',
      ],
      again: true,
      trigger: 'the FMS registers the same parcel again',
    },
    {
      verb: 'label',
      from: ['pending'],
      to: 'label-created',
      events: ['shipment-label-generated'],
      trigger: 'Generate Shipping Label',
    },
    {
      verb: 'label',
      from: ['label-created', 'collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'held-at-depot', 'delivered'],
      again: true,
      trigger: 'Generate Shipping Label, repeated',
    },
    { verb: 'collect', from: ['label-created'], to: 'collected', trigger: 'scan: handed to the carrier' },
    { verb: 'depart', from: ['collected'], to: 'in-transit', trigger: 'scan: departed from the depot' },
    {
      verb: 'out-for-delivery',
      from: ['in-transit', 'delivery-attempted', 'held-at-depot'],
      to: 'out-for-delivery',
      trigger: 'scan: on the van',
    },
    { verb: 'hold', from: ['in-transit', 'delivery-attempted'], to: 'held-at-depot', trigger: 'scan: held for pickup' },
    {
      verb: 'deliver',
      from: ['out-for-delivery', 'delivery-attempted', 'held-at-depot'],
      to: 'delivered',
      trigger: 'scan: delivered, or picked up',
    },
    { verb: 'attempt', from: ['out-for-delivery'], to: 'delivery-attempted', trigger: 'scan: delivery attempt failed' },
    {
      verb: 'return',
      from: ['collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'held-at-depot'],
      to: 'returned-to-sender',
      trigger: 'scan: back at the sender',
    },
    {
      verb: 'lose',
      from: ['collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'held-at-depot'],
      to: 'lost',
      trigger: 'scan: lost; time: 14 d without a scan',
    },
    { verb: 'find', from: ['lost'], to: 'delivered', trigger: 'scan: found and delivered' },
  ],
});

/** Scans of a parcel: the verbs of its life cycle that come from the outside world. */
export const Scan = z
  .enum(['collect', 'depart', 'out-for-delivery', 'hold', 'deliver', 'attempt', 'return', 'lose', 'find'])
  .meta({ id: 'Scan' });

/** A service of the carrier. The last three are for rehearsals: the parcel is lost, is returned to sender, or has three failed attempts. */
export const CarrierService = z.enum(['STANDARD', 'EXPRESS', 'LOST', 'RTS', 'ATTEMPT3']).meta({ id: 'CarrierService' });

export const Carrier = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,40}$/)
  .meta({ id: 'Carrier', description: 'Name of the carrier.', example: 'demo-carrier' });

/** The carrier of parcels for which no request names one. */
export const DEFAULT_CARRIER = 'demo-carrier';

export const LabelStatus = z.enum(['none', 'ready', 'failed']).meta({ id: 'LabelStatus' });

/** States that a scan or a label reports. */
export const TrackingStatus = z.enum(shipmentLifeCycle.states).exclude(['pending']).meta({ id: 'TrackingStatus' });

/** Status codes of carrier interfaces per state, with EasyPost's names. */
export const trackingStatusCodes = {
  'label-created': 'pre_transit',
  collected: 'in_transit',
  'in-transit': 'in_transit',
  'out-for-delivery': 'out_for_delivery',
  'delivery-attempted': 'failure',
  'held-at-depot': 'available_for_pickup',
  delivered: 'delivered',
  'returned-to-sender': 'return_to_sender',
  lost: 'failure',
} as const satisfies Record<z.output<typeof TrackingStatus>, string>;

export const DeliveryWindow = z.strictObject({ from: Instant, to: Instant }).meta({ id: 'DeliveryWindow' });

export const TrackingEvent = z
  .object({
    status: TrackingStatus,
    statusCode: z.string().describe('Status code of the carrier.'),
    occurredAt: Instant,
    location: z.string().optional(),
    message: z.string().optional(),
  })
  .meta({ id: 'TrackingEvent' });

/** Data that registers a parcel with the carrier. */
export const ParcelData = z
  .object({
    id: Id,
    fulfillmentOrderId: Id.optional(),
    returnId: Id.optional().describe('Set for a parcel that comes back.'),
    carrier: Carrier,
    service: CarrierService,
    from: Address,
    to: Address,
  })
  .meta({ id: 'ParcelData' });

export const Shipment = z
  .object({
    ...commonFields,
    state: z.enum(shipmentLifeCycle.states),
    fulfillmentOrderId: Id.optional(),
    returnId: Id.optional().describe('Set for a parcel that comes back.'),
    carrier: Carrier,
    service: CarrierService,
    trackingNumber: z.string().optional().describe('Set with the label.'),
    label: z
      .object({
        format: z.literal('PDF'),
        url: z.string().describe('Path at the gateway. It needs no credential, and cannot be guessed.'),
      })
      .optional(),
    labelStatus: LabelStatus,
    estimatedDelivery: DeliveryWindow.optional().describe('Set with the label.'),
    events: z.array(TrackingEvent).describe('Scans in order of arrival, oldest first.'),
  })
  .meta({ id: 'Shipment' });

export const shipment = defineObject({
  type: 'shipment',
  domain: 'fulfillment',
  owner: 'carrier-platform',
  meaning: 'Movement or collection unit for delivery or pickup',
  schema: Shipment,
  lifeCycle: shipmentLifeCycle,
});

export const fulfillmentOrderLifeCycle = defineLifeCycle({
  object: 'fulfillment-order',
  states: ['created', 'allocated', 'picking', 'packed', 'dispatched', 'delivered', 'failed-delivery', 'returned-to-sender', 'cancelled'],
  rows: [
    { verb: 'create', from: [null], to: 'created', events: ['fulfillment-order-created'], trigger: 'Route Order, or Confirm Order' },
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
    { verb: 'dispatch', from: ['packed'], to: 'dispatched', trigger: 'Dispatch Fulfillment Order; its price is captured' },
    {
      verb: 'dispatch',
      from: ['dispatched', 'delivered', 'failed-delivery', 'returned-to-sender'],
      again: true,
      trigger: 'Dispatch Fulfillment Order, repeated',
    },
    {
      verb: 'note',
      from: ['dispatched', 'failed-delivery', 'returned-to-sender'],
      trigger: 'its parcel gets a label or fails to get one; webhook: a scan that changes only the copy of the parcel',
    },
    {
      verb: 'fail-delivery',
      from: ['dispatched'],
      to: 'failed-delivery',
      trigger: 'webhook: third failed attempt, or lost; lost goods are refunded at once',
    },
    { verb: 'redeliver', from: ['failed-delivery'], to: 'dispatched', trigger: 'webhook: out for delivery again' },
    {
      verb: 'deliver',
      from: ['dispatched', 'failed-delivery'],
      to: 'delivered',
      trigger: 'webhook: delivered, also if a lost parcel is found',
    },
    {
      verb: 'return-to-sender',
      from: ['dispatched', 'failed-delivery'],
      to: 'returned-to-sender',
      trigger:
        'webhook: returned to sender, restocked and refunded; time: 7 d without a scan after a failed delivery of a parcel that is not lost, refunded now and restocked when it is back',
    },
    {
      verb: 'cancel',
      from: ['created', 'allocated', 'picking', 'packed'],
      to: 'cancelled',
      trigger: 'Cancel Order: all fulfilment orders of the order, or none',
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

export const FulfillmentLine = z
  .object({
    orderLineId: Id,
    sku: Sku,
    qty: Quantity,
    pickedQty: z.int().min(0),
    shortQty: z.int().min(0).describe('Missing units. They are served from another location, or cancelled.'),
  })
  .meta({ id: 'FulfillmentLine' });

/** The copy of a parcel at the FMS. The Carrier Platform owns the parcel. */
export const FulfillmentShipment = z
  .object({ id: Id, trackingNumber: z.string().optional(), state: Shipment.shape.state, labelStatus: LabelStatus })
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
    failureReason: z
      .enum(['short', 'delivery-attempts', 'lost'])
      .optional()
      .describe('short: no units could be picked. delivery-attempts: three attempts failed. lost: the carrier lost the parcel.'),
  })
  .meta({ id: 'FulfillmentOrder' });

export const fulfillmentOrder = defineObject({
  type: 'fulfillment-order',
  domain: 'fulfillment',
  owner: 'fms',
  meaning: 'Fulfillment grouping derived from an order',
  schema: FulfillmentOrder,
  lifeCycle: fulfillmentOrderLifeCycle,
  changeSubscribers: [
    {
      application: 'oms',
      mode: 'each',
      purpose: 'moves the order: picking, short lines, delivery, cancellation, failure, return',
    },
    { application: 'wms', mode: 'each', purpose: 'queues allocated orders for picking, and removes cancelled ones' },
  ],
});

export const PickingStatus = z.enum(['open', 'started', 'picked', 'short', 'packed']).meta({ id: 'PickingStatus' });

/** Moves of a picking order. A repeated status changes nothing. */
export const pickingMoves = {
  open: ['started'],
  started: ['picked', 'short'],
  picked: ['packed'],
  short: ['packed'],
  packed: [],
} as const satisfies Record<z.output<typeof PickingStatus>, readonly z.output<typeof PickingStatus>[]>;

/** The picking of a fulfilment order at the warehouse, one per fulfilment order. It is not a business object: the fulfilment order moves. */
export const PickingOrder = z
  .object({
    ...commonFields,
    fulfillmentOrderId: Id,
    status: PickingStatus,
    lines: z.array(z.object({ orderLineId: Id, sku: Sku, qty: Quantity, pickedQty: z.int().min(0) })),
  })
  .meta({ id: 'PickingOrder' });
