import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { dependencyProblems } from '../problems.ts';
import { Address, Id, Instant, Money, Quantity, Sku } from '../shapes.ts';
import { Order, Payable } from './objects.ts';

export const getPayable = defineInternalCall({
  id: 'get-payable',
  name: 'Get Payable',
  summary: 'What may be paid for an order, and whether it still may.',
  domain: 'order',
  type: 'query',
  application: 'oms',
  method: 'GET',
  path: '/internal/orders/{id}/payable',
  response: Payable,
  problems: ['not_found'],
  callers: ['payment-hub'],
});

export const getOrderStock = defineInternalCall({
  id: 'get-order-stock',
  name: 'Get Order Stock',
  summary: 'What each line of an order needs, and the reservation that holds it as far as the order knows.',
  domain: 'order',
  type: 'query',
  application: 'oms',
  method: 'GET',
  path: '/internal/orders/{id}/stock',
  response: z.object({
    id: Id,
    state: Order.shape.state,
    channel: Order.shape.channel,
    basketId: Id,
    lines: z.array(z.object({ lineId: Id, sku: Sku, qty: Quantity, reservationId: Id.optional() })),
  }),
  problems: ['not_found'],
  callers: ['inventory-service'],
});

export const getOrderEarning = defineInternalCall({
  id: 'get-order-earning',
  name: 'Get Order Earning',
  summary: 'What an order earns points for, and for whom; nothing before it is completed.',
  domain: 'order',
  type: 'query',
  application: 'oms',
  method: 'GET',
  path: '/internal/orders/{id}/earning',
  response: Order.pick({ id: true, state: true, customerId: true, loyaltyAccountId: true, earningAmount: true, earningRefunds: true }),
  problems: ['not_found'],
  callers: ['loyalty-platform'],
});

export const ensureCaptured = defineInternalCall({
  id: 'ensure-captured',
  name: 'Ensure Captured',
  summary:
    'Before goods leave: captures what is missing until captured − refunded covers the lines not cancelled, plus shipping; refused while it does not.',
  domain: 'order',
  type: 'action',
  application: 'oms',
  method: 'POST',
  path: '/internal/orders/{id}/ensure-captured',
  request: z.strictObject({ fulfillmentOrderId: Id.describe('What is about to be dispatched.') }),
  response: z.object({
    orderId: Id,
    captured: Money,
    refunded: Money,
    required: Money.describe('What captured − refunded covers.'),
  }),
  problems: ['not_found', 'invalid_state_transition', 'payment_incomplete', ...dependencyProblems],
  callers: ['fms'],
});

export const carryOut = defineInternalCall({
  id: 'carry-out',
  name: 'Carry Out',
  summary:
    'The customer leaves the store with the goods of a confirmed order: its payments are captured, its stock goes out, it is completed. A repeat changes nothing.',
  domain: 'order',
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
  name: 'List Customer Orders',
  summary: 'Orders of a customer, newest first, at most 20, as the OMS alone knows them.',
  domain: 'order',
  type: 'query',
  application: 'oms',
  method: 'GET',
  path: '/internal/orders',
  query: z.strictObject({ customerId: Id }),
  response: z.object({ items: z.array(Order) }),
  callers: ['clienteling-app'],
});

export const bookReturn = defineInternalCall({
  id: 'book-return',
  name: 'Book Return',
  summary:
    'Units of a completed order come back: checks that so many are with the customer and in no other return, fixes what they are worth, and moves the order. Once per return.',
  domain: 'order',
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
    byParcel: z.boolean().default(false).describe('It is collected by a carrier: refused for an order without an address.'),
    locationNamed: z
      .boolean()
      .default(true)
      .describe('It says where it is handed in: refused without that, unless a store sold the order.'),
  }),
  response: z.object({
    refundAmount: Money,
    completedAt: Order.shape.completedAt,
    customerId: Order.shape.customerId,
    shippingAddress: Address.optional(),
    lines: z.array(z.object({ orderLineId: Id, sku: Sku, qty: Quantity, nodeId: Id.optional() })),
  }),
  problems: ['not_found', 'order_not_closed', 'return_quantity_exceeded', 'invalid_state_transition'],
  callers: ['fms'],
});

export const closeReturn = defineInternalCall({
  id: 'close-return',
  name: 'Close Return',
  summary:
    'What becomes of a return. refund: the OMS has its value paid back, and answers how far it got. refunded, exchanged: its units count as returned. rejected: they are the customer’s again. Once per return and outcome.',
  domain: 'order',
  type: 'action',
  application: 'oms',
  method: 'POST',
  path: '/internal/orders/{id}/returns/{returnId}/close',
  request: z.strictObject({
    outcome: z.enum(['refund', 'refunded', 'exchanged', 'rejected']),
    exchangeOrderId: Id.optional().describe('exchanged: what its value paid for; the surplus is refunded.'),
    paidBack: Money.optional().describe(
      'rejected: what somebody refunded for it all the same, as far as the caller has heard; the Payment Hub is asked. Its units are worth so much less. Absent: nobody knows of the return.',
    ),
  }),
  response: z.object({
    settled: z.boolean().describe('Nothing is left to be paid back for it.'),
    refunds: z.array(z.object({ paymentId: Id, amount: Money, at: Instant.optional() })),
  }),
  problems: ['not_found', 'invalid_state_transition', ...dependencyProblems],
  callers: ['fms'],
});
