import type { Fixtures } from '../../fixtures/files.ts';
import { references } from '../../shared/handlers/references.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import {
  abandonIdleBasket,
  addLineHandler,
  changeLineHandler,
  createBasketHandler,
  getBasketCallHandler,
  getBasketHandler,
  listCustomerBasketsHandler,
  releaseReservationsOfBasket,
  removeLineHandler,
} from './baskets.ts';
import { checkoutBasketHandler, reopenBasket } from './checkout.ts';
import { undoCheckoutOfBasket } from './checkout-record.ts';
import { baskets, checkouts, products, tillBaskets } from './collections.ts';
import { convertBasketHandler, resubmitOrder } from './order-placement.ts';
import { priceOrder } from './price-order.ts';
import { changeProductHandler, getProductHandler, listProductsHandler, listSoldProductsHandler, moveProductHandler } from './products.ts';
import { taxPlaces, taxPlacesOf } from './tax-place.ts';
import { abandonBasketHandler, putTransactionBasketHandler } from './till.ts';

export const service = defineService({
  application: 'ecommerce-platform',
  collections: [products, taxPlaces, baskets, checkouts, tillBaskets, references],
  counters: [],
  apis: {
    'get-product-api': getProductHandler,
    'list-products-api': listProductsHandler,
    'create-basket-api': createBasketHandler,
    'get-basket-api': getBasketHandler,
    'add-line-to-basket-api': addLineHandler,
    'change-basket-line-api': changeLineHandler,
    'remove-basket-line-api': removeLineHandler,
    'checkout-basket-api': checkoutBasketHandler,
  },
  internal: {
    'get-basket': getBasketCallHandler,
    'convert-basket': convertBasketHandler,
    'price-order': priceOrder,
    'put-transaction-basket': putTransactionBasketHandler,
    'abandon-basket': abandonBasketHandler,
    'list-sold-products': listSoldProductsHandler,
    'list-customer-baskets': listCustomerBasketsHandler,
    'move-product': moveProductHandler,
    'change-product': changeProductHandler,
  },
  events: {},
  due: [abandonIdleBasket, reopenBasket, undoCheckoutOfBasket, resubmitOrder, releaseReservationsOfBasket],
});

/** Products with their prices. A world starts without baskets. */
export const seed = (fixtures: Fixtures): Seed => ({
  objects: [
    { of: products, rows: fixtures.products },
    { of: taxPlaces, rows: taxPlacesOf(fixtures) },
  ],
});
