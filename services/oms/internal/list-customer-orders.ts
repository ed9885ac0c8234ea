import { listCustomerOrders as listCustomerOrdersCall } from '../../../shared/catalog/order/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { orders } from '../collections.ts';
import { published } from '../order-view.ts';

const MAX_ORDERS = 20;

export const listCustomerOrders = handle(listCustomerOrdersCall)(async ({ query }, { work }) => ({
  items: (await work.find(orders, 'customer', query.customerId, { limit: MAX_ORDERS, newestFirst: true })).items.map(published),
}));
