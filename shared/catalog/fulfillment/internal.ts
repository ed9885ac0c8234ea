import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { dependencyProblems } from '../problems.ts';
import { Address, exactlyOne, Id, Quantity, ShippingMethod, Sku, withRules } from '../shapes.ts';
import { FulfillmentOrder, ParcelData, PickingStatus, Scan, Shipment } from './objects.ts';
import { ProgressionMode } from './reference-data.ts';
import { Disposition, Return, ReturnCondition, ReturnVerb } from './returns.ts';

export const createFulfillmentOrders = defineInternalCall({
  id: 'create-fulfillment-orders',
  name: 'Create Fulfillment Orders',
  summary:
    'One fulfillment order per node, once per order and attempt; the FMS allocates them afterwards. Refused once the fulfilment of the order was cancelled.',
  domain: 'fulfillment',
  type: 'command',
  application: 'fms',
  method: 'POST',
  path: '/internal/fulfillment-orders',
  request: z.strictObject({
    orderId: Id,
    attempt: z.int().min(1).max(9999).describe('1 when the order is routed; each re-routing of short lines is another one.'),
    shippingAddress: Address,
    shippingMethod: ShippingMethod,
    groups: z
      .array(
        z.strictObject({
          locationId: Id,
          reservationId: Id,
          lines: z
            .array(z.strictObject({ orderLineId: Id, sku: Sku, qty: Quantity }))
            .min(1)
            .max(200),
        }),
      )
      .min(1)
      .max(200),
  }),
  response: z.object({ items: z.array(FulfillmentOrder) }),
  emits: ['fulfillment-order-created'],
  problems: ['invalid_state_transition'],
  callers: ['oms'],
});

export const cancelFulfillment = defineInternalCall({
  id: 'cancel-fulfillment',
  name: 'Cancel Fulfillment',
  summary:
    'Cancels all fulfillment orders of an order, or none: refused with the one that is dispatched. From then on none is created for the order, also when there was none.',
  domain: 'fulfillment',
  type: 'action',
  application: 'fms',
  method: 'POST',
  path: '/internal/orders/{orderId}/cancel-fulfillment',
  response: z.object({
    cancelled: z.literal(true),
    items: z.array(FulfillmentOrder),
    writtenOff: z
      .boolean()
      .describe('Units that were not there have left the stock records. Until then nothing of their reservations may be given back.'),
  }),
  problems: ['invalid_state_transition'],
  callers: ['oms'],
});

export const listFulfillmentOrders = defineInternalCall({
  id: 'list-fulfillment-orders',
  name: 'List Fulfillment Orders',
  summary: 'All fulfillment orders of an order, in order of creation.',
  domain: 'fulfillment',
  type: 'query',
  application: 'fms',
  method: 'GET',
  path: '/internal/fulfillment-orders',
  query: z.strictObject({ orderId: Id }),
  response: z.object({ items: z.array(FulfillmentOrder) }),
  callers: ['oms'],
});

export const recordPicking = defineInternalCall({
  id: 'record-picking',
  name: 'Record Picking',
  summary:
    'How far the picking of a fulfillment order is; it moves accordingly. Once per picking order and status; refused for one that is cancelled. Status open begins the picking and answers the lines.',
  domain: 'fulfillment',
  type: 'action',
  application: 'fms',
  method: 'POST',
  path: '/internal/fulfillment-orders/{id}/picking',
  request: withRules(
    z.strictObject({
      pickingOrderId: Id,
      status: PickingStatus,
      lines: z
        .array(z.strictObject({ orderLineId: Id, pickedQty: z.int().min(0).max(9999) }))
        .min(1)
        .max(200)
        .optional()
        .describe('Absent for picked: all of it.'),
    }),
    [{ when: { member: 'status', is: ['short'] }, needs: 'lines', error: 'Say with status short what was picked of each line.' }],
  ),
  response: FulfillmentOrder,
  problems: ['not_found', 'invalid_state_transition'],
  callers: ['wms'],
});

export const putShipment = defineInternalCall({
  id: 'put-shipment',
  name: 'Put Shipment',
  summary: 'Registers a parcel, once.',
  domain: 'fulfillment',
  type: 'command',
  application: 'carrier-platform',
  method: 'PUT',
  path: '/internal/shipments/{id}',
  request: z.strictObject(ParcelData.omit({ id: true }).shape),
  response: Shipment,
  callers: ['fms'],
});

export const getShipmentData = defineInternalCall({
  id: 'get-shipment-data',
  name: 'Get Shipment Data',
  summary: 'What to register of a parcel that somebody wants a label for before it was registered.',
  domain: 'fulfillment',
  type: 'query',
  application: 'fms',
  method: 'GET',
  path: '/internal/shipments/{id}',
  response: ParcelData,
  problems: ['not_found'],
  callers: ['carrier-platform'],
});

export const scanShipment = defineInternalCall({
  id: 'scan-shipment',
  name: 'Scan Shipment',
  summary: 'The carrier scans a parcel. Sent by the simulation plane, which plays the outside world.',
  domain: 'fulfillment',
  type: 'action',
  application: 'carrier-platform',
  method: 'POST',
  path: '/internal/shipments/{id}/scans',
  request: z.strictObject({
    scan: Scan,
    location: z.string().min(1).max(120).optional(),
    message: z.string().min(1).max(200).optional(),
  }),
  response: Shipment,
  problems: ['not_found', 'invalid_state_transition'],
  callers: [],
});

const Rescheduled = z.object({
  rescheduled: z.int().min(0).describe('How many move at another time than before, or no longer by themselves.'),
});

export const applyCarrierProgression = defineInternalCall({
  id: 'apply-carrier-progression',
  name: 'Apply Carrier Progression',
  summary: 'How parcels move from now on; those on their way are rescheduled. Sent by the simulation plane.',
  domain: 'fulfillment',
  type: 'action',
  application: 'carrier-platform',
  method: 'POST',
  path: '/internal/progression',
  request: z.strictObject({ carrier: ProgressionMode }),
  response: Rescheduled,
  callers: [],
});

export const applyWarehouseProgression = defineInternalCall({
  id: 'apply-warehouse-progression',
  name: 'Apply Warehouse Progression',
  summary:
    'How fulfillment orders are picked from now on; those that wait or are being picked are rescheduled. Sent by the simulation plane.',
  domain: 'fulfillment',
  type: 'action',
  application: 'wms',
  method: 'POST',
  path: '/internal/progression',
  request: z.strictObject({ warehouse: ProgressionMode }),
  response: Rescheduled,
  callers: [],
});

export const listReturns = defineInternalCall({
  id: 'list-returns',
  name: 'List Returns',
  summary: 'Returns of an order, in order of creation, or of a customer, newest first and at most 20.',
  domain: 'fulfillment',
  type: 'query',
  application: 'fms',
  method: 'GET',
  path: '/internal/returns',
  query: exactlyOne(z.strictObject({ orderId: Id.optional(), customerId: Id.optional() }), ['orderId', 'customerId']),
  response: z.object({ items: z.array(Return) }),
  callers: ['oms', 'clienteling-app'],
});

export const getReturn = defineInternalCall({
  id: 'get-return',
  name: 'Get Return',
  summary: 'A return, for an order that is exchanged for it.',
  domain: 'fulfillment',
  type: 'query',
  application: 'fms',
  method: 'GET',
  path: '/internal/returns/{id}',
  response: Return,
  problems: ['not_found'],
  callers: ['oms'],
});

export const moveReturn = defineInternalCall({
  id: 'move-return',
  name: 'Move Return',
  summary: 'Policy, store or warehouse move a return. Sent by the simulation plane, which plays the outside world.',
  domain: 'fulfillment',
  type: 'action',
  application: 'fms',
  method: 'POST',
  path: '/internal/returns/{id}/moves',
  request: z.strictObject({
    verb: ReturnVerb,
    reason: z.string().min(1).max(200).optional().describe('reject: why.'),
    lines: z
      .array(z.strictObject({ orderLineId: Id, condition: ReturnCondition, disposition: Disposition.optional() }))
      .min(1)
      .max(200)
      .optional()
      .describe('inspect: what was found. Default: damaged when that is the reason of the return, else resellable.'),
  }),
  response: Return,
  problems: ['not_found', 'invalid_state_transition', 'insufficient_stock', ...dependencyProblems],
  callers: [],
});

export const applyReturnsProgression = defineInternalCall({
  id: 'apply-returns-progression',
  name: 'Apply Returns Progression',
  summary: 'How returns move from now on; open ones are rescheduled. Sent by the simulation plane.',
  domain: 'fulfillment',
  type: 'action',
  application: 'fms',
  method: 'POST',
  path: '/internal/progression',
  request: z.strictObject({ returns: ProgressionMode }),
  response: Rescheduled,
  callers: [],
});
