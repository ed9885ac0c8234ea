import { z } from 'zod';
import { VoucherReason } from '../../shared/catalog/promotion/apis.ts';
import { Promotion, Voucher } from '../../shared/catalog/promotion/reference-data.ts';
import { Id } from '../../shared/catalog/shapes.ts';
import { defineCollection, defineCounters } from '../../shared/store/collections.ts';

const record = z.object({ id: z.string(), version: z.int() });

/** The rules, by promotion id. */
export const promotions = defineCollection({ name: 'promotions', schema: record.extend({ rule: Promotion }) });

/** The vouchers, by code. How often each was used is counted apart, since many checkouts use one at once. */
export const vouchers = defineCollection({ name: 'vouchers', schema: record.extend({ voucher: Voucher.omit({ used: true }) }) });

/** `left` is kept only for a voucher that has a limit, and never falls below zero. */
export const voucherUses = defineCounters({ name: 'voucher-uses', fields: ['used', 'left'], guards: { withinLimit: { left: 1 } } });

/** The vouchers of a basket and what became of them, by the basket's id. */
export const basketVouchers = defineCollection({
  name: 'basket-vouchers',
  schema: record.extend({
    state: z.enum(['locked', 'redeemed', 'released']),
    codes: z.array(z.object({ code: z.string(), accepted: z.boolean(), reason: VoucherReason.optional() })),
    customerId: Id.optional(),
  }),
});
