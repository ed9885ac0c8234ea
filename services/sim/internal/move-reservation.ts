import { moveReservation as moveReservationCall } from '../../../shared/catalog/inventory/internal.ts';
import { reservationLifeCycle } from '../../../shared/catalog/inventory/objects.ts';
import { rowFor } from '../../../shared/catalog/life-cycle.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { refuseWhileReplaced } from '../attempt.ts';
import { movementId, movements, reservations } from '../collections.ts';
import { moveStockDue } from '../due-work.ts';
import { applyMovement, verbAfter } from '../movement-rules.ts';
import { isTillHold } from '../reservation-rules.ts';

/**
 * Commits the record first; the stock moves before the reply if possible. ATP stays the same, because these units were not available to
 * others.
 */
export const moveReservation = handle(moveReservationCall)(async ({ params: { id }, body }, { work }) => {
  const found = await work.get(reservations, id);
  if (!found) throw notFound('reservation', id);
  const known = movementId(id, body.reference);
  if (await work.get(movements, known)) return again(found);
  // A reservation for the till is never confirmed. All its units leave together, so its life cycle has no `move-part`.
  if (!isTillHold(found)) rowFor(reservationLifeCycle, found, 'move-part');
  const { allocations, moved } = applyMovement(found, body);
  await refuseWhileReplaced(found, work);
  work.put(movements, { id: known, reservationId: id, reference: body.reference, kind: body.kind, allocations: moved, pending: true });
  work.schedule(moveStockDue, id, work.now, {}, { beforeReply: true });
  return work.transition(reservations, found, verbAfter(allocations), { allocations });
});
