import type { z } from 'zod';
import { evaluatePromotions as evaluatePromotionsApi } from '../../../shared/catalog/promotion/apis.ts';
import { CURRENCY, money } from '../../../shared/domain/money.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import { evaluate, type Goods, readBasketGoods, totalsBySource } from '../evaluation.ts';
import type { PricedLine } from '../pricing.ts';
import type { VoucherOutcome } from '../voucher-rules.ts';

type EvaluateRequest = z.output<typeof evaluatePromotionsApi.serviceRequest>;

export const evaluatePromotions = handle(evaluatePromotionsApi)(async ({ body }, scope) => {
  const goods = await goodsOf(body, scope);
  return answerOf(goods, await evaluate(goods, body.voucherCodes ?? [], scope));
});

/** The lines of the request, or otherwise the lines of its basket. */
async function goodsOf({ basketId, lines, customerId, loyaltyTier }: EvaluateRequest, { call }: Scope): Promise<Goods> {
  if (lines === undefined) return { ...(await readBasketGoods(call, basketId ?? '', customerId)), loyaltyTier };
  return {
    basketId,
    customerId,
    loyaltyTier,
    currency: CURRENCY,
    lines: lines.map(({ sku, qty, unitPrice }) => ({ sku, qty, unitPrice: unitPrice.amount })),
  };
}

function answerOf({ currency }: Goods, { lines, rejected }: VoucherOutcome) {
  const shown = ({ source, amount }: PricedLine['discounts'][number]) => ({ ...source, discount: money(amount, currency) });
  const discountOf = ({ qty, unitPrice, left }: PricedLine): number => qty * unitPrice - left;
  return {
    lines: lines.map((line) => ({
      sku: line.sku,
      qty: line.qty,
      unitPrice: money(line.unitPrice, currency),
      discounts: line.discounts.map(shown),
      discount: money(discountOf(line), currency),
      lineTotal: money(line.left, currency),
    })),
    totalDiscount: money(
      lines.reduce((sum, line) => sum + discountOf(line), 0),
      currency,
    ),
    applied: totalsBySource(lines).map(shown),
    rejected: [...rejected],
  };
}
