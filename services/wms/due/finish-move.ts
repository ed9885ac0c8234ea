import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { intendedMoves, pickingOrders } from '../collections.ts';
import { finishMoveDue } from '../due-work.ts';
import { carryOutMove } from '../picking/move-picking-order.ts';

/** The FMS may have a status that is not stored here, so it is reported again. */
export const finishMove = handleDue(finishMoveDue)(async ({ key }, scope) => {
  const order = await scope.work.get(pickingOrders, key);
  const move = (await scope.work.get(intendedMoves, key))?.move;
  if (!order || !move) return;
  const moved = await carryOutMove(order, move, scope);
  if (moved instanceof Problem && moved.retryable) throw moved;
});
