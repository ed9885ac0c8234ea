import { priceOrder as priceOrderCall } from '../../shared/catalog/commerce/internal.ts';
import type { InputOf } from '../../shared/catalog/define.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { allocate } from '../../shared/domain/money.ts';
import { handle, type Scope } from '../../shared/work/handler.ts';
import { requireObject } from '../../shared/work/require-object.ts';
import { checkoutOf } from './checkout-record.ts';
import { type Basket, baskets } from './collections.ts';
import { appliedCodes, evaluateDiscounts } from './discounts.ts';
import { currentPrices, type LineToPrice, type LineWithPrice, priceLines } from './pricing.ts';

type Body = InputOf<typeof priceOrderCall>['body'];

/** Units keep the prices that their basket fixed. Promotions and vouchers are evaluated for the remaining units. */
export const priceOrder = handle(priceOrderCall)(async ({ params, body }, scope) => {
  const { work } = scope;
  const basket = await requireObject(work, baskets, params.id);
  const lines = await remainingLines(basket, body, scope);
  const perLine = await discountsFor(basket, { lines, body }, scope);
  const discounted = lines.map((line, index) => ({ ...line, discount: perLine[index] ?? 0 }));
  const priced = priceLines(discounted, work.figures, body.shippingMethod);
  return body.most ? atMost(discounted, priced, { ...body, most: body.most, figures: work.figures }) : priced;
});

async function remainingLines(basket: Basket, { lines }: Body, { work }: Scope): Promise<LineWithPrice[]> {
  const wanted = lines.map(({ lineId, qty }, index) => {
    const line = basket.lines.find((one) => one.lineId === lineId);
    if (!line) throw invalid(`/lines/${index}/lineId`, 'unknown_line', `The basket "${basket.id}" has no line "${lineId}".`);
    return { ...line, qty };
  });
  const current = await currentPrices(work, wanted);
  return current.map((line, index) => ({ ...line, unitPrice: wanted[index]?.unitPrice.amount ?? line.unitPrice }));
}

/**
 * Discounts that the request names stay. A basket that was priced without promotions, because the Promotion Engine did not answer, stays without
 * them. A member has the tier of the checkout.
 */
async function discountsFor(
  basket: Basket,
  { lines, body }: { readonly lines: readonly LineWithPrice[]; readonly body: Body },
  scope: Scope,
): Promise<readonly number[]> {
  if (body.lines.every(({ discount }) => discount !== undefined)) return body.lines.map(({ discount }) => discount?.amount ?? 0);
  if (basket.promotionsStatus !== 'available') return lines.map(() => 0);
  const { id: basketId, customerId, loyalty = { status: 'none' } } = basket;
  const tier = (await checkoutOf(scope.work, basketId))?.tier;
  const shopper = { customerId, tier, loyalty: loyalty.status };
  return (await evaluateDiscounts(scope, { basketId, lines, codes: appliedCodes(basket), shopper, asOf: body.asOf })).perLine;
}

type Priced = ReturnType<typeof priceLines>;

/**
 * Fewer units may lose a promotion, or free shipping. What that costs beyond the price before is waived: first the shipping that is new, then
 * the goods get a discount in proportion to their prices.
 */
function atMost(
  lines: readonly LineToPrice[],
  priced: Priced,
  { most, shippingMethod, figures }: Body & { readonly most: NonNullable<Body['most']>; readonly figures: Scope['work']['figures'] },
): Priced {
  const beyond = priced.totals.total.amount - most.total.amount;
  if (beyond <= 0) return priced;
  const waived = Math.min(beyond, Math.max(0, priced.totals.shipping.amount - most.shipping.amount));
  const shipping = priced.totals.shipping.amount - waived;
  const goods = priced.lines.map(({ lineTotal }) => lineTotal.amount);
  const off = allocate(
    Math.min(
      beyond - waived,
      goods.reduce((sum, amount) => sum + amount, 0),
    ),
    goods,
  );
  const cheaper = lines.map((line, index) => ({ ...line, discount: line.discount + (off[index] ?? 0) }));
  return priceLines(cheaper, figures, shippingMethod, shipping);
}
