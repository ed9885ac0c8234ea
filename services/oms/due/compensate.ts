import type { DueHandler } from '../../../shared/contract/handler.ts';
import { orders } from '../collections.ts';
import { endCompensation, undoAtOthers } from '../compensation.ts';
import { tryLater } from '../try-later.ts';

/** Undoes at other applications what the order has noted, until all of it is done. */
export const compensate: DueHandler = async (item, scope) => {
  const order = await scope.work.get(orders, item.key);
  if (!order?.undo) return;
  const { failure } = await undoAtOthers(order, order.undo, scope);
  if (failure) tryLater(item, failure, scope);
  else endCompensation(scope.work, order);
};
