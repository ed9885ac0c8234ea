import type { z } from 'zod';
import { notFound } from '../../../shared/catalog/problems.ts';
import { validateVoucher as validateVoucherApi } from '../../../shared/catalog/promotion/apis.ts';
import { money } from '../../../shared/domain/money.ts';
import { handle, type Scope } from '../../../shared/work/handler.ts';
import { evaluate, evaluateAmount, type Goods, readBasketGoods, totalsBySource } from '../evaluation.ts';
import { canonicalCode, isWellFormed, type VoucherOutcome } from '../voucher-rules.ts';

type ValidateRequest = z.output<typeof validateVoucherApi.serviceRequest>;

/** A malformed code is 404; a well-formed code that does not exist is `valid: false`. */
export const validateVoucher = handle(validateVoucherApi)(async ({ params, body }, scope) => {
  const code = canonicalCode(params.code);
  if (!isWellFormed(code)) throw notFound('voucher', params.code);
  const { currency, outcome } = await tryVoucher(code, body, scope);
  const reason = outcome.rejected[0]?.reason;
  if (reason) return { valid: false, code, reason };
  const discount = totalsBySource(outcome.lines).find(({ source }) => source.voucherCode === code)?.amount ?? 0;
  return { valid: true, code, discount: money(discount, currency) };
});

async function tryVoucher(
  code: string,
  { basketId, amount, customerId, loyaltyTier }: ValidateRequest,
  scope: Scope,
): Promise<{ currency: string; outcome: VoucherOutcome }> {
  if (amount) {
    const goods: Goods = { currency: amount.currency, customerId, loyaltyTier, lines: [{ sku: '', qty: 1, unitPrice: amount.amount }] };
    return { currency: amount.currency, outcome: await evaluateAmount(goods, code, scope) };
  }
  const goods = { ...(await readBasketGoods(scope.call, basketId ?? '', customerId)), loyaltyTier };
  return { currency: goods.currency, outcome: await evaluate(goods, [code], scope) };
}
