import { z } from 'zod';
import { Tier } from '../loyalty/objects.ts';
import { Id, Instant, Money, PositiveMoney, Sku, typedText } from '../shapes.ts';

const Percent = z.number().gt(0).max(100).multipleOf(0.01);
/** An answer repeats the name for each line. */
const Name = typedText(200);
const Skus = z.array(Sku).min(1);

const promotion = {
  id: Id,
  name: Name,
  activeFrom: Instant,
  activeTo: Instant.describe('Exclusive.'),
  priority: z.int().min(1).describe('1 is applied first.'),
  stackable: z
    .boolean()
    .describe(
      'false: applies only to lines without a promotion, and excludes these lines from later promotions. Vouchers apply in addition.',
    ),
};

/** A rule of the Promotion Engine. Percentages apply to the price of a line after earlier discounts. */
export const Promotion = z
  .discriminatedUnion('kind', [
    z.strictObject({ ...promotion, kind: z.literal('percent-off'), percent: Percent, skus: Skus }),
    z.strictObject({ ...promotion, kind: z.literal('amount-off'), amount: PositiveMoney.describe('Discount per unit.'), skus: Skus }),
    z
      .strictObject({ ...promotion, kind: z.literal('buy-x-pay-y'), buy: z.int().min(2), pay: z.int().min(1), skus: Skus })
      .describe('For every `buy` units of the SKUs, the cheapest `buy − pay` are free.'),
    z
      .strictObject({ ...promotion, kind: z.literal('basket-threshold'), threshold: PositiveMoney, discount: PositiveMoney })
      .describe(
        'Once per basket, if its lines cost at least the threshold after earlier discounts. The discount is spread over the lines.',
      ),
    z
      .strictObject({ ...promotion, kind: z.literal('tier-percent'), percent: Percent, tiers: z.array(Tier).min(1) })
      .describe('On every line, for members of these tiers.'),
  ])
  .meta({ id: 'Promotion' });
export type Promotion = z.output<typeof Promotion>;

/** A voucher code for customers. Checkout locks a use; it is released if nothing is bought. */
export const Voucher = z
  .strictObject({
    code: z
      .string()
      .regex(/^[A-Z0-9-]{1,64}$/, 'This must have 1 to 64 capital letters, digits and hyphens.')
      .describe('In upper case. Customers may type it in any case.'),
    name: Name,
    discount: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('percent'), percent: Percent }),
      z.strictObject({ type: z.literal('amount'), amount: PositiveMoney }),
    ]),
    enabled: z.boolean(),
    activeFrom: Instant,
    activeTo: Instant.describe('Exclusive.'),
    usageLimit: z.int().min(1).optional().describe('Uses by all customers together. Default: no limit.'),
    used: z.int().min(0),
    minimum: Money.optional().describe('Minimum price of the goods after promotions.'),
    tiers: z.array(Tier).min(1).optional().describe('Only for members of these tiers.'),
  })
  .meta({ id: 'Voucher' });
export type Voucher = z.output<typeof Voucher>;
