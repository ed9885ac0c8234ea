import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { intendedMoves, pickingOrders } from '../collections.ts';
import { finishMoveDue } from '../due-work.ts';
import { carryOut } from '../picking/picking.ts';

/** The FMS may have heard of a status that is not stored here: it is told once more. */
export const finishMove = handleDue(finishMoveDue)(async ({ key }, scope) => {
  const order = await scope.work.get(pickingOrders, key);
  const move = (await scope.work.get(intendedMoves, key))?.move;
  if (!order || !move) return;
  const moved = await carryOut(order, move, scope);
  if (moved instanceof Problem && moved.retryable) throw moved;
});
