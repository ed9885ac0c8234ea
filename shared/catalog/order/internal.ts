import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { Return, ReturnRefund } from '../fulfillment/returns.ts';
import { dependencyProblems } from '../problems.ts';
import { Address, Id, Money, Quantity, Sku } from '../shapes.ts';
import { Order, Payable } from './objects.ts';

export const getPayable = defineInternalCall({
  id: 'get-payable',
  summary: 'Returns the amount payable for an order, and whether it can still be paid.',
  application: 'oms',
  path: '/internal/orders/{id}/payable',
  response: Payable,
  problems: ['not_found'],
  callers: ['payment-hub'],
});

export const announceRefund = defineInternalCall({
  id: 'announce-refund',
  summary:
    'Returns the same as get-payable before a refund for a return. For 30 seconds the return cannot be rejected, so that the refund and a rejection exclude each other.',
  type: 'action',
  application: 'oms',
  method: 'POST',
  path: '/internal/orders/{id}/returns/{returnId}/announce-refund',
  response: Payable,
  problems: ['not_found'],
  callers: ['payment-hub'],
});

export const getOrderStock = defineInternalCall({
  id: 'get-order-stock',
  summary: 'Returns the units that each line of an order needs, and the reservation that the order names.',
  application: 'oms',
  path: '/internal/orders/{id}/stock',
  response: z.object({
    id: Id,
    state: Order.shape.state,
    channel: Order.shape.channel,
    basketId: Id.optional(),
    lines: z.array(z.object({ lineId: Id, sku: Sku, qty: Quantity, reservationId: Id.optional() })),
  }),
  problems: ['not_found'],
  callers: ['inventory-service', 'sim'],
});

export const getOrderEarning = defineInternalCall({
  id: 'get-order-earning',
  summary: 'Returns the amount of an order that earns points, and the member. There is no amount before the order is completed.',
  application: 'oms',
  path: '/internal/orders/{id}/earning',
  response: Order.pick({
    id: true,
    state: true,
    customerId: true,
    loyaltyAccountId: true,
    earningAmount: true,
    overpaidAmount: true,
    earningRefunds: true,
  }),
  problems: ['not_found'],
  callers: ['loyalty-platform'],
});

export const ensureCaptured = defineInternalCall({
  id: 'ensure-captured',
  summary:
    'Before goods leave: captures until captured − refunded covers shipping and the lines that are not cancelled. Refused if that fails.',
  type: 'action',
  application: 'oms',
  method: 'POST',
  path: '/internal/orders/{id}/ensure-captured',
  request: z.strictObject({
    fulfillmentOrderId: Id.describe('The fulfillment order to be dispatched or handed over.'),
    atTill: z
      .literal(true)
      .optional()
      .describe('A till has taken the payments of an order that is collected: they are captured, even by hand.'),
    toStore: z.literal(true).optional().describe('The goods are sent to a store. An order that is paid there needs no payment before.'),
  }),
  response: z.object({
    orderId: Id,
    captured: Money,
    refunded: Money,
    required: Money.describe('Amount that captured − refunded covers.'),
  }),
  problems: ['not_found', 'invalid_state_transition', 'payment_incomplete', ...dependencyProblems],
  callers: ['fms', 'pos'],
});

export const carryOut = defineInternalCall({
  id: 'carry-out',
  summary:
    'Completes a confirmed order whose customer leaves the store with the goods: captures its payments and consumes its stock. A repeat changes nothing.',
  type: 'action',
  application: 'oms',
  method: 'POST',
  path: '/internal/orders/{id}/carry-out',
  response: Order,
  emits: ['payment-captured'],
  problems: ['not_found', 'invalid_state_transition', 'payment_incomplete', ...dependencyProblems],
  callers: ['pos'],
});

export const listCustomerOrders = defineInternalCall({
  id: 'list-customer-orders',
  summary: 'Returns the orders of a customer, newest first, at most 20, without data of other applications.',
  application: 'oms',
  path: '/internal/orders',
  query: z.strictObject({ customerId: Id }),
  response: z.object({ items: z.array(Order) }),
  callers: ['clienteling-app'],
});

export const listOutstanding = defineInternalCall({
  id: 'list-outstanding',
  summary:
    'Returns what is left to pay of each order, 0.00 if nothing is. Orders that the OMS does not have, or whose payments it cannot read, are left out.',
  type: 'query',
  application: 'oms',
  method: 'POST',
  path: '/internal/orders/outstanding',
  request: z.strictObject({ orderIds: z.array(Id).min(1).max(100) }),
  response: z.object({ items: z.array(z.object({ orderId: Id, outstanding: Money })) }),
  callers: ['fms'],
  addition: true,
});

export const bookReturn = defineInternalCall({
  id: 'book-return',
  summary:
    'Books units of a completed order for a return: checks that the customer has the units and that no other return includes them, fixes their value, and moves the order. Once per return.',
  type: 'command',
  application: 'oms',
  method: 'POST',
  path: '/internal/orders/{id}/returns',
  request: z.strictObject({
    returnId: Id,
    lines: z
      .array(z.strictObject({ orderLineId: Id, qty: Quantity }))
      .min(1)
      .max(200),
    byParcel: z
      .boolean()
      .optional()
      .describe('Whether a carrier collects the return. Refused for an order without an address. Default: whether the order has one.'),
    replacementId: Id.optional().describe('The units come back that this replacement was sent for. They are worth nothing.'),
    locationNamed: z.boolean().default(true).describe('Whether the return names a location. It is required unless a store sold the order.'),
  }),
  response: z.object({
    byParcel: z.boolean(),
    refundAmount: Money,
    refundTax: Return.shape.refundTax,
    completedAt: Order.shape.completedAt,
    customerId: Order.shape.customerId,
    shippingAddress: Address.optional(),
    lines: z.array(z.object({ orderLineId: Id, sku: Sku, qty: Quantity, nodeId: Id.optional() })),
  }),
  problems: ['not_found', 'order_not_closed', 'return_quantity_exceeded', 'invalid_state_transition', 'limit_reached'],
  callers: ['fms'],
});

export const closeReturn = defineInternalCall({
  id: 'close-return',
  summary:
    'Closes the booking of a return. refund: the OMS refunds its value and returns the progress. refunded, exchanged: its units count as returned. rejected: its units stay with the customer, unless the answer has refunds of it; then it is open as before. undone: the return was never created. Once per return and outcome.',
  type: 'action',
  application: 'oms',
  method: 'POST',
  path: '/internal/orders/{id}/returns/{returnId}/close',
  request: z.strictObject({
    outcome: z.enum(['refund', 'refunded', 'exchanged', 'rejected', 'undone']),
    exchangeOrderId: Id.optional().describe('exchanged: the order that its value paid for. The surplus is refunded.'),
  }),
  response: z.object({
    settled: z.boolean().describe('Whether nothing is left to refund, and no refund is pending.'),
    refunds: z.array(ReturnRefund),
  }),
  problems: ['not_found', 'invalid_state_transition', ...dependencyProblems],
  callers: ['fms'],
});

export const orderInternalCalls = [
  getPayable,
  getOrderStock,
  getOrderEarning,
  ensureCaptured,
  carryOut,
  listCustomerOrders,
  listOutstanding,
  bookReturn,
  announceRefund,
  closeReturn,
] as const;
