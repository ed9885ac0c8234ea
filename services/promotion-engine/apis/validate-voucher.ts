import type { z } from 'zod';
import { notFound } from '../../../shared/catalog/problems.ts';
import { validateVoucher as validateVoucherApi } from '../../../shared/catalog/promotion/apis.ts';
import { money } from '../../../shared/domain/money.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import { goodsOfBasket } from '../basket-goods.ts';
import { evaluate, evaluateAmount, type Goods, totalsBySource } from '../evaluation.ts';
import { canonical, isWellFormed, type VoucherOutcome } from '../voucher-rules.ts';

type ValidateRequest = z.output<typeof validateVoucherApi.serviceRequest>;

/** A code that nobody issued is not valid; one that nobody could have issued is not found. */
export const validateVoucher = handle(validateVoucherApi)(async ({ params, body }, scope) => {
  const code = canonical(params.code);
  if (!isWellFormed(code)) throw notFound('voucher', params.code);
  const { currency, outcome } = await tried(code, body, scope);
  const reason = outcome.rejected[0]?.reason;
  if (reason) return { valid: false, code, reason };
  const discount = totalsBySource(outcome.lines).find(({ source }) => source.voucherCode === code)?.amount ?? 0;
  return { valid: true, code, discount: money(discount, currency) };
});

async function tried(
  code: string,
  { basketId, amount, customerId, loyaltyTier }: ValidateRequest,
  scope: Scope,
): Promise<{ currency: string; outcome: VoucherOutcome }> {
  if (amount) {
    const goods: Goods = { currency: amount.currency, customerId, loyaltyTier, lines: [{ sku: '', qty: 1, unitPrice: amount.amount }] };
    return { currency: amount.currency, outcome: await evaluateAmount(goods, code, scope) };
  }
  const goods = { ...(await goodsOfBasket(scope.call, basketId ?? '', customerId)), loyaltyTier };
  return { currency: goods.currency, outcome: await evaluate(goods, [code], scope) };
}
