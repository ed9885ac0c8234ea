import type { Fixtures } from '../../fixtures/files.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { changePromotion, changeVoucher } from './changes.ts';
import { basketVouchers, promotions, vouchers, voucherUses } from './collections.ts';
import { evaluatePromotions, validateVoucher } from './evaluation.ts';
import { recordVoucherUse } from './voucher-uses.ts';

export const service = defineService({
  application: 'promotion-engine',
  collections: [promotions, vouchers, basketVouchers],
  counters: [voucherUses],
  apis: { 'evaluate-promotions-api': evaluatePromotions, 'validate-voucher-api': validateVoucher },
  internal: { 'record-voucher-use': recordVoucherUse, 'change-promotion': changePromotion, 'change-voucher': changeVoucher },
  events: {},
  due: [],
});

export function seed(fixtures: Fixtures): Seed {
  return {
    objects: [
      { of: promotions, rows: fixtures.promotions.map((rule) => ({ id: rule.id, version: 1, rule })) },
      { of: vouchers, rows: fixtures.vouchers.map(({ used: _used, ...voucher }) => ({ id: voucher.code, version: 1, voucher })) },
    ],
    counters: [
      {
        of: voucherUses,
        rows: Object.fromEntries(
          fixtures.vouchers.map(({ code, used, usageLimit }) => [
            code,
            { used, preset: used, ...(usageLimit !== undefined && { left: usageLimit - used }) },
          ]),
        ),
      },
    ],
  };
}
