import { z } from 'zod';
import { defineObject } from '../define-object.ts';
import { defineLifeCycle } from '../life-cycle.ts';
import { KEPT_SCANS } from '../limits.ts';
import { Address, commonFields, Id, Instant } from '../shapes.ts';

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
    { verb: 'label', from: ['pending'], to: 'label-created', events: ['shipment-label-generated'], trigger: 'Generate Shipping Label' },
    {
      verb: 'label',
      from: ['label-created', 'collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'held-at-depot', 'delivered'],
      again: true,
      trigger: 'Generate Shipping Label, repeated',
    },
    { verb: 'collect', from: ['label-created'], to: 'collected', trigger: 'scan: handed to the carrier' },
    {
      verb: 'make-ready',
      from: ['label-created', 'collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'lost'],
      to: 'held-at-depot',
      trigger:
        'internal: Dispatch Fulfillment Order puts the goods of a collection on the counter of their store; scan deliver or find: a carrier has brought them there',
    },
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
      trigger: 'scan: delivered, or picked up; internal: Hand Over Collection',
    },
    { verb: 'attempt', from: ['out-for-delivery'], to: 'delivery-attempted', trigger: 'scan: delivery attempt failed' },
    {
      verb: 'return',
      from: ['collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'held-at-depot'],
      to: 'returned-to-sender',
      trigger: 'scan: back at the sender; internal: the goods of a collection go back to the shelf',
    },
    {
      verb: 'lose',
      from: ['label-created', 'collected', 'in-transit', 'out-for-delivery', 'delivery-attempted', 'held-at-depot'],
      to: 'lost',
      trigger: 'scan: lost; time: 14 d without a scan, even if it was never collected',
    },
    {
      verb: 'find',
      from: ['lost'],
      to: 'delivered',
      trigger: 'scan: found and delivered; not for a return that the customer never handed over',
    },
  ],
});

/** Scans of a parcel: the verbs of its life cycle that come from the outside world. */
export const Scan = z
  .enum(['collect', 'depart', 'out-for-delivery', 'hold', 'deliver', 'attempt', 'return', 'lose', 'find'])
  .meta({ id: 'Scan' });

/** A service of the carrier. The last three are for rehearsals: lost, returned to sender, returned after three failed attempts. */
export const CarrierService = z.enum(['STANDARD', 'EXPRESS', 'LOST', 'RTS', 'ATTEMPT3']).meta({ id: 'CarrierService' });

export const Carrier = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,40}$/, 'This must have 1 to 40 letters, digits, dots, hyphens and underscores.')
  .meta({ id: 'Carrier', description: 'Name of the carrier.', example: 'demo-carrier' });

/** A shipment that a customer collects in a store. Parcels have no kind. */
export const ShipmentKind = z
  .enum(['collection'])
  .meta({ id: 'ShipmentKind', description: 'collection: the customer collects the goods in a store.' });

/**
 * Whether a carrier reports that the goods of a collection are in their store: delivered to its address, or available for pickup.
 * A stop on the way is `in-transit`.
 */
export const isArrival = (status: string): boolean => status === 'held-at-depot' || status === 'delivered';

/** The states of the goods of a collection: at the counter, handed over, or back on the shelf. */
export const CounterState = z.enum(['held-at-depot', 'delivered', 'returned-to-sender']);
export type CounterState = z.output<typeof CounterState>;

/** The carrier of the goods of a collection: the store. */
export const STORE_COUNTER = 'store-counter';

/** The carrier of a parcel when no request names one. */
export const DEFAULT_CARRIER = 'demo-carrier';

export const TrackingNumber = z
  .string()
  .regex(/^[!-~](?:[ -~]{0,62}[!-~])?$/, 'This must have 1 to 64 visible ASCII characters, without blanks at its ends.')
  .meta({ id: 'TrackingNumber', example: 'UC44759596029134' });

export const LabelStatus = z.enum(['none', 'ready', 'failed']).meta({ id: 'LabelStatus' });

/** States that a scan or a label reports. */
export const TrackingStatus = z.enum(shipmentLifeCycle.states).exclude(['pending']).meta({ id: 'TrackingStatus' });

/** `webhook-id` of a scan that the Carrier Platform reports: the parcel, and the place of the scan in its history. */
export const scanWebhookId = (shipmentId: string, place: number): string => `${shipmentId}.${place}`;

/** Whether the Carrier Platform reported a scan. Other carriers have their own clocks and webhook ids. */
export const isOfCarrierPlatform = (webhookId: string | undefined, shipmentId: string): boolean =>
  webhookId?.startsWith(`${shipmentId}.`) === true && /^\d+$/.test(webhookId.slice(shipmentId.length + 1));

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

const DeliveryWindow = z.strictObject({ from: Instant, to: Instant }).meta({ id: 'DeliveryWindow' });

const TrackingEvent = z
  .object({
    status: TrackingStatus,
    statusCode: z.string().describe('Status code of the carrier.'),
    occurredAt: Instant,
    location: z.string().optional(),
    message: z.string().optional(),
  })
  .meta({ id: 'TrackingEvent' });

/** What the staff of a store reads on the label of goods that wait for their customer. */
export const ShelfLabel = z
  .object({
    orderNumber: z.string().max(64),
    person: z.string().max(120).optional().describe('Who may collect the goods without the code.'),
    units: z.int().min(0),
    lastDay: z.iso.date(),
    store: z.string().max(200),
  })
  .meta({ id: 'ShelfLabel' });

/** Data that registers a parcel with the carrier. */
export const ParcelData = z
  .object({
    id: Id,
    fulfillmentOrderId: Id.optional(),
    returnId: Id.optional().describe('Set for a parcel that comes back.'),
    kind: ShipmentKind.optional(),
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
    kind: ShipmentKind.optional(),
    carrier: Carrier,
    service: CarrierService,
    trackingNumber: TrackingNumber.optional().describe('Set with the label.'),
    label: z
      .object({
        format: z.literal('PDF'),
        url: z
          .string()
          .max(2_000)
          .regex(/^(?:https?:\/\/[^/\s]|\/[^/\s])\S*$/, 'This must be an http or https URL, or a path of the gateway.')
          .describe('Unguessable path at the gateway. It needs no credential. A real carrier may give a URL.'),
      })
      .optional(),
    labelStatus: LabelStatus,
    estimatedDelivery: DeliveryWindow.optional().describe('Set with the label.'),
    events: z.array(TrackingEvent).describe(`The newest ${KEPT_SCANS} scans in order of arrival, oldest first.`),
  })
  .meta({ id: 'Shipment' });

export const shipment = defineObject({
  type: 'shipment',
  idPrefix: 'shp',
  owner: 'carrier-platform',
  meaning: 'Movement or collection unit for delivery or pickup',
  schema: Shipment,
  label: ['{trackingNumber}'],
  columns: { 'fulfillment order': '{fulfillmentOrderId}', return: '{returnId}' },
  moreColumns: { carrier: '{carrier}', service: '{service}', label: '{labelStatus}' },
  lifeCycle: shipmentLifeCycle,
});
