import { addLineToBasket } from '../../../shared/catalog/commerce/apis.ts';
import { basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import { rowFor } from '../../../shared/catalog/life-cycle.ts';
import { notFound, Problem } from '../../../shared/catalog/problems.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import { availability } from '../basket/availability.ts';
import { addToLines } from '../basket/lines.ts';
import { currentPrices, priceOpenBasket } from '../basket/price.ts';
import { renewIdleTimer } from '../basket/timers.ts';
import { baskets } from '../collections.ts';
import { productBySku, refuseUnlessSellable } from '../product-rules.ts';

export const addLineHandler = handle(addLineToBasket)(async ({ params, body }, scope) => {
  const { work } = scope;
  const basket = await work.get(baskets, params.id);
  if (!basket) throw notFound('basket', params.id);
  rowFor(basketLifeCycle, basket, 'add-line');
  const lines = addToLines(basket.id, basket.lines, [{ ...body, pointer: '/qty' }]);
  refuseUnlessSellable(await productBySku(work, body.sku));
  const withoutDiscount = await currentPrices(work, lines);
  await refuseUnlessAvailable(scope, body.sku, lines.find(({ sku }) => sku === body.sku)?.qty ?? body.qty);
  const prices = await priceOpenBasket(scope, withoutDiscount);
  return work.transition(baskets, basket, 'add-line', { ...prices, expiresAt: renewIdleTimer(work, basket.id) });
});

/**
 * A line is served by one node, so the best node must have all of it. Only a hint: nothing is held before checkout, and while the
 * Inventory Service does not answer the shopper goes on.
 * @throws Problem 409 `insufficient_stock`
 */
async function refuseUnlessAvailable(scope: Scope, sku: string, requested: number): Promise<void> {
  const found = await availability(scope, sku, requested);
  if (!found || found.maxPerLine >= requested) return;
  const available = Math.max(0, found.maxPerLine);
  throw new Problem('insufficient_stock', `No location has ${requested} of "${sku}"; the most that one can serve is ${available}.`, {
    skus: [{ sku, requested, available }],
  });
}
