import type { DueHandler } from '../../../shared/contract/handler.ts';
import { cancelled } from '../cancellation.ts';
import { orders } from '../collections.ts';
import { LOOK_AGAIN_MS } from '../timing.ts';

/** A draft that nobody confirmed within a day is cancelled like any other. A verb that is under way goes first. */
export const expireDraft: DueHandler = async ({ kind, key }, { work }) => {
  const order = await work.get(orders, key);
  if (order?.state !== 'draft') return;
  if (order.pendingAction) work.due(kind, key, work.now + LOOK_AGAIN_MS, {});
  else await cancelled(work, order, { verb: 'expire', cancelReason: 'expired', at: work.now });
};
