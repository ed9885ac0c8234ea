import { isAgain, refusal } from '../../../shared/catalog/life-cycle.ts';
import { carryOut as carryOutCall } from '../../../shared/catalog/order/internal.ts';
import { orderLifeCycle } from '../../../shared/catalog/order/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { carryOutSale } from '../carry-out/carry-out.ts';
import { orderById, type StoredOrder } from '../collections.ts';
import { beginIntent, refuseWhileOtherPending } from '../order/pending-action.ts';
import { isSale } from '../order/sale.ts';
import { published } from '../order-view.ts';

/** A repeat or due work continues an interrupted carry-out, because the customer already has the goods. */
export const carryOut = handle(carryOutCall)(async ({ params }, scope) => {
  const { work } = scope;
  const found = await orderById(work, params.id);
  if (!isSale(found)) throw noSale(found);
  if (isAgain(orderLifeCycle, found, 'carry-out')) return again(published(found));
  refuseWhileOtherPending(found, 'carry-out');
  const outcome = await carryOutSale(await beginIntent(work, found, 'carry-out'), scope);
  return outcome instanceof Problem ? outcome : published(outcome);
});

const noSale = (order: StoredOrder): Problem =>
  refusal(orderLifeCycle, order, 'carry-out', `The order "${order.id}" was not sold at the till; its goods are shipped, not carried out.`);
