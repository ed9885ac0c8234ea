import { z } from 'zod';
import { defineApi } from '../define.ts';
import { OrderView } from '../order/objects.ts';
import { dependencyProblems } from '../problems.ts';
import {
  AccountOrCard,
  Address,
  Currency,
  Email,
  exactlyOne,
  Id,
  Phone,
  ShippingMethod,
  SkuQuantity,
  typedText,
  VoucherCode,
} from '../shapes.ts';
import { shippingInWords } from '../shipping-prices.ts';
import { Basket, DigitalChannel, ProductView } from './objects.ts';

export const getProduct = defineApi({
  id: 'get-product-api',
  name: 'Get Product',
  summary:
    'Returns attributes, price, availability and media of a product, by id or SKU. A product is not found before it becomes active, and after it is archived.',
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
  summary: 'Opens a basket for a customer or an anonymous session. It takes over the lines of the open baskets in mergeBasketIds.',
  domain: 'commerce',
  type: 'command',
  application: 'ecommerce-platform',
  auth: 'bearer',
  method: 'POST',
  path: '/baskets',
  request: z.strictObject({
    channel: DigitalChannel,
    currency: Currency.optional().describe('Default: EUR.'),
    customerId: Id.optional(),
    lines: z.array(SkuQuantity).max(200).optional(),
    mergeBasketIds: z
      .array(Id)
      .max(10)
      .optional()
      .describe(
        'Open baskets of guests, or of the customer in customerId. The basket of another registered customer is refused, also for a guest.',
      ),
  }),
  response: Basket,
  status: 201,
  emits: ['basket-created'],
  problems: ['not_found', 'invalid_state_transition', ...dependencyProblems],
});

export const addLineToBasket = defineApi({
  id: 'add-line-to-basket-api',
  name: 'Add Line to Basket',
  summary: 'Adds units of a product to an open basket and reprices it. A SKU that is already in the basket keeps one line.',
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
    'Starts the checkout: applies promotions and vouchers, fixes the price, and holds the stock of every line for 15 minutes. Before the order exists, a call with other values applies these values and keeps the hold. If a client has released the hold, that call is refused until the stock of the basket is reserved again.',
  domain: 'commerce',
  type: 'action',
  application: 'ecommerce-platform',
  auth: 'bearer',
  method: 'POST',
  path: '/baskets/{id}/checkout',
  request: z.strictObject({
    shippingAddress: Address,
    shippingMethod: ShippingMethod.optional().describe(`Default STANDARD. ${shippingInWords}`),
    customerId: Id.optional(),
    contact: z
      .strictObject({ email: Email.optional(), phone: Phone.optional(), loyaltyCard: typedText(64).optional() })
      .optional()
      .describe(
        'Identifies an anonymous customer: as the one registered with that e-mail, else phone, else loyalty card; an unknown card identifies nobody. If customerId, or the basket, names a registered customer, contact changes nothing. While the Loyalty Platform does not answer, e-mail or phone identify the customer without the card, loyalty.status is unavailable, and the same checkout sent again before there is an order reads the card. The card alone is then answered with 503 or 504.',
      ),
    voucherCodes: z.array(VoucherCode).max(10).optional(),
    placeOrder: z.boolean().default(false).describe('Creates the order in the same step.'),
  }),
  response: Basket,
  emits: ['inventory-reserved', 'reservation-created', 'checkout-started', 'order-created'],
  problems: [
    'not_found',
    'invalid_state_transition',
    'basket_empty',
    'insufficient_stock',
    'reservation_expired',
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
    'Opens a checkout at the till, with lines or with an open basket. Returns the order as the till sees it: a draft, which reaches the OMS once it is paid.',
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
      basketId: Id.optional().describe('An open basket to be paid at the till.'),
      loyaltyId: AccountOrCard.optional().describe(
        'Account id or card number of the member. While the Loyalty Platform does not answer, it is taken as it was given: nobody checks whether it exists or whose it is, the sale gets no customer from it, and there are no member prices. The points of the completed order go to the member with that id or card, if there is one.',
      ),
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
  summary: 'Cancels a checkout at the till that is not fully paid. Its tenders are voided, the last one first, and its stock is released.',
  domain: 'commerce',
  type: 'action',
  application: 'pos',
  auth: 'bearer',
  method: 'POST',
  path: '/transactions/{id}/void',
  request: z.strictObject({ reason: typedText(200).optional() }),
  response: OrderView,
  emits: ['checkout-cancelled'],
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', ...dependencyProblems],
});
