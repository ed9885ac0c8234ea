import { z } from 'zod';
import { Currency } from '../currency.ts';
import { PartyContact } from '../customer/objects.ts';
import { defineApi } from '../define.ts';
import { CollectionRequest } from '../inventory/collection.ts';
import { OrderView } from '../order/objects.ts';
import { dependencyProblems } from '../problems.ts';
import { shippingInWords } from '../retailer.ts';
import {
  AccountOrCard,
  Address,
  createMembers,
  exactlyOne,
  Gtin,
  Id,
  Money,
  oneRequired,
  pageOf,
  Quantity,
  queryInteger,
  RequestedLine,
  ShippingMethod,
  typedText,
  VoucherCode,
  withRemedies,
} from '../shapes.ts';
import { TaxPlace } from '../tax.ts';
import { Basket, DigitalChannel, ListedProduct, Product, ProductView } from './objects.ts';
import { Shortage } from './shortage.ts';
import { OutstandingInCash, Receipt } from './transaction.ts';

export const getProduct = defineApi({
  id: 'get-product-api',
  summary:
    'Returns attributes, price, availability and media of a product, by id or SKU. A product that is not active yet, or is archived, is not found.',
  application: 'ecommerce-platform',
  auth: 'none',
  path: '/products/{id}',
  response: ProductView,
  problems: ['not_found'],
});

/** States of products that customers see. */
export const VisibleState = Product.shape.state.extract(['active', 'suspended', 'discontinued']);

export const listProducts = defineApi({
  id: 'list-products-api',
  name: 'List Products',
  summary:
    'Lists the products that customers see, or finds them by a part of their texts, in pages. Products of the fixtures come first, in file order.',
  domain: 'commerce',
  type: 'query',
  application: 'ecommerce-platform',
  auth: 'none',
  method: 'GET',
  path: '/products',
  query: z.strictObject({
    q: typedText(100).optional().describe('Words in the name, the brand, the description or the SKU of a product. Case does not matter.'),
    gtin: Gtin.optional().describe('The product with this barcode, or the product that a price-embedded label names.'),
    state: VisibleState.optional(),
    collectAt: Id.optional().describe('A store where the customer would collect the goods. Adds collection to the products.'),
    limit: queryInteger(1, 100).default(20).describe('Products per page. Default: 20.'),
    cursor: z.string().min(1).max(200).optional().describe('The nextCursor of the previous page.'),
  }),
  response: pageOf(ListedProduct),
  problems: [...dependencyProblems],
  addition: true,
});

export const createBasket = defineApi({
  id: 'create-basket-api',
  summary: 'Opens a basket for a customer or an anonymous session. Lines of the open baskets in mergeBasketIds move into it.',
  type: 'command',
  application: 'ecommerce-platform',
  method: 'POST',
  path: '/baskets',
  request: z.strictObject({
    channel: DigitalChannel,
    currency: Currency.optional().describe('Default: the currency of the retailer.'),
    customerId: Id.optional(),
    lines: z.array(RequestedLine).max(200).optional(),
    destination: TaxPlace.optional().describe(
      'Our addition: where the goods will probably go. A retailer whose prices are without tax estimates the tax for it until checkout. Default: the first address of the customer.',
    ),
    mergeBasketIds: z
      .array(Id)
      .max(10)
      .optional()
      .describe('Open baskets of guests, or of the customer in customerId. The basket of another registered customer is refused.'),
    ...createMembers,
  }),
  response: Basket,
  status: 201,
  emits: ['basket-created'],
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', ...dependencyProblems],
});

export const getBasket = defineApi({
  id: 'get-basket-api',
  name: 'Get Basket',
  summary: 'Returns a basket with its lines, discounts and totals.',
  domain: 'commerce',
  type: 'query',
  application: 'ecommerce-platform',
  auth: 'bearer',
  method: 'GET',
  path: '/baskets/{id}',
  response: Basket,
  problems: ['not_found'],
  addition: true,
});

export const addLineToBasket = defineApi({
  id: 'add-line-to-basket-api',
  name: 'Add Line to Basket',
  summary: 'Adds units of a product to an open basket and reprices it. A SKU that is already in the basket keeps one line.',
  type: 'command',
  application: 'ecommerce-platform',
  method: 'POST',
  path: '/baskets/{id}/lines',
  request: RequestedLine,
  response: Basket,
  status: 201,
  problems: ['not_found', 'invalid_state_transition', 'insufficient_stock', ...dependencyProblems],
  shapes: 'our choice',
});

export const changeBasketLine = defineApi({
  id: 'change-basket-line-api',
  name: 'Change Basket Line',
  summary: 'Sets the quantity of a line in an open basket and reprices it.',
  domain: 'commerce',
  type: 'action',
  application: 'ecommerce-platform',
  auth: 'bearer',
  method: 'PATCH',
  path: '/baskets/{id}/lines/{lineId}',
  request: z.strictObject({ qty: Quantity }),
  response: Basket,
  problems: ['not_found', 'invalid_state_transition', 'insufficient_stock', ...dependencyProblems],
  addition: true,
});

export const removeBasketLine = defineApi({
  id: 'remove-basket-line-api',
  name: 'Remove Basket Line',
  summary: 'Takes a line out of an open basket and reprices it. A basket may become empty.',
  domain: 'commerce',
  type: 'action',
  application: 'ecommerce-platform',
  auth: 'bearer',
  method: 'DELETE',
  path: '/baskets/{id}/lines/{lineId}',
  response: Basket,
  problems: ['not_found', 'invalid_state_transition', ...dependencyProblems],
  addition: true,
});

const isObject = ({ value }: { readonly value: unknown }): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const LATER = 'Only Create Order has this member: leave it and placeOrder out here, and give it to Create Order after the checkout.';
const GIVEN = 'A basket is priced by the estate: leave this out. Create Order with lines and priceSource "given" takes your prices.';

/** Members that only Create Order has. */
const WITH_CREATE_ORDER = {
  ...Object.fromEntries(['reference', 'metadata', 'exchangeForReturnId'].map((name) => [name, LATER])),
  ...Object.fromEntries(['priceSource', 'discount', 'shipping', 'tax', 'taxes', 'taxIncluded', 'total'].map((name) => [name, GIVEN])),
};

/** A checkout has an address, or a store where the customer collects the goods. Its rules are reported together with other mistakes. */
function withAddressOrStore<T extends z.ZodObject>(schema: T): T {
  return withRemedies(schema, WITH_CREATE_ORDER)
    .refine(({ shippingAddress, collection }) => shippingAddress !== undefined || collection !== undefined, {
      path: ['shippingAddress'],
      error: 'This member is required, unless collection names a store.',
      params: { code: 'required' },
      when: isObject,
    })
    .refine(({ shippingAddress, collection }) => shippingAddress === undefined || collection === undefined, {
      path: ['collection'],
      error: 'Give shippingAddress or collection, not both.',
      when: isObject,
    })
    .refine(({ shippingMethod, collection }) => shippingMethod === undefined || collection === undefined, {
      path: ['shippingMethod'],
      error: 'Goods that the customer collects are not shipped: leave the method out.',
      params: { code: 'not_sent' },
      when: isObject,
    })
    .refine(({ payAt, collection }) => payAt !== 'collection' || collection !== undefined, {
      path: ['payAt'],
      error: 'Only an order that the customer collects can be paid there: give collection, or leave payAt out.',
      params: { code: 'not_collected' },
      when: isObject,
    })
    .meta(oneRequired(['shippingAddress', 'collection']));
}

export const checkoutBasket = defineApi({
  id: 'checkout-basket-api',
  summary:
    'Starts the checkout: applies promotions and vouchers, fixes the price, and reserves the stock of every line, for 15 minutes by default. Until the order exists, a call with other values applies them and keeps the reservation. If a client has released the reservation, such a call is refused until the stock is reserved again.',
  type: 'action',
  application: 'ecommerce-platform',
  method: 'POST',
  path: '/baskets/{id}/checkout',
  request: withAddressOrStore(
    z.strictObject({
      shippingAddress: Address.optional().describe('Required, unless collection names a store.'),
      shippingMethod: ShippingMethod.optional().describe(`Default STANDARD. ${shippingInWords}`),
      collection: CollectionRequest.optional().describe(
        'In place of shippingAddress: the customer collects the goods in a store. Shipping is free.',
      ),
      payAt: z
        .enum(['checkout', 'collection'])
        .optional()
        .describe(
          'Default: checkout. With collection, the customer pays at a till of the store before the goods are handed over: Confirm Order needs no payment. The retailer limits the total of such orders.',
        ),
      shortage: Shortage.optional(),
      customerId: Id.optional(),
      contact: PartyContact.optional().describe(
        'Identifies an anonymous customer by e-mail, else phone, else loyalty card. An unknown card identifies nobody. If customerId or the basket names a registered customer, contact has no effect. While the Loyalty Platform does not answer, only e-mail and phone identify the customer, and loyalty.status is unavailable. Repeat the checkout before the order exists to read the card. A contact with only a card is answered with 503 or 504.',
      ),
      voucherCodes: z.array(VoucherCode).max(10).optional(),
      placeOrder: z.boolean().default(false).describe('Creates the order in the same step.'),
    }),
  ),
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
  summary:
    'Opens a checkout at the till, with lines or with an open basket. Returns the order as the till stores it: a draft that the OMS receives once it is paid. A sale that costs nothing is paid and completed in this call. With orderId, the till takes what is outstanding of an order that waits at the counter of its store.',
  type: 'command',
  application: 'pos',
  method: 'POST',
  path: '/transactions',
  request: exactlyOne(
    z.strictObject({
      storeId: Id,
      laneId: Id,
      lines: z.array(RequestedLine).min(1).max(200).optional(),
      basketId: Id.optional().describe('An open basket to be paid at the till.'),
      orderId: Id.optional().describe(
        'Our addition: an order that its customer collects in this store. Its goods wait at the counter, and something is outstanding. The transaction has its id, lines and prices.',
      ),
      loyaltyId: AccountOrCard.optional().describe(
        'Account id or card number of the member. While the Loyalty Platform does not answer, the value is stored unchecked: the sale gets neither a customer nor member prices from it. The member with that id or card, if there is one, still earns the points of the completed order.',
      ),
    }),
    ['lines', 'basketId', 'orderId'],
  ).refine(({ orderId, loyaltyId }) => orderId === undefined || loyaltyId === undefined, {
    path: ['loyaltyId'],
    error: 'The order has its customer: leave loyaltyId out.',
    params: { code: 'unexpected' },
    when: isObject,
  }),
  response: OrderView.extend({
    receipt: Receipt.optional().describe('Present if the sale costs nothing, or the order is paid.'),
    outstanding: Money.optional().describe('Amount left to pay. Present with orderId.'),
    opening: z
      .int()
      .optional()
      .describe('How often a till has begun to take the payment of the order. Void Transaction takes it. Present with orderId.'),
    outstandingInCash: OutstandingInCash,
  }),
  status: 201,
  emits: ['checkout-started'],
  problems: ['not_found', 'invalid_state_transition', 'overpayment', 'basket_empty', 'customer_blocked', ...dependencyProblems],
});

export const voidTransaction = defineApi({
  id: 'void-transaction-api',
  summary: 'Cancels a checkout at the till that is not fully paid. Voids its tenders, last one first, and releases its stock.',
  type: 'action',
  application: 'pos',
  method: 'POST',
  path: '/transactions/{id}/void',
  request: z.strictObject({
    reason: typedText(200).optional(),
    opening: z
      .int()
      .min(1)
      .max(999_999)
      .optional()
      .describe(
        'Our addition, for an order that is collected: the opening that ends, as Create Transaction returned it. Required once a till has begun again, so that a late void never ends another payment.',
      ),
  }),
  response: OrderView,
  emits: ['checkout-cancelled'],
  problems: ['not_found', 'invalid_state_transition', 'conflicting_repeat', ...dependencyProblems],
});

export const commerceApis = [
  getProduct,
  listProducts,
  createTransaction,
  voidTransaction,
  createBasket,
  getBasket,
  addLineToBasket,
  changeBasketLine,
  removeBasketLine,
  checkoutBasket,
] as const;
