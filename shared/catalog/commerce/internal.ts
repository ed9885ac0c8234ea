import { z } from 'zod';
import { changeOf } from '../changes.ts';
import { defineInternalCall } from '../define.ts';
import { LIMITS } from '../limits.ts';
import { dependencyProblems } from '../problems.ts';
import { AccountOrCard, exactlyOne, Id, Money, Quantity, ShippingMethod, Sku, SkuQuantity } from '../shapes.ts';
import { TaxPlace } from '../tax.ts';
import { Basket, Product, ProductVerb } from './objects.ts';
import { Transaction } from './transaction.ts';

export const getBasket = defineInternalCall({
  id: 'get-basket',
  summary: 'Returns the lines and totals of a basket.',
  application: 'ecommerce-platform',
  path: '/internal/baskets/{id}',
  response: Basket.extend({
    checkoutUnderWay: z
      .literal(true)
      .optional()
      .describe('Whether a checkout is reserving stock for the basket, in any state of the basket.'),
  }),
  problems: ['not_found'],
  callers: ['sim', 'promotion-engine', 'oms'],
});

export const listSoldProducts = defineInternalCall({
  id: 'list-sold-products',
  summary: 'Returns which of the SKUs customers may have bought, with their minimum ages. Draft and archived products are left out.',
  type: 'query',
  application: 'ecommerce-platform',
  method: 'POST',
  path: '/internal/products/sold',
  request: z.strictObject({ skus: z.array(Sku).max(LIMITS.lines) }),
  response: z.object({ items: z.array(Product.pick({ sku: true, minAge: true })) }),
  callers: ['oms'],
  addition: true,
});

export const convertBasket = defineInternalCall({
  id: 'convert-basket',
  summary: 'Converts a locked basket into an order. The basket keeps the first orderId, and every repeat returns it.',
  type: 'action',
  application: 'ecommerce-platform',
  method: 'POST',
  path: '/internal/baskets/{id}/convert',
  request: z.strictObject({ orderId: Id }),
  response: Basket,
  problems: ['not_found', 'invalid_state_transition'],
  callers: ['oms'],
});

export const priceOrder = defineInternalCall({
  id: 'price-order',
  summary:
    'Returns what the remaining units of a converted basket cost with the prices of their lines, and with the promotions, vouchers and shipping prices that applied at its checkout. Stores nothing.',
  type: 'query',
  application: 'ecommerce-platform',
  method: 'POST',
  path: '/internal/baskets/{id}/price',
  request: z.strictObject({
    lines: z
      .array(z.strictObject({ lineId: Id, qty: Quantity, discount: Money.optional().describe('Of all lines or none: it stays as it is.') }))
      .min(1)
      .max(200),
    shippingMethod: ShippingMethod.optional().describe('Absent if the customer collects the goods.'),
    destination: TaxPlace.optional().describe('Where the goods are sent. It decides the tax of prices without tax.'),
    collectAt: Id.optional().describe('The store where the customer collects the goods. It decides the tax of prices without tax.'),
    most: z
      .strictObject({ total: Money, shipping: Money })
      .optional()
      .describe(
        'What the order costs now. Ordering less never costs more: first the shipping stays, then the goods get the difference as a discount.',
      ),
  }),
  response: Basket.pick({ lines: true, totals: true }),
  problems: ['not_found', ...dependencyProblems],
  callers: ['oms'],
  addition: true,
});

export const putTransactionBasket = defineInternalCall({
  id: 'put-transaction-basket',
  summary:
    'Creates the basket of a transaction at the till, or takes over an open basket. Prices and locks the basket, and reserves the stock that the store has, without a time limit. One basket per transaction.',
  type: 'command',
  application: 'ecommerce-platform',
  method: 'PUT',
  path: '/internal/baskets/by-transaction/{transactionId}',
  request: exactlyOne(
    z.strictObject({
      storeId: Id,
      lines: z
        .array(
          SkuQuantity.extend({
            labelPrice: Money.optional().describe('Price of the unit on its label, in place of the price of the product.'),
          }),
        )
        .min(1)
        .max(200)
        .optional(),
      basketId: Id.optional(),
      loyaltyId: AccountOrCard.optional().describe(
        'Account id or card number. Stored unchecked while the Loyalty Platform does not answer.',
      ),
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
  summary:
    'Ends the checkout of an unpaid transaction and releases its reservation and vouchers. The path has the id of the transaction. A transaction without a basket can no longer get one. A repeat changes nothing.',
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
  summary: 'Returns the open baskets of a customer and those in checkout, newest first, at most 20.',
  application: 'ecommerce-platform',
  path: '/internal/baskets',
  query: z.strictObject({ customerId: Id }),
  response: z.object({ items: z.array(Basket) }),
  callers: ['clienteling-app'],
});

export const moveProduct = defineInternalCall({
  id: 'move-product',
  summary: 'Moves a product on behalf of assortment management. Only the control plane calls it, in the role of the outside world.',
  type: 'action',
  application: 'ecommerce-platform',
  method: 'POST',
  path: '/internal/products/{id}/moves',
  request: z.strictObject({ verb: ProductVerb }),
  response: Product,
  problems: ['not_found', 'invalid_state_transition'],
  callers: [],
});

export const changeProduct = defineInternalCall({
  id: 'change-product',
  summary:
    'Changes members of a product on behalf of assortment management, by merge patch. Only the control plane calls it, in the role of the outside world. A change to the same values changes nothing.',
  type: 'action',
  application: 'ecommerce-platform',
  method: 'PUT',
  path: '/internal/products/{id}',
  request: changeOf(Product.shape, ['id', 'version', 'state', 'createdAt', 'updatedAt', 'sku']),
  response: Product,
  problems: ['not_found', 'invalid_state_transition'],
  callers: [],
});

export const getTransaction = defineInternalCall({
  id: 'get-transaction',
  summary: 'Returns a checkout at the till with its basket and tenders.',
  application: 'pos',
  path: '/internal/transactions/{id}',
  response: Transaction,
  problems: ['not_found'],
  callers: ['oms', 'payment-hub', 'inventory-service', 'sim'],
});

export const commerceInternalCalls = [
  getBasket,
  listSoldProducts,
  convertBasket,
  priceOrder,
  putTransactionBasket,
  abandonBasket,
  listCustomerBaskets,
  moveProduct,
  changeProduct,
  getTransaction,
] as const;
