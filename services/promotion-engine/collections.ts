import { z } from 'zod';
import { VoucherReason } from '../../shared/catalog/promotion/apis.ts';
import { Promotion, Voucher } from '../../shared/catalog/promotion/reference-data.ts';
import { Id } from '../../shared/catalog/shapes.ts';
import { defineCollection, defineCounters } from '../../shared/store/collections.ts';

const record = z.object({ id: z.string(), version: z.int() });

/** Promotions, by id. */
export const promotions = defineCollection({ name: 'promotions', reference: true, schema: record.extend({ rule: Promotion }) });

/** Vouchers, by code. Their uses are counters, because many checkouts may use one voucher at the same time. */
export const vouchers = defineCollection({ name: 'vouchers', schema: record.extend({ voucher: Voucher.omit({ used: true }) }) });

/**
 * `left` exists only for vouchers with a limit, and never falls below zero. `preset` is the part of `used` that the data or a change by the
 * control plane set. Baskets hold the other uses, so a returned use never lowers `used` below zero.
 */
export const voucherUses = defineCounters({
  name: 'voucher-uses',
  fields: ['used', 'preset', 'left'],
  guards: { withinLimit: { left: 1 }, presetNotNegative: { preset: 1 }, heldAreCounted: { used: 1, preset: -1 } },
});

/** The voucher uses of a basket, by the basket's id. */
export const basketVouchers = defineCollection({
  name: 'basket-vouchers',
  schema: record.extend({
    state: z.enum(['locked', 'redeemed', 'released']),
    codes: z.array(z.object({ code: z.string(), accepted: z.boolean(), reason: VoucherReason.optional() })),
    customerId: Id.optional(),
    /** The last checkout that locked or released uses. */
    attempt: z.int().min(1).optional(),
  }),
});
