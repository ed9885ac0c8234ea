import { closeReturn } from '../../../shared/catalog/order/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { returnRequests } from '../returns/collections.ts';
import { undoReturnDue } from '../returns/due-work.ts';

/** After a Create Return without an answer, the OMS releases its bookings, present and future. */
export const undoReturn = handleDue(undoReturnDue)(async ({ key }, { work, call }) => {
  const request = await work.get(returnRequests, key);
  if (!request || request.state === 'done') return;
  const { orderId } = request;
  if (request.state === 'open') work.put(returnRequests, { id: key, orderId, state: 'undone' });
  await work.checkpoint();
  await call(closeReturn, { params: { id: orderId, returnId: key }, body: { outcome: 'rejected' } }, { step: 'undo' }).catch(
    acceptUnknownOrder,
  );
});

/** An order that is unknown to the OMS has no booked units. */
function acceptUnknownOrder(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not_found') return undefined;
  throw error;
}
