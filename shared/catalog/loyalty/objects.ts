import { z } from 'zod';
import { defineObject } from '../define-object.ts';
import { commonFields, Id, Instant, Money } from '../shapes.ts';

export const Tier = z.enum(['bronze', 'silver', 'gold']).meta({ id: 'Tier', description: 'By lifetime points: 0, 1,000, 5,000.' });

/** Lifetime points from which a tier is reached, lowest tier first. */
export const tierThresholds = [
  { tier: 'bronze', from: 0 },
  { tier: 'silver', from: 1000 },
  { tier: 'gold', from: 5000 },
] as const satisfies readonly { tier: z.output<typeof Tier>; from: number }[];

export const CardNumber = z
  .string()
  .regex(/^[A-Za-z0-9._-]{4,32}$/)
  .meta({ id: 'CardNumber', description: 'What the member shows at the till.' });

export const LedgerEntry = z
  .object({
    type: z.enum(['earn', 'issue', 'redeem', 'reverse']),
    points: z.int().describe('Signed: what the entry adds to the balance.'),
    at: Instant,
    orderId: Id.optional(),
    reference: z
      .string()
      .optional()
      .describe('What the entry is booked for, when it is not an order; of a reversal of earned points: the refund.'),
    reason: z.string().optional().describe('What points were issued for.'),
    shortfall: z
      .int()
      .optional()
      .describe(
        'Earned points that a refund should have taken back, and the balance did not have; negative where points that came later settle it.',
      ),
  })
  .meta({ id: 'LedgerEntry' });

export const LoyaltyAccount = z
  .object({
    ...commonFields,
    customerId: Id,
    cardNumber: z.string(),
    pointsBalance: z.int().min(0),
    lifetimePoints: z.int().min(0).describe('All points earned or issued, less those of purchases that no longer count; decides the tier.'),
    tier: Tier,
    nextTierThreshold: z.int().optional().describe('Lifetime points of the next tier; absent in the highest.'),
    pointsToNextTier: z.int().optional(),
    entries: z.array(LedgerEntry).describe('The append-only ledger, oldest first; its points add up to the balance.'),
  })
  .meta({ id: 'LoyaltyAccount' });

/** Points turned into money that can be spent once, as tender of type loyalty with this id as token. */
export const Redemption = z.object({ id: Id, value: Money.describe('One point is worth 0.01.') }).meta({ id: 'Redemption' });

export const loyaltyAccount = defineObject({
  type: 'loyalty-account',
  domain: 'loyalty',
  owner: 'loyalty-platform',
  meaning: 'Account tracking loyalty participation, balances, benefits and point activity',
  schema: LoyaltyAccount,
});
