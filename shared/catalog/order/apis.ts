import { z } from 'zod';
import { Basket } from '../commerce/objects.ts';
import { Transaction } from '../commerce/transaction.ts';
import { defineApi } from '../define.ts';
import { FulfillmentOrder } from '../fulfillment/objects.ts';
import { dependencyProblems } from '../problems.ts';
import { exactlyOne, Id } from '../shapes.ts';
import { OrderView } from './objects.ts';

export const getOrder = defineApi({
  id: 'get-order-api',
  name: 'Get Order',
  summary: 'An order with its lines, payment status and fulfillment orders.',
  domain: 'order',
  type: 'query',
  application: 'oms',
  auth: 'bearer',
  method: 'GET',
  path: '/orders/{id}',
  response: OrderView,
  problems: ['not_found'],
});

const CreateOrderRequest = z.strictObject({
  basketId: Id.optional(),
  transactionId: Id.optional().describe('A checkout at the till: its order gets the same id.'),
  exchangeForReturnId: Id.optional().describe('An inspected return whose value pays for the order, as far as it goes.'),
});

export const createOrder = defineApi({
  id: 'create-order-api',
  name: 'Create Order',
  summary:
    'Makes a draft order of a basket in checkout, or of a checkout at the till, and converts the basket. The same one always gives the same order.',
  domain: 'order',
  type: 'command',
  application: 'oms',
  auth: 'bearer',
  method: 'POST',
  path: '/orders',
  request: exactlyOne(CreateOrderRequest, ['basketId', 'transactionId']),
  serviceRequest: exactlyOne(
    CreateOrderRequest.extend({
      basket: Basket.optional().describe('Sent by the eCommerce Platform itself: already converted, with its orderId.'),
      transaction: Transaction.optional().describe('Sent by the POS itself.'),
    }),
    ['basketId', 'transactionId'],
  ),
  response: OrderView,
  status: 201,
  emits: ['order-created'],
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', 'basket_empty', 'customer_blocked', ...dependencyProblems],
});

export const cancelOrder = defineApi({
  id: 'cancel-order-api',
  name: 'Cancel Order',
  summary: 'Cancels an order, voids or refunds its payments and releases its stock.',
  domain: 'order',
  type: 'action',
  application: 'oms',
  auth: 'bearer',
  method: 'POST',
  path: '/orders/{id}/cancel',
  request: z.strictObject({ reason: z.string().min(1).max(200).optional() }),
  response: OrderView,
  emits: ['order-cancelled'],
  // The FMS decides whether goods have left. Nobody else who is down keeps an order from being cancelled: what is still to be undone is visible on it.
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', ...dependencyProblems],
});

export const confirmOrder = defineApi({
  id: 'confirm-order-api',
  name: 'Confirm Order',
  summary: 'Confirms an order whose payments cover its total; its stock is held for good, or held now if the hold has run out.',
  domain: 'order',
  type: 'action',
  application: 'oms',
  auth: 'bearer',
  method: 'POST',
  path: '/orders/{id}/confirm',
  response: OrderView,
  emits: ['order-confirmed'],
  problems: [
    'not_found',
    'invalid_state_transition',
    'customer_blocked',
    'payment_incomplete',
    'reservation_expired',
    'insufficient_stock',
    ...dependencyProblems,
  ],
});

export const routeOrder = defineApi({
  id: 'route-order-api',
  name: 'Route Order',
  summary:
    'Makes fulfillment orders of a confirmed order: one node per line, lines of one node together. An order that is routed already answers those it has.',
  domain: 'order',
  type: 'action',
  application: 'oms',
  auth: 'bearer',
  method: 'POST',
  path: '/orders/{id}/route',
  request: z.strictObject({
    strategy: z
      .enum(['nearest', 'most-stock'])
      .optional()
      .describe(
        'Default: nearest. For lines that no location holds stock for yet: the first location by priority, or the one with most stock.',
      ),
  }),
  response: z.object({ items: z.array(FulfillmentOrder) }),
  emits: ['fulfillment-order-created'],
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', 'insufficient_stock', ...dependencyProblems],
});
