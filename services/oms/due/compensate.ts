import { handleDue } from '../../../shared/work/handler.ts';
import { endCompensation, undoAtOthers } from '../cancellation/compensation.ts';
import { orders } from '../collections.ts';
import { compensateDue } from '../due-work.ts';

export const compensate = handleDue(compensateDue)(async ({ key }, scope) => {
  const order = await scope.work.get(orders, key);
  if (!order?.undo) return;
  const { failure } = await undoAtOthers(order, order.undo, scope);
  if (failure) throw failure;
  endCompensation(scope.work, order);
});
