import { listCustomerOrders as listCustomerOrdersCall } from '../../../shared/catalog/order/internal.ts';
import { handle } from '../../../shared/work/handler.ts';
import { orders } from '../collections.ts';
import { published } from '../order-view.ts';

const MOST = 20;

export const listCustomerOrders = handle(listCustomerOrdersCall)(async ({ query }, { work }) => ({
  items: (await work.find(orders, 'customer', query.customerId, { limit: MOST, newestFirst: true })).items.map(published),
}));
