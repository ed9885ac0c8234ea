import { z } from 'zod';
import { defineInternalCall } from '../define.ts';
import { Id, VoucherCode } from '../shapes.ts';
import { VoucherReason } from './apis.ts';

export const recordVoucherUse = defineInternalCall({
  id: 'record-voucher-use',
  name: 'Record Voucher Use',
  summary:
    'The vouchers of a basket: locked at checkout within their limits, redeemed when the order is confirmed, released when it is not.',
  domain: 'promotion',
  type: 'command',
  application: 'promotion-engine',
  method: 'PUT',
  path: '/internal/voucher-uses/{basketId}',
  request: z.strictObject({
    state: z.enum(['locked', 'redeemed', 'released']),
    codes: z.array(VoucherCode).max(10).optional().describe('locked: which; the others keep those of the basket.'),
    customerId: Id.optional(),
  }),
  response: z.object({
    basketId: Id,
    state: z.enum(['locked', 'redeemed', 'released']),
    codes: z.array(z.object({ code: VoucherCode, accepted: z.boolean(), reason: VoucherReason.optional() })),
  }),
  callers: ['ecommerce-platform', 'oms'],
});
