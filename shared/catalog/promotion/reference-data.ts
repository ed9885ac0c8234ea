import { z } from 'zod';
import { Tier } from '../loyalty/objects.ts';
import { Id, Instant, Money, PositiveMoney, Sku } from '../shapes.ts';

const Percent = z.number().gt(0).max(100).multipleOf(0.01);
const Skus = z.array(Sku).min(1);

const promotion = {
  id: Id,
  name: z.string().min(1),
  activeFrom: Instant,
  activeTo: Instant.describe('Exclusive.'),
  priority: z.int().min(1).describe('1 is applied first.'),
  stackable: z
    .boolean()
    .describe(
      'False: it takes only lines that no promotion has touched yet, and lets no later one touch them. Vouchers are added in any case.',
    ),
};

/** A rule of the Promotion Engine. Percentages are of what a line still costs when the rule is applied. */
export const Promotion = z
  .discriminatedUnion('kind', [
    z.strictObject({ ...promotion, kind: z.literal('percent-off'), percent: Percent, skus: Skus }),
    z.strictObject({ ...promotion, kind: z.literal('amount-off'), amount: PositiveMoney.describe('Off each unit.'), skus: Skus }),
    z
      .strictObject({ ...promotion, kind: z.literal('buy-x-pay-y'), buy: z.int().min(2), pay: z.int().min(1), skus: Skus })
      .describe('Of each `buy` units of the SKUs together the cheapest `buy − pay` are free.'),
    z
      .strictObject({ ...promotion, kind: z.literal('basket-threshold'), threshold: PositiveMoney, discount: PositiveMoney })
      .describe('Once per basket whose lines still cost at least the threshold; spread over its lines.'),
    z
      .strictObject({ ...promotion, kind: z.literal('tier-percent'), percent: Percent, tiers: z.array(Tier).min(1) })
      .describe('Members of these tiers, on every line.'),
  ])
  .meta({ id: 'Promotion' });
export type Promotion = z.output<typeof Promotion>;

/** A code that customers are given. It is used at checkout and comes back when nothing is bought. */
export const Voucher = z
  .strictObject({
    code: z
      .string()
      .regex(/^[A-Z0-9-]{1,64}$/)
      .describe('In upper case; what a customer types may be in any.'),
    name: z.string().min(1),
    discount: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('percent'), percent: Percent }),
      z.strictObject({ type: z.literal('amount'), amount: PositiveMoney }),
    ]),
    enabled: z.boolean(),
    activeFrom: Instant,
    activeTo: Instant.describe('Exclusive.'),
    usageLimit: z.int().min(1).optional().describe('Over all customers; absent: no limit.'),
    used: z.int().min(0),
    minimum: Money.optional().describe('What the goods must cost, promotions taken off.'),
    tiers: z.array(Tier).min(1).optional().describe('Members of these tiers only.'),
  })
  .meta({ id: 'Voucher' });
export type Voucher = z.output<typeof Voucher>;
