import type { DueHandler } from '../../../shared/contract/handler.ts';
import { cancelled } from '../cancellation.ts';
import { orders } from '../collections.ts';

/** A Cancel Order ended between its intent and the commit of `cancelled`. What is to be undone elsewhere follows as due work. */
export const finishCancellation: DueHandler = async ({ key }, { work }) => {
  const order = await work.get(orders, key);
  if (order?.pendingAction?.action === 'cancel') cancelled(work, order, { verb: 'cancel', at: work.now });
};
