import { Order } from '../../../shared/catalog/order/objects.ts';
import type { EventHandler } from '../../../shared/work/handler.ts';
import { returns } from '../returns/collections.ts';
import { settleReturnDue } from '../returns/due-work.ts';

const ExchangeOrder = Order.pick({ id: true, exchangeForReturnId: true });

/** The order that a return waited for will not be: it is paid back instead. Of one that was exchanged the OMS pays back the credit. */
export const onOrderCancelled: EventHandler = async ({ data }, { work }) => {
  const { exchangeForReturnId } = ExchangeOrder.parse(data.object);
  const found = exchangeForReturnId === undefined ? undefined : await work.get(returns, exchangeForReturnId);
  if (found?.state === 'inspected') work.schedule(settleReturnDue, found.id, work.now, {});
};
