import { closeReturn } from '../../../shared/catalog/order/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { returnRequests } from '../returns/collections.ts';
import { undoReturnDue } from '../returns/due-work.ts';

/** A Create Return got no answer: whatever the OMS has booked for it, or is still to book, is given back. */
export const undoReturn = handleDue(undoReturnDue)(async ({ key }, { work, call }) => {
  const asked = await work.get(returnRequests, key);
  if (!asked || asked.state === 'done') return;
  const { orderId } = asked;
  if (asked.state === 'open') work.put(returnRequests, { id: key, orderId, state: 'undone' });
  await work.checkpoint();
  await call(closeReturn, { params: { id: orderId, returnId: key }, body: { outcome: 'rejected' } }, { step: 'undo' }).catch(unknownOrder);
});

/** Nothing can be booked on an order that the OMS does not have. */
function unknownOrder(error: unknown): undefined {
  if (error instanceof Problem && error.code === 'not_found') return undefined;
  throw error;
}
