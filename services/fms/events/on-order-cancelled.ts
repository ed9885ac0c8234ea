import { Order } from '../../../shared/catalog/order/objects.ts';
import { type EventHandler, unchanged } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { settleReturnDue } from '../returns/due-work.ts';

const ExchangeOrder = Order.pick({ id: true, exchangeForReturnId: true });

/** A return whose exchange order is cancelled is paid back instead. After the exchange, the OMS pays back the credit. */
export const onOrderCancelled: EventHandler = async ({ data }, { work }) => {
  const { exchangeForReturnId } = ExchangeOrder.parse(data.object);
  if (exchangeForReturnId === undefined) return unchanged('The order is not exchanged for a return.');
  const found = await work.get(returns, exchangeForReturnId);
  if (found?.state !== 'inspected')
    return unchanged(`The return is ${found?.state ?? 'unknown'}: only an inspected one is paid back instead.`);
  work.schedule(settleReturnDue, found.id, work.now, {});
  return undefined;
};
