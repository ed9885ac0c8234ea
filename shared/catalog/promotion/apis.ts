import { z } from 'zod';
import { defineApi } from '../define.ts';
import { Tier } from '../loyalty/objects.ts';
import { dependencyProblems } from '../problems.ts';
import { atLeastOne, exactlyOne, Id, Instant, Money, PositiveMoney, Quantity, Sku, VoucherCode } from '../shapes.ts';

export const VoucherReason = z
  .enum(['not_found', 'voucher_expired', 'voucher_disabled', 'quantity_exceeded', 'order_rules_violated', 'customer_rules_violated'])
  .meta({ id: 'VoucherReason', description: 'Why a voucher gives no discount.' });

/** A discount from a promotion or a voucher. */
const AppliedDiscount = z
  .object({ promotionId: Id.optional(), voucherCode: VoucherCode.optional(), name: z.string(), discount: Money })
  .meta({ id: 'AppliedDiscount' });

const EvaluateRequest = z.strictObject({
  basketId: Id.optional(),
  lines: z
    .array(z.strictObject({ sku: Sku, qty: Quantity, unitPrice: PositiveMoney }))
    .min(1)
    .max(200)
    .optional(),
  customerId: Id.optional(),
  voucherCodes: z.array(VoucherCode).max(10).optional(),
});
const loyaltyTier = Tier.optional().describe('Sent by applications that have read it.');
const asOf = Instant.optional().describe('Sent by applications: the rules that ran at this time apply. Default: now.');

export const evaluatePromotions = defineApi({
  id: 'evaluate-promotions-api',
  summary:
    'Returns the discounts of promotions and vouchers for a basket. Promotions apply by priority, each to the prices after earlier promotions. A promotion that is not stackable applies only to lines without a promotion, and excludes these lines from later promotions. Vouchers follow in the given order, on every line. A percentage is rounded half up; an amount for several lines is split in proportion to their prices, by largest remainder. Nothing is stored, and no voucher is used. While the CRM or the Loyalty Platform does not answer, the tier is unknown: promotions for members give no discount, and a request with a voucher for members is answered with 503 or 504.',
  type: 'command',
  application: 'promotion-engine',
  method: 'POST',
  path: '/promotions/evaluate',
  request: exactlyOne(EvaluateRequest, ['basketId', 'lines']),
  serviceRequest: atLeastOne(EvaluateRequest.extend({ loyaltyTier, asOf }), ['basketId', 'lines']),
  response: z.object({
    lines: z
      .array(
        z.object({ sku: Sku, qty: Quantity, unitPrice: Money, discounts: z.array(AppliedDiscount), discount: Money, lineTotal: Money }),
      )
      .describe('Sorted as in the request.'),
    totalDiscount: Money,
    applied: z.array(AppliedDiscount),
    rejected: z.array(z.object({ code: VoucherCode, reason: VoucherReason })),
  }),
  problems: ['not_found', ...dependencyProblems],
  shapes: 'our choice',
  storesNothing: true,
});

const ValidateRequest = z.strictObject({ basketId: Id.optional(), amount: PositiveMoney.optional(), customerId: Id.optional() });

export const validateVoucher = defineApi({
  id: 'validate-voucher-api',
  summary:
    'Returns whether a voucher can be used for a basket or an amount, and its discount. Unknown codes are not valid. A code longer than 64 characters, or with other characters than letters, digits and hyphens, is answered with 404.',
  type: 'query',
  application: 'promotion-engine',
  method: 'POST',
  path: '/vouchers/{code}/validate',
  request: exactlyOne(ValidateRequest, ['basketId', 'amount']),
  serviceRequest: exactlyOne(ValidateRequest.extend({ loyaltyTier }), ['basketId', 'amount']),
  response: z.object({ valid: z.boolean(), code: VoucherCode, discount: Money.optional(), reason: VoucherReason.optional() }),
  problems: ['not_found', ...dependencyProblems],
  shapes: 'our choice',
});

export const promotionApis = [evaluatePromotions, validateVoucher] as const;
