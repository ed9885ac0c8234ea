import { z } from 'zod';
import { defineApi } from '../define.ts';
import { OrderView } from '../order/objects.ts';
import { dependencyProblems } from '../problems.ts';
import { Address, Currency, Email, exactlyOne, Id, Phone, ShippingMethod, SkuQuantity, VoucherCode } from '../shapes.ts';
import { Basket, DigitalChannel, ProductView } from './objects.ts';

export const getProduct = defineApi({
  id: 'get-product-api',
  name: 'Get Product',
  summary: 'Attributes, pricing, availability and media of a product, by id or SKU. A product before active, or archived, is not found.',
  domain: 'commerce',
  type: 'query',
  application: 'ecommerce-platform',
  auth: 'none',
  method: 'GET',
  path: '/products/{id}',
  response: ProductView,
  problems: ['not_found'],
});

export const createBasket = defineApi({
  id: 'create-basket-api',
  name: 'Create Basket',
  summary: 'Opens a basket for a customer or an anonymous session; open baskets named in mergeBasketIds give it their lines.',
  domain: 'commerce',
  type: 'command',
  application: 'ecommerce-platform',
  auth: 'bearer',
  method: 'POST',
  path: '/baskets',
  request: z.strictObject({
    channel: DigitalChannel,
    currency: Currency.optional().describe('Default EUR, the currency of every price.'),
    customerId: Id.optional(),
    lines: z.array(SkuQuantity).max(200).optional(),
    mergeBasketIds: z.array(Id).max(10).optional(),
  }),
  response: Basket,
  status: 201,
  emits: ['basket-created'],
  problems: ['not_found', 'invalid_state_transition', ...dependencyProblems],
});

export const addLineToBasket = defineApi({
  id: 'add-line-to-basket-api',
  name: 'Add Line to Basket',
  summary: 'Adds units of a product to an open basket and prices it again; units of a SKU already there are added to its line.',
  domain: 'commerce',
  type: 'command',
  application: 'ecommerce-platform',
  auth: 'bearer',
  method: 'POST',
  path: '/baskets/{id}/lines',
  request: SkuQuantity,
  response: Basket,
  status: 201,
  problems: ['not_found', 'invalid_state_transition', 'insufficient_stock', ...dependencyProblems],
  shapes: 'our choice',
});

export const checkoutBasket = defineApi({
  id: 'checkout-basket-api',
  name: 'Checkout Basket',
  summary:
    'Starts the checkout: promotions and vouchers are applied, the price is fixed, the stock of every line is held for 15 minutes. Repeated with other values before there is an order, these are applied and the hold stays.',
  domain: 'commerce',
  type: 'action',
  application: 'ecommerce-platform',
  auth: 'bearer',
  method: 'POST',
  path: '/baskets/{id}/checkout',
  request: z.strictObject({
    shippingAddress: Address,
    shippingMethod: ShippingMethod.optional().describe('Default STANDARD.'),
    customerId: Id.optional(),
    contact: z
      .strictObject({ email: Email.optional(), phone: Phone.optional(), loyaltyCard: z.string().min(1).max(64).optional() })
      .optional()
      .describe('Who the anonymous customer is.'),
    voucherCodes: z.array(VoucherCode).max(10).optional(),
    placeOrder: z.boolean().default(false).describe('Create the order in the same step.'),
  }),
  response: Basket,
  emits: ['inventory-reserved', 'reservation-created', 'checkout-started', 'order-created'],
  problems: [
    'not_found',
    'invalid_state_transition',
    'basket_empty',
    'insufficient_stock',
    'customer_blocked',
    'conflicting_repeat',
    ...dependencyProblems,
  ],
  shapes: 'our choice',
});

export const createTransaction = defineApi({
  id: 'create-transaction-api',
  name: 'Create Transaction',
  summary:
    'Opens a checkout at the till, with lines or with an open basket. The answer is the order as the till sees it: a draft that the OMS knows once it is paid.',
  domain: 'commerce',
  type: 'command',
  application: 'pos',
  auth: 'bearer',
  method: 'POST',
  path: '/transactions',
  request: exactlyOne(
    z.strictObject({
      storeId: Id,
      laneId: Id,
      lines: z.array(SkuQuantity).min(1).max(200).optional(),
      basketId: Id.optional().describe('An open basket that is paid at the till.'),
      loyaltyId: Id.optional().describe('Account id or card number of the member who buys.'),
    }),
    ['lines', 'basketId'],
  ),
  response: OrderView,
  status: 201,
  emits: ['checkout-started'],
  problems: ['not_found', 'invalid_state_transition', 'basket_empty', 'customer_blocked', ...dependencyProblems],
});

export const voidTransaction = defineApi({
  id: 'void-transaction-api',
  name: 'Void Transaction',
  summary: 'Cancels a checkout at the till that is not fully paid: its tenders are voided, the last one first, and its stock is released.',
  domain: 'commerce',
  type: 'action',
  application: 'pos',
  auth: 'bearer',
  method: 'POST',
  path: '/transactions/{id}/void',
  request: z.strictObject({ reason: z.string().min(1).max(200).optional() }),
  response: OrderView,
  emits: ['checkout-cancelled'],
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', ...dependencyProblems],
});
