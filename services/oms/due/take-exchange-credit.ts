import { handleDue } from '../../../shared/work/handler.ts';
import { orders } from '../collections.ts';
import { takeExchangeCreditDue } from '../due-work.ts';
import { takeExchangeCredit as takeCredit } from '../returns/exchange-credit.ts';

/** Takes the exchange credit that Create Order could not take. */
export const takeExchangeCredit = handleDue(takeExchangeCreditDue)(async ({ key }, scope) => {
  const order = await scope.work.get(orders, key);
  if (order?.state === 'draft' && !order.pendingAction) await takeCredit(order, scope);
});
