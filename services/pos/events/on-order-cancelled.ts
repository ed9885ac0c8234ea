import { Order } from '../../../shared/catalog/order/objects.ts';
import { type EventHandler, unchanged } from '../../../shared/work/handler.ts';
import { transactions } from '../collections.ts';
import { captureTendersDue, submitOrderDue } from '../due-work.ts';
import { markVoided } from '../transaction/outcome.ts';
import { isSale } from '../transaction/transactions.ts';

/** A client's order of the unpaid transaction was cancelled or expired: the transaction is voided, and its tenders are given back. */
export const onOrderCancelled: EventHandler = async (event, { work }) => {
  const { id } = Order.parse(event.data.object);
  const sale = await work.get(transactions, id);
  if (!isSale(sale)) return unchanged('The order is not of a transaction at the till.');
  if (sale.state !== 'open' && sale.state !== 'paid') return unchanged(`The transaction is ${sale.state}.`);
  work.cancel(submitOrderDue, id);
  work.cancel(captureTendersDue, id);
  markVoided(work, sale, 'order cancelled');
  return undefined;
};
