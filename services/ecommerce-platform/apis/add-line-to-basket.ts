import { addLineToBasket } from '../../../shared/catalog/commerce/apis.ts';
import { basketLifeCycle } from '../../../shared/catalog/commerce/objects.ts';
import { rowFor } from '../../../shared/catalog/life-cycle.ts';
import { notFound, Problem } from '../../../shared/catalog/problems.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import { currentPrices, priceOpenBasket } from '../basket/current-prices.ts';
import { restartIdleTimer } from '../basket/idle-timer.ts';
import { addToLines } from '../basket/lines.ts';
import { baskets } from '../collections.ts';
import { readAvailability } from '../product/availability.ts';
import { productBySku, refuseUnlessSellable } from '../product/products.ts';

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
  return work.transition(baskets, basket, 'add-line', { ...prices, expiresAt: restartIdleTimer(work, basket.id) });
});

/**
 * One location serves a line, so the best location must have all units. Without an answer of the Inventory Service, the line is accepted.
 * @throws Problem 409 `insufficient_stock`
 */
async function refuseUnlessAvailable(scope: Scope, sku: string, requested: number): Promise<void> {
  const found = await readAvailability(scope, sku, requested);
  if (!found || found.maxPerLine >= requested) return;
  const available = Math.max(0, found.maxPerLine);
  throw new Problem('insufficient_stock', `No location has ${requested} of "${sku}"; the most that one can serve is ${available}.`, {
    skus: [{ sku, requested, available }],
  });
}
