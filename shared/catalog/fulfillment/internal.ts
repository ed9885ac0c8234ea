import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { Collection, PaidAtCollection } from '../inventory/collection.ts';
import { dependencyProblems } from '../problems.ts';
import { Address, exactlyOne, Id, Quantity, ShippingMethod, Sku, typedText, withRules } from '../shapes.ts';
import { FulfillmentOrder } from './fulfillment-orders.ts';
import { PickingStatus } from './picking-orders.ts';
import { ProgressionMode } from './reference-data.ts';
import { Disposition, Return, ReturnCondition, ReturnVerb } from './returns.ts';
import { CounterState, ParcelData, Scan, ShelfLabel, Shipment, TrackingStatus } from './shipments.ts';

export const createFulfillmentOrders = defineInternalCall({
  id: 'create-fulfillment-orders',
  summary:
    'Creates one fulfillment order per node, once per order and attempt. The FMS allocates them afterwards. Refused once the fulfilment of the order is cancelled.',
  type: 'command',
  application: 'fms',
  method: 'POST',
  path: '/internal/fulfillment-orders',
  request: z.strictObject({
    orderId: Id,
    attempt: z
      .int()
      .min(1)
      .max(9999)
      .describe('1 for the first routing. Each re-routing of short lines, and each replacement, is a further attempt.'),
    replacementId: Id.optional().describe('The replacement of the order that the fulfillment orders serve.'),
    free: z.literal(true).optional().describe('The goods replace delivered ones, which are paid: they leave whatever is refunded.'),
    shippingAddress: Address.optional(),
    shippingMethod: ShippingMethod,
    collection: Collection.extend({ orderNumber: z.string().max(64), customerId: Id.optional(), payAt: PaidAtCollection })
      .optional()
      .describe('In place of an address: the customer collects the goods in a store, which finds them by orderNumber or customerId.'),
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
  summary:
    'Cancels all fulfillment orders of an order. Refused if one is dispatched. Afterwards no fulfillment order can be created for the order.',
  type: 'action',
  application: 'fms',
  method: 'POST',
  path: '/internal/orders/{orderId}/cancel-fulfillment',
  response: z.object({
    cancelled: z.literal(true),
    items: z.array(FulfillmentOrder),
    writtenOff: z.boolean().describe('Whether missing units have been written off. Until then their reservations must not be released.'),
  }),
  problems: ['invalid_state_transition'],
  callers: ['oms'],
});

export const changeFulfillment = defineInternalCall({
  id: 'change-fulfillment',
  summary:
    'Changes the fulfillment orders of an order, all or none. Another address or person: until one is dispatched. Fewer units, another shipping method or another place: until one is picked. A repeat changes nothing.',
  type: 'action',
  application: 'fms',
  method: 'POST',
  path: '/internal/orders/{orderId}/change-fulfillment',
  request: z.strictObject({
    shippingAddress: Address.optional(),
    shippingMethod: ShippingMethod.optional(),
    collector: z
      .strictObject({ person: z.string().max(120).optional() })
      .optional()
      .describe('Who may collect the goods without the code. Without person: only the code works.'),
    lines: z
      .array(z.strictObject({ orderLineId: Id, qty: z.int().min(0).max(9999) }))
      .min(1)
      .max(200)
      .optional()
      .describe('The units that lines have afterwards.'),
    withdraw: z
      .strictObject({ attempts: z.int().min(1).max(9999) })
      .optional()
      .describe(
        'Cancels the fulfillment orders of so many attempts, because another location serves them. Later requests of these attempts create none.',
      ),
  }),
  response: z.object({ items: z.array(FulfillmentOrder) }),
  problems: ['invalid_state_transition'],
  callers: ['oms'],
  addition: true,
});

export const giveUpLostGoods = defineInternalCall({
  id: 'give-up-lost-goods',
  summary:
    'Gives up goods that the carrier lost on their way to a store: they are refunded or replaced, and go to the shelf of the store if they are found. Refused if they were found. A repeat changes nothing.',
  type: 'action',
  application: 'fms',
  method: 'POST',
  path: '/internal/fulfillment-orders/{id}/give-up-lost-goods',
  response: FulfillmentOrder,
  problems: ['not_found', 'invalid_state_transition'],
  callers: ['oms'],
  addition: true,
});

export const listFulfillmentOrders = defineInternalCall({
  id: 'list-fulfillment-orders',
  summary: 'Returns all fulfillment orders of an order, in order of creation.',
  application: 'fms',
  path: '/internal/fulfillment-orders',
  query: z.strictObject({ orderId: Id }),
  response: z.object({ items: z.array(FulfillmentOrder) }),
  callers: ['oms'],
});

export const recordPicking = defineInternalCall({
  id: 'record-picking',
  summary:
    'Records the progress of picking and moves the fulfillment order. Once per picking order and status; refused for a cancelled fulfillment order. Status open starts the picking and returns the lines.',
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
        .describe('Default for picked: all units.'),
    }),
    [{ when: { member: 'status', is: ['short'] }, needs: 'lines', error: 'With status short, name the picked units of each line.' }],
  ),
  response: FulfillmentOrder,
  problems: ['not_found', 'invalid_state_transition'],
  callers: ['wms'],
});

export const putShipment = defineInternalCall({
  id: 'put-shipment',
  summary: 'Registers a parcel, once.',
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
  summary: 'Returns the data of a parcel for its registration, when a client generates its label before it is registered.',
  application: 'fms',
  path: '/internal/shipments/{id}',
  response: ParcelData,
  problems: ['not_found'],
  callers: ['carrier-platform'],
});

export const putCollectionUnit = defineInternalCall({
  id: 'put-collection-unit',
  summary:
    'Registers the goods of a collection with their shelf label, and moves them to a state: at the counter, handed over, or back on the shelf. A repeat changes nothing.',
  type: 'command',
  application: 'carrier-platform',
  method: 'PUT',
  path: '/internal/collection-units/{id}',
  request: z.strictObject({ unit: ParcelData.omit({ id: true }), state: CounterState, shelf: ShelfLabel.optional() }),
  response: Shipment,
  problems: ['invalid_state_transition'],
  callers: ['fms'],
  addition: true,
});

/** A webhook of the carrier that is sent again. */
export const SentWebhook = z.object({
  webhookId: z.string().describe('webhook-id of the delivery. It names parcel and scan.'),
  scan: TrackingStatus.describe('The scan that it reports.'),
});

export const scanShipment = defineInternalCall({
  id: 'scan-shipment',
  summary: 'Scans a parcel on behalf of the carrier. Only the control plane calls it, in the role of the outside world.',
  type: 'action',
  application: 'carrier-platform',
  method: 'POST',
  path: '/internal/shipments/{id}/scans',
  request: z.strictObject({ scan: Scan, location: typedText(120).optional(), message: typedText(200).optional() }),
  response: Shipment,
  problems: ['not_found', 'invalid_state_transition'],
  callers: [],
});

export const resendScanWebhook = defineInternalCall({
  id: 'resend-scan-webhook',
  summary:
    'Sends the webhook of the newest scan again, with the same webhook-id. Only the control plane calls it, in the role of the outside world.',
  type: 'action',
  application: 'carrier-platform',
  method: 'POST',
  path: '/internal/shipments/{id}/scans/resend',
  response: SentWebhook,
  problems: ['not_found', 'invalid_state_transition', 'delivery_not_possible'],
  callers: [],
});

const Rescheduled = z.object({ rescheduled: z.int().min(0).describe('Number of objects whose next step is rescheduled or removed.') });

export const applyCarrierProgression = defineInternalCall({
  id: 'apply-carrier-progression',
  summary: 'Sets how parcels move from now on, and reschedules parcels on their way. Only the control plane calls it.',
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
  summary:
    'Sets how fulfillment orders are picked from now on, and reschedules orders that wait or are being picked. Only the control plane calls it.',
  type: 'action',
  application: 'wms',
  method: 'POST',
  path: '/internal/progression',
  request: z.strictObject({ warehouse: ProgressionMode.optional(), store: ProgressionMode.optional() }),
  response: Rescheduled,
  callers: [],
});

export const listReturns = defineInternalCall({
  id: 'list-returns',
  summary: 'Lists the returns of an order, oldest first, or of a customer, newest first, at most 20.',
  application: 'fms',
  path: '/internal/returns',
  query: exactlyOne(z.strictObject({ orderId: Id.optional(), customerId: Id.optional() }), ['orderId', 'customerId']),
  response: z.object({ items: z.array(Return) }),
  callers: ['oms', 'clienteling-app'],
});

export const getReturn = defineInternalCall({
  id: 'get-return',
  summary: 'Returns a return to the OMS, for its exchange order.',
  application: 'fms',
  path: '/internal/returns/{id}',
  response: Return,
  problems: ['not_found'],
  callers: ['oms'],
});

export const moveReturn = defineInternalCall({
  id: 'move-return',
  summary: 'Moves a return on behalf of policy, store or warehouse. Only the control plane calls it, in the role of the outside world.',
  type: 'action',
  application: 'fms',
  method: 'POST',
  path: '/internal/returns/{id}/moves',
  request: z.strictObject({
    verb: ReturnVerb,
    reason: typedText(200).optional().describe('reject: the reason.'),
    lines: z
      .array(z.strictObject({ orderLineId: Id, condition: ReturnCondition, disposition: Disposition.optional() }))
      .min(1)
      .max(200)
      .optional()
      .describe('inspect: condition per line. Default: damaged if the return has that reason, else resellable.'),
  }),
  response: Return,
  problems: ['not_found', 'invalid_state_transition', 'insufficient_stock', ...dependencyProblems],
  callers: [],
});

export const applyReturnsProgression = defineInternalCall({
  id: 'apply-returns-progression',
  summary: 'Sets how returns move from now on, and reschedules open returns. Only the control plane calls it.',
  type: 'action',
  application: 'fms',
  method: 'POST',
  path: '/internal/progression',
  request: z.strictObject({ returns: ProgressionMode }),
  response: Rescheduled,
  callers: [],
});

export const fulfillmentInternalCalls = [
  createFulfillmentOrders,
  cancelFulfillment,
  changeFulfillment,
  giveUpLostGoods,
  listFulfillmentOrders,
  recordPicking,
  listReturns,
  getReturn,
  moveReturn,
  putShipment,
  getShipmentData,
  putCollectionUnit,
  scanShipment,
  resendScanWebhook,
  applyCarrierProgression,
  applyWarehouseProgression,
  applyReturnsProgression,
] as const;
