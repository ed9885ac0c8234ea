import type { Fixtures } from '../../fixtures/files.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { addLineHandler } from './apis/add-line-to-basket.ts';
import { checkoutBasketHandler } from './apis/checkout-basket.ts';
import { createBasketHandler } from './apis/create-basket.ts';
import { getProductHandler } from './apis/get-product.ts';
import { baskets, checkouts, products, tillBaskets } from './collections.ts';
import { abandonIdleBasket } from './due/basket-idle.ts';
import { reopenBasket } from './due/checkout-ttl.ts';
import { resubmitOrder } from './due/place-order.ts';
import { releaseHoldsOfBasket } from './due/release-holds.ts';
import { undoCheckoutOfBasket } from './due/undo-checkout.ts';
import { abandonBasketHandler } from './internal/abandon-basket.ts';
import { convertBasketHandler } from './internal/convert-basket.ts';
import { getBasketHandler } from './internal/get-basket.ts';
import { listCustomerBasketsHandler } from './internal/list-customer-baskets.ts';
import { moveProductHandler } from './internal/move-product.ts';
import { putTransactionBasketHandler } from './internal/put-transaction-basket.ts';

export const service = defineService({
  application: 'ecommerce-platform',
  collections: [products, baskets, checkouts, tillBaskets],
  counters: [],
  apis: {
    'get-product-api': getProductHandler,
    'create-basket-api': createBasketHandler,
    'add-line-to-basket-api': addLineHandler,
    'checkout-basket-api': checkoutBasketHandler,
  },
  internal: {
    'get-basket': getBasketHandler,
    'convert-basket': convertBasketHandler,
    'put-transaction-basket': putTransactionBasketHandler,
    'abandon-basket': abandonBasketHandler,
    'list-customer-baskets': listCustomerBasketsHandler,
    'move-product': moveProductHandler,
  },
  events: {},
  due: [abandonIdleBasket, reopenBasket, undoCheckoutOfBasket, resubmitOrder, releaseHoldsOfBasket],
});

/** Products with their prices. A world starts without baskets. */
export const seed = (fixtures: Fixtures, _now: number): Seed => ({ objects: [{ of: products, rows: fixtures.products }] });
