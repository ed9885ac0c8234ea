import { z } from 'zod';
import { Channel, MinAge, Totals } from '../commerce/objects.ts';
import { defineObject } from '../define-object.ts';
import { FulfillmentOrder } from '../fulfillment/objects.ts';
import { Return } from '../fulfillment/returns.ts';
import { defineLifeCycle } from '../life-cycle.ts';
import { Payment } from '../payment/objects.ts';
import { Address, commonFields, Id, Instant, Money, Quantity, ShippingMethod, Sku } from '../shapes.ts';

export const orderLifeCycle = defineLifeCycle({
  object: 'order',
  states: ['draft', 'confirmed', 'in-fulfilment', 'partially-fulfilled', 'completed', 'return-in-progress', 'cancelled'],
  rows: [
    { verb: 'create', from: [null], to: 'draft', events: ['order-created'], trigger: 'Create Order; the basket is locked' },
    {
      verb: 'create',
      from: ['draft', 'confirmed', 'in-fulfilment', 'partially-fulfilled', 'completed', 'return-in-progress', 'cancelled'],
      again: true,
      trigger: 'Create Order of the same basket or transaction',
    },
    {
      verb: 'confirm',
      from: ['draft'],
      to: 'confirmed',
      events: ['order-confirmed'],
      trigger: 'Confirm Order; authorised and captured payments cover the total, all stock held',
    },
    {
      verb: 'confirm',
      from: ['confirmed', 'in-fulfilment', 'partially-fulfilled', 'completed', 'return-in-progress'],
      again: true,
      trigger: 'Confirm Order, repeated',
    },
    {
      verb: 'route',
      from: ['confirmed'],
      trigger: 'Confirm Order, Route Order: the FMS has its fulfillment orders. Repeated, it returns them and nothing changes',
    },
    {
      verb: 'route',
      from: ['in-fulfilment', 'partially-fulfilled', 'completed', 'return-in-progress'],
      again: true,
      trigger: 'Route Order, repeated; never of an order of the till',
    },
    {
      verb: 'begin-fulfilment',
      from: ['confirmed'],
      to: 'in-fulfilment',
      trigger: 'its first Create Picking Order; the payments are captured from now on',
    },
    { verb: 'fulfil-part', from: ['in-fulfilment'], to: 'partially-fulfilled', trigger: 'some of its lines are delivered' },
    {
      verb: 'complete',
      from: ['in-fulfilment', 'partially-fulfilled'],
      to: 'completed',
      trigger: 'every line is delivered or cancelled, at least one delivered',
    },
    {
      verb: 'cancel',
      from: ['draft', 'confirmed', 'in-fulfilment'],
      to: 'cancelled',
      events: ['order-cancelled'],
      trigger:
        'Cancel Order; no fulfillment order is dispatched. Internal: the capture was given up; time: an authorisation was lost for 1 d',
    },
    {
      verb: 'abandon-fulfilment',
      from: ['in-fulfilment'],
      to: 'cancelled',
      events: ['order-cancelled'],
      trigger: 'every fulfillment order is cancelled, lost or returned to sender',
    },
    {
      verb: 'carry-out',
      from: ['confirmed'],
      to: 'completed',
      trigger: 'the customer leaves the store with the goods; its payments are captured',
    },
    {
      verb: 'carry-out',
      from: ['completed', 'return-in-progress'],
      again: true,
      trigger: 'the till says so once more',
    },
    { verb: 'open-return', from: ['completed', 'return-in-progress'], to: 'return-in-progress', trigger: 'Create Return' },
    {
      verb: 'end-return',
      from: ['return-in-progress'],
      to: ['return-in-progress', 'completed'],
      trigger: 'a return is refunded, exchanged or rejected; completed with the last one',
    },
    { verb: 'cancel', from: ['cancelled'], again: true, trigger: 'Cancel Order, repeated' },
    { verb: 'expire', from: ['draft'], to: 'cancelled', events: ['order-cancelled'], trigger: 'time: 24 h old and still draft' },
    {
      verb: 'note',
      from: ['draft', 'confirmed', 'in-fulfilment', 'partially-fulfilled', 'completed', 'return-in-progress', 'cancelled'],
      trigger: 'internal: a counter or status of it moves',
    },
  ],
});

export const OrderLine = z
  .object({
    lineId: Id,
    sku: Sku,
    minAge: MinAge.optional(),
    qty: Quantity,
    unitPrice: Money.describe('Price of one unit, tax included.'),
    discount: Money.describe('Taken off all units of the line together.'),
    tax: Money.describe('Tax contained in lineTotal.'),
    lineTotal: Money.describe('qty × unitPrice − discount.'),
    nodeId: Id.optional().describe('Location that serves the line.'),
    reservationId: Id.optional(),
    fulfilledQty: z.int().min(0),
    returnedQty: z.int().min(0),
    cancelledQty: z.int().min(0),
  })
  .meta({ id: 'OrderLine' });

/** The order as the OMS stores it and as events carry it. */
export const Order = z
  .object({
    ...commonFields,
    state: z.enum(orderLifeCycle.states),
    orderNumber: z.string().describe('What the customer is told.'),
    channel: Channel,
    storeId: Id.optional().describe('Of an order of the till.'),
    basketId: Id,
    customerId: Id.optional(),
    loyaltyAccountId: Id.optional(),
    lines: z.array(OrderLine),
    totals: Totals,
    shippingAddress: Address.optional(),
    shippingMethod: ShippingMethod.optional(),
    validatedAt: Instant.describe('When the basket was found fit to become this order.'),
    completedAt: Instant.optional(),
    earningAmount: Money.optional().describe(
      'Goods delivered and paid otherwise than by points, as of completedAt: what earns loyalty points. Refunds made before are not in it.',
    ),
    earningRefunds: z
      .array(z.string())
      .optional()
      .describe('Those refunds, each named after its payment and its place among that one’s refunds; absent when there were none.'),
    cancelReason: z.string().optional(),
    exchangeForReturnId: Id.optional().describe('The return whose value pays for this order.'),
    stockDiscrepancy: z.literal(true).optional().describe('The store sold more than it was known to have.'),
    pendingAction: z
      .object({ action: z.enum(['confirm', 'cancel', 'carry-out']), since: Instant })
      .optional()
      .describe('A confirmation, a cancellation or, at the till, a carry-out is under way; other verbs are refused meanwhile.'),
    routingStatus: z
      .enum(['retrying', 'manual'])
      .optional()
      .describe('retrying: confirmed, but the FMS has no fulfillment orders yet. manual: it waits for Route Order.'),
    captureStatus: z.literal('retrying').optional().describe('A capture has failed and is tried again.'),
    compensation: z.literal('pending').optional().describe('Something done before is still being undone at another application.'),
    reconciliation: z
      .array(z.object({ fulfillmentOrderId: Id, reason: z.literal('delivered-after-refund'), at: Instant }))
      .optional()
      .describe('Goods that turned up after their price was paid back; a person has to settle it.'),
  })
  .meta({ id: 'Order' });

export const OrderPayment = Payment.pick({
  id: true,
  state: true,
  tender: true,
  amount: true,
  capturedAmount: true,
  refundedAmount: true,
}).meta({
  id: 'OrderPayment',
});

export const PaymentStatus = z.enum(['unpaid', 'authorised', 'paid', 'partially-refunded', 'refunded', 'unknown']).meta({
  id: 'PaymentStatus',
  description: 'Derived from the payments; unknown while the Payment Hub does not answer.',
});

export const OrderFulfillment = FulfillmentOrder.pick({ id: true, state: true, locationId: true, shipments: true }).meta({
  id: 'OrderFulfillment',
});

export const OrderReturn = Return.pick({ id: true, state: true, refundAmount: true, lines: true }).meta({ id: 'OrderReturn' });

/** The order with what the Payment Hub and the FMS say of it; those parts count for neither version nor ETag. */
export const OrderView = Order.extend({
  payments: z.array(OrderPayment).describe('Empty while paymentStatus is unknown.'),
  paymentStatus: PaymentStatus,
  fulfillmentOrders: z.array(OrderFulfillment).optional().describe('Absent while the FMS does not answer.'),
  returns: z.array(OrderReturn).optional().describe('Absent while the FMS does not answer.'),
}).meta({ id: 'OrderView' });

/** What the Payment Hub needs to know of an order that is paid. */
export const Payable = z
  .object({
    orderId: Id,
    channel: Channel,
    state: Order.shape.state,
    total: Money,
    required: Money.optional().describe(
      'What its payments have to cover: the total without what is cancelled or came back. Default: the total.',
    ),
    basketId: Id.optional().describe('What a redemption may have been made for.'),
    customerId: Id.optional(),
    loyaltyAccountId: Id.optional(),
    returns: z
      .array(z.object({ returnId: Id, refundAmount: Money }))
      .optional()
      .describe(
        'What each of its returns is worth; sent with an exchange credit, what the return is worth that pays. Refunds with its id and what exchange credits of it hold (authorised; captured less refunded) are together at most this.',
      ),
  })
  .meta({ id: 'Payable' });

export const order = defineObject({
  type: 'order',
  domain: 'order',
  owner: 'oms',
  meaning: 'Confirmed commercial commitment from checkout or assisted selling',
  schema: Order,
  lifeCycle: orderLifeCycle,
  changeSubscribers: [{ application: 'loyalty-platform', mode: 'each', purpose: 'a completed order earns points' }],
});
