import { moveReturn as moveReturnCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import { published, returnById, type StoredReturn } from '../returns/collections.ts';
import { approve, inspect, receive, refuseOnceWrittenOff, writeOff } from '../returns/moves.ts';
import { beginRejection, carryOnRejection } from '../returns/rejection.ts';
import { TAKE_OVER_MS } from '../timing.ts';

/** Moves a return on request of the control plane. Without such requests, the progression moves it. */
export const moveReturn = handle(moveReturnCall)(async ({ params, body }, scope) => {
  const found = await returnById(scope.work, params.id);
  switch (body.verb) {
    case 'approve':
      return published(await approve(found, scope));
    case 'receive':
      return published(await receive(found, scope));
    case 'inspect':
      return published(await inspect(found, body.lines, scope));
    case 'write-off':
      return published(writeOff(found, scope));
    case 'reject': {
      const outcome = await reject(found, body.reason, scope);
      return outcome instanceof Problem ? outcome : published(outcome);
    }
  }
});

async function reject(found: StoredReturn, reason: string | undefined, scope: Scope): Promise<StoredReturn | Problem> {
  const { work } = scope;
  // A rejection that has begun is continued.
  if (found.rejecting) return carryOnRejection(found, scope);
  refuseOnceWrittenOff(found, 'reject');
  const rejecting = beginRejection(work, found, { reason, at: work.now + TAKE_OVER_MS });
  await work.checkpoint();
  return carryOnRejection(rejecting, scope);
}
