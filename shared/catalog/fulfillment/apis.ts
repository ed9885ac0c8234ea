import { z } from 'zod';
import { REHEARSAL_NAME, REHEARSAL_NAME_RULE } from '../../domain/ids.ts';
import { defineApi } from '../define.ts';
import { dependencyProblems } from '../problems.ts';
import { AnyInstant, atLeastOne, createMembers, Id, NAME, pageOf, Quantity, queryInteger, Sku, typedText, withRules } from '../shapes.ts';
import { listCollections } from './collections.ts';
import { FulfillmentOrder } from './fulfillment-orders.ts';
import { PickingOrder, PickingTask } from './picking-orders.ts';
import { DropOff, Resolution, Return } from './returns.ts';
import { Carrier, CarrierService, Shipment, TrackingNumber, TrackingStatus } from './shipments.ts';

export const getFulfillmentOrder = defineApi({
  id: 'get-fulfillment-order-api',
  summary: 'Returns a fulfillment order with its lines and parcels.',
  application: 'fms',
  path: '/fulfillment/orders/{id}',
  response: FulfillmentOrder,
  problems: ['not_found'],
});

export const dispatchFulfillmentOrder = defineApi({
  id: 'dispatch-fulfillment-order-api',
  summary:
    'Hands a packed fulfillment order to the carrier: captures its price, consumes its stock, and generates the label of its parcel. A store puts the goods of a collection on its counter instead: they stay in its stock until they are handed over. A warehouse sends them to the store, without a capture.',
  type: 'action',
  application: 'fms',
  method: 'POST',
  path: '/fulfillment/orders/{id}/dispatch',
  request: z.strictObject({
    carrier: Carrier.optional(),
    service: CarrierService.optional().describe('Default: the shipping method of the order.'),
  }),
  response: FulfillmentOrder,
  emits: ['shipment-label-generated', 'ext.collection-ready'],
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', 'payment_incomplete', ...dependencyProblems],
  shapes: 'our choice',
});

const Collector = z
  .strictObject({
    code: z
      .string()
      .trim()
      .max(71)
      .regex(
        new RegExp(`^(?:${NAME.source.slice(1, -1)} )?\\d{6}$`),
        'This must be the six digits that the customer got with ext.collection-ready, or the text of its QR code.',
      )
      .optional()
      .describe('Six digits, or the text of the QR code: the id of the fulfillment order, a blank, and the six digits.'),
    orderId: Id.optional().describe('Without a code: the order of the person, who shows a document with the name.'),
    person: typedText(120).optional().describe('Without a code: the person that the checkout named.'),
    lines: z
      .array(z.strictObject({ orderLineId: Id, qty: Quantity }))
      .min(
        1,
        'Name at least one unit that the customer takes. If the customer takes nothing, Cancel Order puts the goods back and refunds them.',
      )
      .max(200)
      .optional()
      .describe('The units that the customer takes; all others are refused. Default: all units that are not in refused.'),
    refused: z
      .array(z.strictObject({ orderLineId: Id, qty: Quantity, reason: typedText(200) }))
      .min(1)
      .max(200)
      .optional()
      .describe(
        'Units that the customer refuses at the counter. They become a return that the store has received. With lines, both have to add up to the units at the counter.',
      ),
  })
  .describe('Give the code, or orderId and person.');

export const handOverCollection = defineApi({
  id: 'hand-over-collection-api',
  name: 'Hand Over Collection',
  summary:
    'Hands the goods of a collection over at the counter of their store, to a customer with the code or to the person that the checkout named. Its payments are captured first. After five wrong codes, nothing is handed over for a day. A repeat returns the same result.',
  type: 'action',
  application: 'fms',
  method: 'POST',
  path: '/fulfillment/orders/{id}/hand-over',
  request: Collector.refine(
    ({ code, orderId, person }) =>
      code === undefined ? orderId !== undefined && person !== undefined : orderId === undefined && person === undefined,
    { error: 'Give the code, or orderId and person.', params: { code: 'one_collector' } },
  ),
  response: FulfillmentOrder,
  emits: ['return-requested', 'return-created'],
  problems: ['not_found', 'wrong_code', 'conflicting_repeat', 'invalid_state_transition', 'payment_incomplete', ...dependencyProblems],
  addition: true,
});

export const extendCollection = defineApi({
  id: 'extend-collection-api',
  name: 'Extend Collection',
  summary:
    'Moves the last day of a collection that waits at the counter, once, by the days that the retailer gives. A repeat changes nothing.',
  type: 'action',
  application: 'fms',
  method: 'POST',
  path: '/fulfillment/orders/{id}/extend',
  response: FulfillmentOrder,
  problems: ['not_found', 'invalid_state_transition'],
  addition: true,
});

export const listPickingOrders = defineApi({
  id: 'list-picking-orders-api',
  name: 'List Picking Orders',
  summary:
    'Lists the work of a warehouse or a store, oldest first: fulfillment orders that wait for a picking order, that are being picked, or that are packed and not dispatched.',
  application: 'wms',
  path: '/picking-orders',
  query: z.strictObject({
    locationId: Id.optional().describe('Restricts the list to this location.'),
    status: PickingTask.shape.status.optional(),
    limit: queryInteger(1, 100).default(20).describe('Entries per page. Default: 20.'),
    cursor: z.string().min(1).max(200).optional().describe('The nextCursor of the previous page.'),
  }),
  response: pageOf(PickingTask),
  addition: true,
});

export const createPickingOrder = defineApi({
  id: 'create-picking-order-api',
  summary: 'Starts to pick an allocated fulfillment order. Each has one picking order.',
  type: 'command',
  application: 'wms',
  method: 'POST',
  path: '/picking-orders',
  request: z.strictObject({ fulfillmentOrderId: Id }),
  response: PickingOrder,
  status: 201,
  problems: ['not_found', 'invalid_state_transition', ...dependencyProblems],
  shapes: 'our choice',
});

const PickedLine = z.strictObject({ orderLineId: Id, sku: Sku.optional(), pickedQty: z.int().min(0).max(9999) }).meta({ id: 'PickedLine' });

export const updatePickingStatus = defineApi({
  id: 'update-picking-status-api',
  summary:
    'Reports the progress of picking. Short units are written off and, where possible, served from other locations. The rest is cancelled and refunded.',
  type: 'action',
  application: 'wms',
  method: 'PUT',
  path: '/picking-orders/{id}/status',
  request: withRules(
    z.strictObject({
      status: z.enum(['started', 'picked', 'short', 'packed']),
      lines: z
        .array(PickedLine)
        .min(1)
        .max(200)
        .optional()
        .describe(
          'Picked units per line. An omitted line was picked in full. With status short, the lines that were picked short are required.',
        ),
    }),
    [
      {
        when: { member: 'status', is: ['short'] },
        needs: 'lines',
        error: 'With status short, name the lines that were picked short; an omitted line was picked in full.',
      },
    ],
  ),
  response: PickingOrder,
  // With short: replacements from other locations.
  emits: ['inventory-reserved', 'reservation-created', 'fulfillment-order-created'],
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', ...dependencyProblems],
  shapes: 'our choice',
});

export const generateLabel = defineApi({
  id: 'generate-label-api',
  name: 'Generate Shipping Label',
  summary:
    'Generates the label of a dispatched parcel, with its tracking number. If the dispatch has already generated the label, returns it.',
  type: 'command',
  application: 'carrier-platform',
  auth: 'api-key',
  method: 'POST',
  path: '/shipments/{id}/label',
  request: z.strictObject({ carrier: Carrier.optional(), service: CarrierService.optional(), format: z.literal('PDF').optional() }),
  response: Shipment,
  status: 201,
  emits: ['shipment-label-generated'],
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', ...dependencyProblems],
});

export const trackShipment = defineApi({
  id: 'track-shipment-api',
  summary:
    'Returns the state of a parcel, its estimated delivery, and all its scans, from the label on. A dispatched parcel without a label is refused with 409.',
  application: 'carrier-platform',
  auth: 'api-key',
  path: '/shipments/{id}/tracking',
  response: Shipment,
  problems: ['not_found', 'invalid_state_transition'],
});

export const createReturn = defineApi({
  id: 'create-return-api',
  summary: 'Registers a return of units of a completed order. They are refunded or exchanged after inspection.',
  type: 'command',
  application: 'fms',
  method: 'POST',
  path: '/returns',
  request: z.strictObject({
    orderId: Id,
    lines: z
      .array(z.strictObject({ orderLineId: Id, qty: Quantity, reason: typedText(200) }))
      .min(1)
      .max(200),
    dropOff: DropOff.optional().describe(
      'Default: store if locationId names a store or the order has no address. Otherwise carrier: the goods are collected at the address of the order.',
    ),
    locationId: Id.optional().describe(
      'Destination of the return. With drop-off at a store, the default is the store that sold the order; for an online order it is required. By carrier, the default is the node that served the first line.',
    ),
    resolution: Resolution.default('refund'),
    replacementId: Id.optional().describe(
      'A replacement of the order: the damaged or wrong goods come back that it was sent for. They are worth nothing, because the customer keeps the goods in their place.',
    ),
    ...createMembers,
  }),
  response: Return,
  status: 201,
  emits: ['return-requested', 'return-created'],
  problems: ['not_found', 'order_not_closed', 'return_quantity_exceeded', 'conflicting_repeat', 'limit_reached', ...dependencyProblems],
});

/** Sent by a carrier after a scan of a parcel. A carrier may send members that the estate does not have. */
export const TrackingUpdate = z
  .object({
    type: z.literal('shipment.tracking.updated').describe('Webhooks of other types are accepted, and change nothing.'),
    timestamp: AnyInstant,
    data: atLeastOne(
      z.object({
        shipmentId: Id.optional(),
        trackingNumber: TrackingNumber.optional(),
        status: TrackingStatus,
        statusCode: z.string().min(1).max(64).optional(),
        occurredAt: AnyInstant,
        location: z.string().max(120).optional(),
        message: z.string().max(200).optional(),
        estimatedDelivery: z.object({ from: AnyInstant, to: AnyInstant }).optional(),
      }),
      ['shipmentId', 'trackingNumber'],
    ),
  })
  .meta({ id: 'TrackingUpdate' });

export const carrierWebhook = defineApi({
  id: 'carrier-webhook',
  summary:
    'A carrier reports a scan of a parcel. Requests are signed with the webhook secret of the rehearsal, as Standard Webhooks define it. The carrier’s clock orders its scans: a repeated or older scan is accepted and moves nothing. After a loss, only a delivery moves the parcel. Unknown members are ignored; a webhook of an unknown type changes nothing. The journal gives the reason in the member unchanged of the hop, and the unknown members in ignored.',
  type: 'command',
  application: 'fms',
  auth: 'signature',
  method: 'POST',
  path: '/webhooks/carrier',
  query: z.strictObject({
    rehearsal: z
      .string()
      .regex(REHEARSAL_NAME, REHEARSAL_NAME_RULE)
      .optional()
      .describe('For carriers that cannot send custom headers. Default: the header X-Rehearsal, else default.'),
  }),
  request: TrackingUpdate,
  response: z.null(),
  status: 204,
  emits: ['ext.collection-ready'],
  problems: ['not_found'],
  addition: true,
});

export const labelDocument = defineApi({
  id: 'label-document',
  summary: 'Returns the label of a parcel as a document. label.url has its unguessable path.',
  application: 'carrier-platform',
  auth: 'none',
  path: '/labels/{rehearsal}/{file}',
  response: z.base64(),
  problems: ['not_found'],
  addition: true,
  produces: 'application/pdf',
  fileName: 'shipping-label.pdf',
});

export const collectionCode = defineApi({
  id: 'collection-code',
  summary:
    'Returns the QR code that a customer shows at the counter, with the id of the fulfillment order, a blank, and the six digits. collection.qrUrl has its unguessable path.',
  application: 'fms',
  auth: 'none',
  path: '/collection-codes/{rehearsal}/{file}',
  response: z.base64(),
  problems: ['not_found'],
  addition: true,
  produces: 'image/png',
  fileName: 'collection-code.png',
});

export const fulfillmentApis = [
  getFulfillmentOrder,
  trackShipment,
  dispatchFulfillmentOrder,
  listCollections,
  handOverCollection,
  extendCollection,
  createReturn,
  listPickingOrders,
  createPickingOrder,
  generateLabel,
  updatePickingStatus,
  carrierWebhook,
  labelDocument,
  collectionCode,
] as const;
