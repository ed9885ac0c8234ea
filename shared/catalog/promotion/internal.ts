import { z } from 'zod';
import { changeOf, membersOfForms } from '../changes.ts';
import { defineInternalCall } from '../define.ts';
import { Id, VoucherCode } from '../shapes.ts';
import { VoucherReason } from './apis.ts';
import { Promotion, Voucher } from './reference-data.ts';

export const recordVoucherUse = defineInternalCall({
  id: 'record-voucher-use',
  summary:
    'Records the use of the vouchers of a basket. They are locked at checkout within their limits, redeemed when the order is confirmed, and released otherwise.',
  type: 'command',
  application: 'promotion-engine',
  method: 'PUT',
  path: '/internal/voucher-uses/{basketId}',
  request: z.strictObject({
    state: z.enum(['locked', 'redeemed', 'released']),
    codes: z
      .array(VoucherCode)
      .max(10)
      .optional()
      .describe('locked: the codes to lock. Other states apply to the locked codes of the basket.'),
    customerId: Id.optional(),
    attempt: z.int().min(1).optional().describe('Number of the checkout. A request of an earlier checkout changes nothing.'),
  }),
  response: z.object({
    basketId: Id,
    state: z.enum(['locked', 'redeemed', 'released']),
    codes: z.array(z.object({ code: VoucherCode, accepted: z.boolean(), reason: VoucherReason.optional() })),
  }),
  callers: ['ecommerce-platform', 'oms'],
});

export const changePromotion = defineInternalCall({
  id: 'change-promotion',
  summary: 'Changes a promotion by merge patch, or creates it. Only the control plane calls it, in the role of the outside world.',
  type: 'action',
  application: 'promotion-engine',
  method: 'PUT',
  path: '/internal/promotions/{id}',
  request: changeOf(membersOfForms(Promotion), ['id']),
  response: z.object({ rule: Promotion }),
  callers: [],
});

export const changeVoucher = defineInternalCall({
  id: 'change-voucher',
  summary:
    'Changes a voucher by merge patch, or creates it. The path has its code. Only the control plane calls it, in the role of the outside world.',
  type: 'action',
  application: 'promotion-engine',
  method: 'PUT',
  path: '/internal/vouchers/{id}',
  request: changeOf(Voucher.shape, ['code']),
  response: Voucher,
  callers: [],
});

export const promotionInternalCalls = [recordVoucherUse, changePromotion, changeVoucher] as const;
