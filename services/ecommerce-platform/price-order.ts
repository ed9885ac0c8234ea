import { priceOrder as priceOrderCall } from '../../shared/catalog/commerce/internal.ts';
import type { InputOf } from '../../shared/catalog/define.ts';
import { invalid } from '../../shared/catalog/problems.ts';
import { allocate } from '../../shared/domain/money.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { handle, type Scope } from '../../shared/work/handler.ts';
import { checkoutOf } from './checkout-record.ts';
import { type Basket, baskets, type CheckoutRecord } from './collections.ts';
import { appliedCodes, evaluateDiscounts } from './discounts.ts';
import { currentPrices, type LineToPrice, type LineWithPrice, priceLines } from './pricing.ts';
import { placeOfAddress, placeOfStore } from './tax-place.ts';

type Body = InputOf<typeof priceOrderCall>['body'];

/** Units keep the prices and the tax rates that their checkout fixed. Its promotions and vouchers are evaluated for the remaining units. */
export const priceOrder = handle(priceOrderCall)(async ({ params, body }, scope) => {
  const { work } = scope;
  const basket = await requireObject(work, baskets, params.id);
  const checkout = await checkoutOf(work, basket.id);
  const lines = await remainingLines(basket, { body, checkout }, scope);
  const perLine = await discountsFor(basket, { lines, body, checkout }, scope);
  const discounted = lines.map((line, index) => ({ ...line, discount: perLine[index] ?? 0 }));
  const priced = priceLines(discounted, work.figures, body.shippingMethod);
  return body.most ? atMost(discounted, priced, { ...body, most: body.most, figures: work.figures }) : priced;
});

interface Request {
  readonly body: Body;
  readonly checkout: CheckoutRecord | undefined;
}

async function remainingLines(basket: Basket, { body, checkout }: Request, { work }: Scope): Promise<LineWithPrice[]> {
  const { lines, destination, collectAt } = body;
  const wanted = lines.map(({ lineId, qty }, index) => {
    const line = basket.lines.find((one) => one.lineId === lineId);
    if (!line) throw invalid(`/lines/${index}/lineId`, 'unknown_line', `The basket "${basket.id}" has no line "${lineId}".`);
    return { ...line, qty };
  });
  const atStore = collectAt === undefined ? undefined : await placeOfStore(work, collectAt);
  const place = destination ? placeOfAddress(destination) : atStore;
  const current = await currentPrices(work, wanted, place, checkout?.pricing);
  return current.map((line, index) => ({ ...line, unitPrice: wanted[index]?.unitPrice.amount ?? line.unitPrice }));
}

/**
 * Discounts that the request names stay. A basket that was priced without promotions, because the Promotion Engine did not answer, stays without
 * them. A member has the tier of the checkout.
 */
async function discountsFor(
  basket: Basket,
  { lines, body, checkout }: Request & { readonly lines: readonly LineWithPrice[] },
  scope: Scope,
): Promise<readonly number[]> {
  if (body.lines.every(({ discount }) => discount !== undefined)) return body.lines.map(({ discount }) => discount?.amount ?? 0);
  if (basket.promotionsStatus !== 'available') return lines.map(() => 0);
  const { id: basketId, customerId, loyalty = { status: 'none' } } = basket;
  const shopper = { customerId, tier: checkout?.tier, loyalty: loyalty.status };
  // A record of an earlier version has no time of its prices. The conversion was the last change of the basket.
  const asOf = checkout?.pricing?.at ?? basket.updatedAt;
  return (await evaluateDiscounts(scope, { basketId, lines, codes: appliedCodes(basket), shopper, asOf })).perLine;
}

type Priced = ReturnType<typeof priceLines>;

/**
 * Fewer units may lose a promotion, or free shipping. What that costs beyond the price before is waived: first the shipping that is new, then
 * the goods get a discount in proportion to their prices. A discount lowers the tax that is added to the goods, too.
 */
function atMost(
  lines: readonly LineToPrice[],
  priced: Priced,
  { most, shippingMethod, figures }: Body & { readonly most: NonNullable<Body['most']>; readonly figures: Scope['work']['figures'] },
): Priced {
  const beyond = ({ totals }: Priced): number => totals.total.amount - most.total.amount;
  if (beyond(priced) <= 0) return priced;
  const waived = Math.min(beyond(priced), Math.max(0, priced.totals.shipping.amount - most.shipping.amount));
  const shipping = priced.totals.shipping.amount - waived;
  const goods = priced.lines.map(({ qty, unitPrice, discount }) => qty * unitPrice.amount - discount.amount);
  const net = goods.reduce((sum, amount) => sum + amount, 0);
  const gross = priced.lines.reduce((sum, { lineTotal }) => sum + lineTotal.amount, 0);
  const priceWith = (off: number): Priced => {
    const shares = allocate(off, goods);
    const cheaper = lines.map((line, index) => ({ ...line, discount: line.discount + (shares[index] ?? 0) }));
    return priceLines(cheaper, figures, shippingMethod, shipping);
  };
  let off = 0;
  let cheaper = priceWith(off);
  // Each line rounds its added tax, so that a few minor units may be left after the first discount.
  while (beyond(cheaper) > 0 && off < net) {
    off = Math.min(net, off + Math.ceil((beyond(cheaper) * net) / gross));
    cheaper = priceWith(off);
  }
  return cheaper;
}
