import { moveReservation as moveReservationCall } from '../../../shared/catalog/inventory/internal.ts';
import { reservationLifeCycle } from '../../../shared/catalog/inventory/objects.ts';
import { rowFor } from '../../../shared/catalog/life-cycle.ts';
import { notFound } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { movementId, movements, reservations } from '../collections.ts';
import { moveStock } from '../due-work.ts';
import { afterMovement, verbAfter } from '../movement-rules.ts';
import { isTillHold } from '../reservation-rules.ts';
import { refuseWhileReplaced } from '../attempt.ts';

/**
 * The record first, then the stock, before the reply when it can be had: what is promised to others is the same before and after,
 * since these units were not for anybody else in either case.
 */
export const moveReservation = handle(moveReservationCall)(async ({ params: { id }, body }, { work }) => {
  const found = await work.get(reservations, id);
  if (!found) throw notFound('reservation', id);
  const known = movementId(id, body.reference);
  if (await work.get(movements, known)) return again(found);
  // What is held for the till is never confirmed; it leaves as a whole, and the table knows nothing else for it.
  if (!isTillHold(found)) rowFor(reservationLifeCycle, found, 'move-part');
  const { allocations, moved } = afterMovement(found, body);
  await refuseWhileReplaced(found, work);
  work.put(movements, { id: known, reservationId: id, reference: body.reference, kind: body.kind, allocations: moved, pending: true });
  work.schedule(moveStock, id, work.now, {}, { beforeReply: true });
  return work.transition(reservations, found, verbAfter(allocations), { allocations });
});
