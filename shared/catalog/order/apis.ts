import { z } from 'zod';
import { unknownWord } from '../../domain/nearest-word.ts';
import { Basket } from '../commerce/objects.ts';
import { Transaction } from '../commerce/transaction.ts';
import { defineApi } from '../define.ts';
import { FulfillmentOrder } from '../fulfillment/fulfillment-orders.ts';
import { CollectionRequest } from '../inventory/collection.ts';
import { LIMITS } from '../limits.ts';
import { refundOrderInWords } from '../payment/objects.ts';
import { dependencyProblems } from '../problems.ts';
import {
  Address,
  AnyInstant,
  createMembers,
  exactlyOne,
  Id,
  pageOf,
  Quantity,
  queryInteger,
  Reference,
  ShippingMethod,
  typedText,
} from '../shapes.ts';
import { givenMembers, withGivenPrices } from './given.ts';
import { Order, OrderView, orderLifeCycle } from './objects.ts';
import { Replacement, ReplacementReasonName } from './replacements.ts';

export const getOrder = defineApi({
  id: 'get-order-api',
  summary: 'Returns an order with its lines, payment status and fulfillment orders.',
  application: 'oms',
  path: '/orders/{id}',
  response: OrderView,
  problems: ['not_found'],
});

const CreateOrderRequest = z.strictObject({
  basketId: Id.optional(),
  transactionId: Id.optional().describe('A checkout at the till. Its order gets the same id.'),
  exchangeForReturnId: Id.optional().describe('An inspected return whose value pays for the order, in full or in part.'),
  ...givenMembers,
  ...createMembers,
});

const SOURCES = ['basketId', 'transactionId', 'lines'] as const;

export const createOrder = defineApi({
  id: 'create-order-api',
  summary:
    'Creates a draft order from a basket in checkout or from a checkout at the till, and converts the basket. The same basket or checkout always gives the same order. With lines, the order has given prices, and its stock is reserved as at a checkout.',
  type: 'command',
  application: 'oms',
  method: 'POST',
  path: '/orders',
  request: withGivenPrices(exactlyOne(CreateOrderRequest, SOURCES)),
  serviceRequest: withGivenPrices(
    exactlyOne(
      CreateOrderRequest.extend({
        basket: Basket.optional().describe('Sent by the eCommerce Platform: already converted, with its orderId.'),
        transaction: Transaction.optional().describe('Sent by the POS.'),
      }),
      SOURCES,
    ),
  ),
  response: OrderView,
  status: 201,
  emits: ['order-created'],
  problems: [
    'not_found',
    'invalid_state_transition',
    'conflicting_repeat',
    'basket_empty',
    'customer_blocked',
    'insufficient_stock',
    ...dependencyProblems,
  ],
});

const OrderState = z.enum(orderLifeCycle.states, {
  error: ({ input }) => unknownWord('state of an order', String(input), orderLifeCycle.states),
});

export const listOrders = defineApi({
  id: 'list-orders-api',
  name: 'List Orders',
  summary:
    'Lists orders, oldest first: all, or those that match every filter. Without data of other applications, which Get Order adds. With several filters, or with many lines, a page may have fewer orders than the limit, or none, and still a nextCursor: the list ends with the page without one.',
  application: 'oms',
  path: '/orders',
  query: z
    .strictObject({
      customerId: Id.optional(),
      state: OrderState.optional(),
      referenceSource: Reference.shape.source.optional().describe('With referenceId: the order with this reference.'),
      referenceId: Reference.shape.id.optional().describe('With referenceSource. A # is written %23, and a + is written %2B.'),
      placedAfter: AnyInstant.optional().describe('Orders that were created at this time or later.'),
      placedBefore: AnyInstant.optional().describe('Orders that were created before this time.'),
      limit: queryInteger(1, 100).default(20).describe('Orders per page. Default: 20.'),
      cursor: z.string().min(1).max(200).optional().describe('The nextCursor of the previous page.'),
    })
    .refine(({ referenceSource, referenceId }) => referenceSource === undefined || referenceId !== undefined, {
      path: ['referenceId'],
      error: 'This is required with referenceSource: a reference has a source and an id.',
      params: { code: 'half_reference' },
    })
    .refine(({ referenceSource, referenceId }) => referenceId === undefined || referenceSource !== undefined, {
      path: ['referenceSource'],
      error: 'This is required with referenceId: a reference has a source and an id.',
      params: { code: 'half_reference' },
    }),
  response: pageOf(Order),
  addition: true,
});

export const cancelOrder = defineApi({
  id: 'cancel-order-api',
  summary: `Cancels an order, voids or refunds its payments and releases its stock. Units that are cancelled without their order, such as short ones, are refunded by their share of the line. ${refundOrderInWords}`,
  type: 'action',
  application: 'oms',
  method: 'POST',
  path: '/orders/{id}/cancel',
  request: z.strictObject({ reason: typedText(200).optional() }),
  response: OrderView,
  emits: ['order-cancelled'],
  // The FMS decides whether goods have left. While any other application is down, the cancellation succeeds with pending compensation.
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', ...dependencyProblems],
});

export const ChangeOrderRequest = z.strictObject({
  shippingAddress: Address.optional().describe('Another address, until a parcel is dispatched. An order that is collected is then sent.'),
  shippingMethod: ShippingMethod.optional().describe('Another shipping method, until picking.'),
  collection: CollectionRequest.optional().describe(
    'Another place of collection or, in place of an address, a place; until picking. The same place with another person: until the goods wait there.',
  ),
  lines: z
    .array(z.strictObject({ lineId: Id, qty: z.int().min(0).max(9999) }))
    .min(1)
    .max(LIMITS.lines)
    .optional()
    .describe('Fewer units, until picking: the units that the lines have afterwards. 0 removes a line. Lines that are not named stay.'),
});

export const changeOrder = defineApi({
  id: 'change-order-api',
  name: 'Change Order',
  summary:
    'Changes a confirmed order: its address, its place of collection, its shipping method, or the units of its lines. The remaining units are priced again with the promotions and shipping prices that ran at the checkout. The customer gets back what the order costs less: authorisations are lowered, and captured amounts are refunded. An order never costs more after a change. The last entry of changes has the difference, also in the answer to a dry run.',
  type: 'action',
  application: 'oms',
  method: 'POST',
  path: '/orders/{id}/changes',
  request: exactlyOne(ChangeOrderRequest, ['shippingAddress', 'shippingMethod', 'collection', 'lines']),
  response: OrderView,
  emits: ['ext.order-amended'],
  // The eCommerce Platform computes the price, and the FMS decides whether the warehouse has begun.
  problems: ['not_found', 'invalid_state_transition', 'insufficient_stock', 'limit_reached', ...dependencyProblems],
  addition: true,
});

export const confirmOrder = defineApi({
  id: 'confirm-order-api',
  summary:
    'Confirms an order whose payments cover its total. Its reservation becomes permanent; if it has expired, the stock is reserved again. Until picking begins, an authorisation that expires is renewed with the same tender, up to 30 days after the order was created. If an authorisation is lost and not replaced within a day, the order is cancelled.',
  type: 'action',
  application: 'oms',
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
  summary:
    'Creates the fulfillment orders of a confirmed order, one per node. One node serves each line, or several if the retailer splits lines. A repeat returns the existing ones.',
  type: 'action',
  application: 'oms',
  method: 'POST',
  path: '/orders/{id}/route',
  request: z.strictObject({
    strategy: z
      .enum(['nearest', 'most-stock'])
      .optional()
      .describe(
        'Default: nearest. Chooses the location for lines without reserved stock: the first one by priority, or the one with most stock.',
      ),
  }),
  response: z.object({ items: z.array(FulfillmentOrder) }),
  emits: ['fulfillment-order-created'],
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', 'insufficient_stock', ...dependencyProblems],
});

export const createReplacement = defineApi({
  id: 'create-replacement-api',
  name: 'Create Replacement',
  summary:
    'Sends goods in place of lost, missing, damaged or wrong ones, at no charge, from any location that has them. At a store, they are handed over from its stock. Nothing is paid or refunded, and points stay.',
  type: 'command',
  application: 'oms',
  method: 'POST',
  path: '/orders/{id}/replacements',
  request: z.strictObject({
    lines: z
      .array(z.strictObject({ orderLineId: Id, qty: Quantity }))
      .min(1)
      .max(LIMITS.lines),
    reason: ReplacementReasonName,
    storeId: Id.optional().describe(
      'The store that hands the goods over, from its stock. Default: for an order of the till, its store; otherwise the goods are sent.',
    ),
  }),
  response: Replacement.extend({ orderId: Id }),
  status: 201,
  emits: ['ext.replacement-created', 'fulfillment-order-created'],
  problems: [
    'not_found',
    'invalid_state_transition',
    'replacement_quantity_exceeded',
    'payment_incomplete',
    'insufficient_stock',
    'limit_reached',
    ...dependencyProblems,
  ],
  addition: true,
});

export const orderApis = [
  getOrder,
  listOrders,
  createOrder,
  changeOrder,
  cancelOrder,
  confirmOrder,
  routeOrder,
  createReplacement,
] as const;
