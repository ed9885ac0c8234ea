import type { DueHandler } from '../../../shared/work/handler.ts';
import { endCompensation, undoAtOthers } from '../cancellation/compensation.ts';
import { orders } from '../collections.ts';

/** Undoes at other applications what the order has noted, until all of it is done. */
export const compensate: DueHandler = async ({ key }, scope) => {
  const order = await scope.work.get(orders, key);
  if (!order?.undo) return;
  const { failure } = await undoAtOthers(order, order.undo, scope);
  if (failure) throw failure;
  endCompensation(scope.work, order);
};
