import { Order } from '../../../shared/catalog/order/objects.ts';
import type { EventHandler } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { submitOrder } from '../due-work.ts';
import { markVoided } from '../sale/compensation.ts';
import { isSale } from '../transaction/transactions.ts';

/**
 * Somebody made an order of the transaction by hand, and it is cancelled, or ran out unpaid: there is nothing left to be paid for. What
 * the till took meanwhile goes back.
 */
export const onOrderCancelled: EventHandler = async (event, { work }) => {
  const { id } = Order.parse(event.data.object);
  const sale = await work.get(transactions, id);
  if (!isSale(sale) || (sale.state !== 'open' && sale.state !== 'paid')) return;
  work.cancel(submitOrder, id);
  markVoided(work, sale, 'order cancelled');
};
