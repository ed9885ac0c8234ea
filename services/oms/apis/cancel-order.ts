import { cancelOrder as cancelOrderApi } from '../../../shared/catalog/order/apis.ts';
import { orderLifeCycle } from '../../../shared/catalog/order/objects.ts';
import { again, handle } from '../../../shared/contract/handler.ts';
import { isAgain } from '../../../shared/domain/life-cycle.ts';
import { cancelled, compensated } from '../cancellation.ts';
import { orderById } from '../order-by-id.ts';
import { beginIntent, refuseWhileOther } from '../pending-action.ts';
import { TAKE_OVER_MS } from '../timing.ts';

/**
 * The intent, then the commit of `cancelled`, then everything that is to be undone elsewhere. Nobody who is down keeps an order
 * from being cancelled: what cannot be undone now stays visible as `compensation: 'pending'` until due work has done it.
 */
export const cancelOrder = handle(cancelOrderApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const found = await orderById(work, params.id);
  if (isAgain(orderLifeCycle, found, 'cancel')) return again(await compensated(found, scope));
  refuseWhileOther(found, 'cancel');
  const intended = await beginIntent(work, found, 'cancel', body.reason === undefined ? {} : { cancelReason: body.reason });
  const order = cancelled(work, intended, { verb: 'cancel', at: work.now + TAKE_OVER_MS });
  await work.checkpoint();
  return compensated(order, scope);
});
