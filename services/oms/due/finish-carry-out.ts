import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { carryOutSale } from '../carry-out/carry-out.ts';
import { orders } from '../collections.ts';
import { finishCarryOutDue } from '../due-work.ts';

/** Continues an interrupted carry-out until the other applications have answered. The goods have left already. */
export const finishCarryOut = handleDue(finishCarryOutDue)(async ({ key }, scope) => {
  const order = await scope.work.get(orders, key);
  if (order?.pendingAction?.action !== 'carry-out') return;
  const outcome = await carryOutSale(order, scope);
  if (outcome instanceof Problem) scope.log.warn({ orderId: key, code: outcome.code }, outcome.message);
});
