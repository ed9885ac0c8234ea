import { Order } from '../../../shared/catalog/order/objects.ts';
import { type EventHandler, unchanged } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { closeReturnDue, settleReturnDue } from '../returns/due-work.ts';

const ExchangeOrder = Order.pick({ id: true, exchangeForReturnId: true });

/** The return has paid for another order: it is exchanged. The OMS books its units and pays back the surplus. */
export const onOrderConfirmed: EventHandler = async ({ data }, { work }) => {
  const { id: exchangeOrderId, exchangeForReturnId } = ExchangeOrder.parse(data.object);
  if (exchangeForReturnId === undefined) return unchanged('The order is not exchanged for a return.');
  const found = await work.get(returns, exchangeForReturnId);
  // A return that was paid back by hand in the meantime did not pay for the order.
  if (found?.state !== 'inspected') return unchanged(`The return is ${found?.state ?? 'unknown'}: only an inspected one is exchanged.`);
  work.cancel(settleReturnDue, found.id);
  work.schedule(closeReturnDue, found.id, work.now, {});
  work.transition(returns, found, 'exchange', { exchangeOrderId });
  return undefined;
};
