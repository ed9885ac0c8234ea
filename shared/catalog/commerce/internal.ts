import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { dependencyProblems } from '../problems.ts';
import { exactlyOne, Id, SkuQuantity } from '../shapes.ts';
import { Basket, Product, ProductVerb } from './objects.ts';
import { Transaction } from './transaction.ts';

export const getBasket = defineInternalCall({
  id: 'get-basket',
  name: 'Get Basket',
  summary: 'Lines and totals, for callers that were given only a basketId.',
  domain: 'commerce',
  type: 'query',
  application: 'ecommerce-platform',
  method: 'GET',
  path: '/internal/baskets/{id}',
  response: Basket.extend({
    checkoutUnderWay: z.literal(true).optional().describe('A checkout holds stock for it at this moment, whatever its state.'),
  }),
  problems: ['not_found'],
  callers: ['sim', 'promotion-engine', 'oms'],
});

export const convertBasket = defineInternalCall({
  id: 'convert-basket',
  name: 'Convert Basket',
  summary: 'Turns a locked basket into an order and keeps the first orderId that it was given; a repeat answers that one.',
  domain: 'commerce',
  type: 'action',
  application: 'ecommerce-platform',
  method: 'POST',
  path: '/internal/baskets/{id}/convert',
  request: z.strictObject({ orderId: Id }),
  response: Basket,
  problems: ['not_found', 'invalid_state_transition'],
  callers: ['oms'],
});

export const putTransactionBasket = defineInternalCall({
  id: 'put-transaction-basket',
  name: 'Put Transaction Basket',
  summary:
    'The basket of a transaction at the till: created, or an open one taken over, priced and locked, with what the store has of it held without time limit. One per transaction.',
  domain: 'commerce',
  type: 'command',
  application: 'ecommerce-platform',
  method: 'PUT',
  path: '/internal/baskets/by-transaction/{transactionId}',
  request: exactlyOne(
    z.strictObject({
      storeId: Id,
      lines: z.array(SkuQuantity).min(1).max(200).optional(),
      basketId: Id.optional(),
      loyaltyId: Id.optional().describe('Account id or card number.'),
    }),
    ['lines', 'basketId'],
  ),
  response: Basket,
  emits: ['inventory-reserved', 'reservation-created', 'checkout-started'],
  problems: ['not_found', 'invalid_state_transition', 'basket_empty', 'customer_blocked', ...dependencyProblems],
  callers: ['pos'],
});

export const abandonBasket = defineInternalCall({
  id: 'abandon-basket',
  name: 'Abandon Basket',
  summary:
    'Ends the checkout of a transaction that is not paid, named by the transaction: the hold and its vouchers are released. A transaction without a basket gets none any more. A repeat changes nothing.',
  domain: 'commerce',
  type: 'action',
  application: 'ecommerce-platform',
  method: 'POST',
  path: '/internal/baskets/{id}/abandon',
  response: Basket,
  emits: ['checkout-cancelled'],
  problems: ['not_found', 'invalid_state_transition'],
  callers: ['pos'],
});

export const listCustomerBaskets = defineInternalCall({
  id: 'list-customer-baskets',
  name: 'List Customer Baskets',
  summary: 'Baskets of a customer that are open or in checkout, newest first, at most 20.',
  domain: 'commerce',
  type: 'query',
  application: 'ecommerce-platform',
  method: 'GET',
  path: '/internal/baskets',
  query: z.strictObject({ customerId: Id }),
  response: z.object({ items: z.array(Basket) }),
  callers: ['clienteling-app'],
});

export const moveProduct = defineInternalCall({
  id: 'move-product',
  name: 'Move Product',
  summary: 'Assortment management moves a product. Sent by the simulation plane, which plays the outside world.',
  domain: 'commerce',
  type: 'action',
  application: 'ecommerce-platform',
  method: 'POST',
  path: '/internal/products/{id}/moves',
  request: z.strictObject({ verb: ProductVerb }),
  response: Product,
  problems: ['not_found', 'invalid_state_transition'],
  callers: [],
});

export const getTransaction = defineInternalCall({
  id: 'get-transaction',
  name: 'Get Transaction',
  summary: 'A checkout at the till with its basket and the tenders that it lists.',
  domain: 'commerce',
  type: 'query',
  application: 'pos',
  method: 'GET',
  path: '/internal/transactions/{id}',
  response: Transaction,
  problems: ['not_found'],
  callers: ['oms', 'payment-hub', 'inventory-service'],
});
