import { z } from 'zod';
import { AddedTaxRate, Channel, MinAge, Totals } from '../commerce/objects.ts';
import { CancelsShortage } from '../commerce/shortage.ts';
import { defineObject } from '../define-object.ts';
import { FulfillmentOrder, fulfillmentOrderLifeCycle } from '../fulfillment/fulfillment-orders.ts';
import { Return } from '../fulfillment/returns.ts';
import { shipmentLifeCycle } from '../fulfillment/shipments.ts';
import { Collection, PaidAtCollection } from '../inventory/collection.ts';
import { defineLifeCycle } from '../life-cycle.ts';
import { LIMITS, SHOWN_REFUNDS } from '../limits.ts';
import { Payment, Refund } from '../payment/objects.ts';
import { Address, clientMembers, commonFields, Id, Instant, Money, Quantity, referenceColumn, ShippingMethod, Sku } from '../shapes.ts';
import { Replacement } from './replacements.ts';

export const orderLifeCycle = defineLifeCycle({
  object: 'order',
  states: ['draft', 'confirmed', 'in-fulfilment', 'partially-fulfilled', 'completed', 'return-in-progress', 'cancelled'],
  rows: [
    { verb: 'create', from: [null], to: 'draft', events: ['order-created'], trigger: 'Create Order; its basket is locked' },
    {
      verb: 'create',
      from: ['draft', 'confirmed', 'in-fulfilment', 'partially-fulfilled', 'completed', 'return-in-progress', 'cancelled'],
      again: true,
      trigger: 'Create Order with the same basket, transaction or reference',
    },
    {
      verb: 'confirm',
      from: ['draft'],
      to: 'confirmed',
      events: ['order-confirmed'],
      trigger:
        'Confirm Order; authorised and captured payments cover the total, unless it is paid at its collection, and all stock is reserved',
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
      trigger: 'Confirm Order, Route Order: the FMS has created its fulfillment orders. A repeat returns them and changes nothing',
    },
    {
      verb: 'route',
      from: ['in-fulfilment', 'partially-fulfilled', 'completed', 'return-in-progress'],
      again: true,
      trigger: 'Route Order, repeated; not for orders of the till',
    },
    {
      verb: 'begin-fulfilment',
      from: ['confirmed'],
      to: 'in-fulfilment',
      trigger: 'the first Create Picking Order; its payments are captured from now on',
    },
    {
      verb: 'change',
      from: ['confirmed', 'in-fulfilment'],
      events: ['ext.order-amended'],
      trigger:
        'Change Order: another address or person until the dispatch, fewer units, another shipping method or another place until picking',
    },
    { verb: 'fulfil-part', from: ['in-fulfilment'], to: 'partially-fulfilled', trigger: 'some lines are delivered' },
    {
      verb: 'complete',
      from: ['in-fulfilment', 'partially-fulfilled'],
      to: 'completed',
      trigger: 'every line is delivered or cancelled, at least one is delivered',
    },
    {
      verb: 'cancel',
      from: ['draft', 'confirmed', 'in-fulfilment'],
      to: 'cancelled',
      events: ['order-cancelled'],
      trigger:
        'Cancel Order; no fulfillment order is dispatched, unless it waits at the counter of a store. Internal: all capture attempts failed; time: before picking, an authorisation has been lost for 1 d',
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
      trigger: 'internal: the customer leaves the store with the goods; its payments are captured',
    },
    { verb: 'carry-out', from: ['completed', 'return-in-progress'], again: true, trigger: 'internal: the till repeats the carry-out' },
    { verb: 'open-return', from: ['completed', 'return-in-progress'], to: 'return-in-progress', trigger: 'Create Return' },
    {
      verb: 'end-return',
      from: ['return-in-progress'],
      to: ['return-in-progress', 'completed'],
      trigger: 'a return is refunded, exchanged or rejected; the last one completes the order',
    },
    {
      verb: 'replace',
      from: ['in-fulfilment', 'partially-fulfilled', 'completed', 'return-in-progress'],
      events: ['ext.replacement-created'],
      trigger: 'Create Replacement; stock for it is reserved',
    },
    { verb: 'cancel', from: ['cancelled'], again: true, trigger: 'Cancel Order, repeated with the same reason' },
    { verb: 'expire', from: ['draft'], to: 'cancelled', events: ['order-cancelled'], trigger: 'time: still draft after 24 h' },
    {
      verb: 'note',
      from: ['draft', 'confirmed', 'in-fulfilment', 'partially-fulfilled', 'completed', 'return-in-progress', 'cancelled'],
      trigger: 'internal: a counter or status changes',
    },
  ],
});

export const OrderLine = z
  .object({
    lineId: Id,
    sku: Sku,
    minAge: MinAge.optional(),
    qty: Quantity,
    unitPrice: Money.describe('Price of one unit, tax included; without tax if the totals have taxIncluded false.'),
    discount: Money.describe('Discount on all units of the line together.'),
    tax: Money.describe('Tax contained in lineTotal.'),
    taxRate: AddedTaxRate,
    lineTotal: Money.describe('qty × unitPrice − discount, and the tax if it is added.'),
    nodeId: Id.optional().describe('Location that serves the line.'),
    reservationId: Id.optional(),
    fulfilledQty: z
      .int()
      .min(0)
      .describe(
        'Units that have reached the customer, including returned units. Excludes a parcel that arrives after its refund: see reconciliation.',
      ),
    returnedQty: z.int().min(0).describe('Units of returns that were refunded or exchanged.'),
    cancelledQty: z
      .int()
      .min(0)
      .describe(
        'Units that did not reach the customer: picked short, lost, or returned to sender. Neither Cancel Order nor a lost parcel that is found after its refund changes it.',
      ),
  })
  .meta({ id: 'OrderLine' });

const CostOfOrder = z.object({
  total: Money,
  shipping: Money,
  readyBy: Instant.optional().describe('collection: when the store promises to have the goods ready.'),
});

export const OrderChange = z
  .object({
    at: Instant,
    what: z.enum(['lines', 'address', 'shipping-method', 'collection']),
    removed: z
      .array(z.object({ lineId: Id, sku: Sku, qty: Quantity }))
      .optional()
      .describe('lines: the units that the customer no longer wants.'),
    before: CostOfOrder,
    after: CostOfOrder,
    refund: Money.describe(
      'What was paid or authorised beyond the new total. Authorisations are lowered by it, and captured amounts are refunded. Zero for an order that nobody has paid, and less than the difference of both totals after a refund as goodwill. While its payments are unknown, the difference.',
    ),
    points: z
      .int()
      .optional()
      .describe('Points that the order earns less once it is completed. Absent without a member, or while its payments are unknown.'),
  })
  .meta({ id: 'OrderChange' });

/** The order as the OMS stores it and as events carry it. */
export const Order = z
  .object({
    ...commonFields,
    state: z.enum(orderLifeCycle.states),
    orderNumber: z
      .string()
      .describe(
        'Order number for the customer. It begins with the day of the order or, at the till, of the checkout, in the time zone of the retailer.',
      ),
    channel: Channel,
    storeId: Id.optional().describe('Store of an order of the till.'),
    basketId: Id.optional().describe('Absent for an order with given prices.'),
    priceSource: z
      .literal('given')
      .optional()
      .describe('Our addition. The client gave the prices with Create Order. Absent for prices that the estate calculated.'),
    customerId: Id.optional(),
    loyaltyAccountId: Id.optional().describe('Copied from the basket.'),
    lines: z.array(OrderLine),
    totals: Totals,
    shippingAddress: Address.optional(),
    shippingMethod: ShippingMethod.optional(),
    collection: Collection.optional().describe('Where the customer collects the goods, in place of an address.'),
    payAt: PaidAtCollection,
    shortage: CancelsShortage,
    validatedAt: Instant.describe('When the basket was validated for this order.'),
    completedAt: Instant.optional(),
    earningAmount: Money.optional().describe(
      'Amount that earns loyalty points, as of completedAt: delivered goods less refunds until then, and less the part paid with points or with an exchange credit, whose returned goods keep their points.',
    ),
    overpaidAmount: Money.optional().describe(
      'Amount that the payments kept at completedAt beyond the delivered goods and shipping: a refund of missing units was pending, had failed, or is left to a client. Refunds and lost disputes take points only beyond this amount. Absent if it is zero.',
    ),
    earningRefunds: z
      .array(z.string())
      .optional()
      .describe(
        'Refunds and lost disputes before completedAt, each named by its payment and its position in the list of that payment. Absent if there are none.',
      ),
    cancelReason: z.string().optional(),
    exchangeForReturnId: Id.optional().describe('The return whose value pays for this order.'),
    stockDiscrepancy: z
      .literal(true)
      .optional()
      .describe(
        'Units that the store sold although they were missing from the stock records or reserved for others. They are booked as found.',
      ),
    pendingAction: z
      .object({ action: z.enum(['confirm', 'route', 'change', 'cancel', 'carry-out']), since: Instant })
      .optional()
      .describe(
        'A confirmation, a routing that takes stock again, a change, a cancellation or, at the till, a carry-out in progress. Until it ends, other verbs are refused.',
      ),
    routingStatus: z
      .enum(['retrying', 'manual'])
      .optional()
      .describe('retrying: confirmed, fulfillment orders not created yet. manual: waiting for Route Order.'),
    captureStatus: z.literal('retrying').optional().describe('A capture failed and is retried.'),
    compensation: z.literal('pending').optional().describe('Effects at other applications are still being undone.'),
    changes: z.array(OrderChange).max(LIMITS.changes).optional().describe('Changes by Change Order, the first one first.'),
    reconciliation: z
      .array(z.object({ fulfillmentOrderId: Id, reason: z.enum(['delivered-after-refund', 'delivered-after-replacement']), at: Instant }))
      .optional()
      .describe('Goods that were delivered after their refund, or although others were sent in their place. They need manual settlement.'),
    replacements: z.array(Replacement).optional().describe('Goods that were sent or handed over in place of others, at no charge.'),
    ...clientMembers,
  })
  .meta({ id: 'Order' });

export const OrderPayment = Payment.pick({
  id: true,
  state: true,
  tender: true,
  amount: true,
  tendered: true,
  change: true,
  rounding: true,
  authorizedAmount: true,
  capturedAmount: true,
  refundedAmount: true,
  disputes: true,
}).meta({ id: 'OrderPayment' });

export const OrderRefund = Refund.pick({ amount: true, state: true, rounding: true, failureReason: true })
  .extend({
    id: Id.describe('The payment and the position among its refunds.'),
    paymentId: Id.describe('The payment whose captured amount is refunded.'),
  })
  .meta({ id: 'OrderRefund' });

export const PaymentStatus = z.enum(['unpaid', 'authorised', 'paid', 'partially-refunded', 'refunded', 'unknown']).meta({
  id: 'PaymentStatus',
  description: 'Derived from the payments; unknown while the Payment Hub does not answer.',
});

export const OrderFulfillment = FulfillmentOrder.pick({ id: true, state: true, locationId: true, shipments: true, collection: true }).meta({
  id: 'OrderFulfillment',
});

export const OrderReturn = Return.pick({ id: true, state: true, refundAmount: true, lines: true }).meta({ id: 'OrderReturn' });

/** The order with data of the Payment Hub and the FMS, which affects neither version nor ETag. */
export const OrderView = Order.extend({
  payments: z.array(OrderPayment).describe('Empty while paymentStatus is unknown.'),
  refunds: z
    .array(OrderRefund)
    .max(SHOWN_REFUNDS)
    .optional()
    .describe(
      `Our addition: the newest ${SHOWN_REFUNDS} refunds of all payments, the oldest of these first, with pending and failed ones. Absent while paymentStatus is unknown, and for a sale that only the till has.`,
    ),
  paymentStatus: PaymentStatus,
  owedRefund: Money.optional().describe(
    'Amount that the retailer owes the customer and that no refund will bring: all that it still has of a cancelled order, or failed refunds that were not repeated. Of a cancelled order, a payment with an open dispute does not count, because the rest of it is refunded after the decision. A failed refund of another order counts during a dispute too. Absent if it is zero or unknown.',
  ),
  fulfillmentOrders: z.array(OrderFulfillment).optional().describe('Absent while the FMS does not answer.'),
  returns: z.array(OrderReturn).optional().describe('Absent while the FMS does not answer.'),
}).meta({ id: 'OrderView' });

/** Data of an order that the Payment Hub needs for its payments. */
export const Payable = z
  .object({
    orderId: Id,
    channel: Channel,
    state: Order.shape.state,
    total: Money,
    required: Money.optional().describe(
      'Amount that the payments have to cover: the total less cancelled and returned units. Default: the total.',
    ),
    basketId: Id.optional().describe('Basket of the order. Redemptions may be made for it.'),
    customerId: Id.optional(),
    loyaltyAccountId: Id.optional(),
    returns: z
      .array(z.object({ returnId: Id, refundAmount: Money, orderId: Id.optional().describe('The returned order, if it is another one.') }))
      .optional()
      .describe(
        'Value of each return. With an exchange credit, it is the value of the paying return. It limits the sum of the refunds of a return and of its exchange credits (authorised, or captured less refunded).',
      ),
  })
  .meta({ id: 'Payable' });

export const order = defineObject({
  type: 'order',
  idPrefix: 'ord',
  owner: 'oms',
  meaning: 'Confirmed commercial commitment from checkout or assisted selling',
  schema: Order,
  label: ['{orderNumber}'],
  columns: { customer: '{customerId}', what: '{lines.sku}', total: '{totals.total}' },
  moreColumns: { channel: '{channel}', ...referenceColumn },
  progress: {
    payment: PaymentStatus.exclude(['unknown']).options,
    // Dispatched goods are in the state of their parcel.
    goods: [...new Set([...fulfillmentOrderLifeCycle.states, ...shipmentLifeCycle.states])],
  },
  references: { exchangeForReturnId: 'return' },
  lifeCycle: orderLifeCycle,
  changeSubscribers: [{ application: 'loyalty-platform', purpose: 'books points for a completed order' }],
});
