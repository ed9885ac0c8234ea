import { z } from 'zod';
import { defineObject } from '../define-object.ts';
import type { Figures } from '../retailer.ts';
import { commonFields, Id, Instant, isUsableName, Money, NAME, NAME_RULE, UNUSABLE_NAME } from '../shapes.ts';

export const Tier = z
  .enum(['bronze', 'silver', 'gold'])
  .meta({ id: 'Tier', description: 'Tier by lifetime points: by default from 0, 1,000 and 5,000.' });

/** Lifetime points that start a tier, lowest tier first. */
export const tierThresholds = ({ tiers }: Figures['loyalty']) =>
  [
    { tier: 'bronze', from: 0 },
    { tier: 'silver', from: tiers.silver },
    { tier: 'gold', from: tiers.gold },
  ] as const satisfies readonly { tier: z.output<typeof Tier>; from: number }[];

export const tierAt = (lifetimePoints: number, loyalty: Figures['loyalty']): z.output<typeof Tier> =>
  tierThresholds(loyalty).findLast(({ from }) => from <= lifetimePoints)?.tier ?? 'bronze';

/** Tier and next tier. They follow from the lifetime points, so spending points never lowers them. */
export function standingAt(lifetimePoints: number, loyalty: Figures['loyalty']) {
  const tier = tierAt(lifetimePoints, loyalty);
  const next = tierThresholds(loyalty).find(({ from }) => from > lifetimePoints)?.from;
  return next === undefined ? { tier } : { tier, nextTierThreshold: next, pointsToNextTier: next - lifetimePoints };
}

export const CardNumber = z
  .string()
  .trim()
  .min(4)
  .max(32)
  .regex(NAME, NAME_RULE)
  .refine(isUsableName, UNUSABLE_NAME)
  .meta({ id: 'CardNumber', description: 'Card that the member shows at the till.' });

export const LedgerEntry = z
  .object({
    type: z.enum(['earn', 'issue', 'redeem', 'reverse']),
    points: z.int().describe('Signed: change of the balance.'),
    at: Instant,
    orderId: Id.optional(),
    reference: z.string().optional().describe('Cause of the entry, if it is not an order. For reversed earned points: the refund.'),
    reason: z.string().optional().describe('Why points were issued.'),
    shortfall: z
      .int()
      .optional()
      .describe(
        'Earned points that a refund could not take back because the balance was too low. Negative on entries that settle it with later points.',
      ),
  })
  .meta({ id: 'LedgerEntry' });

/** The entries of the ledger that an account shows. */
export const SHOWN_ENTRIES = 20;

export const LoyaltyAccount = z
  .object({
    ...commonFields,
    customerId: Id,
    cardNumber: z.string(),
    pointsBalance: z.int().min(0),
    lifetimePoints: z.int().min(0).describe('All points earned or issued, less points of refunded purchases. They decide the tier.'),
    tier: Tier,
    nextTierThreshold: z.int().optional().describe('Lifetime points that start the next tier. Absent in the highest tier.'),
    pointsToNextTier: z.int().optional(),
    shortfall: z
      .int()
      .min(1)
      .optional()
      .describe('Points that refunds could not take back because the balance was too low. Later points settle them first.'),
    entryCount: z.int().min(0).describe('Number of entries of the whole ledger, whose points add up to the balance.'),
    entries: z
      .array(LedgerEntry)
      .describe(`The newest ${SHOWN_ENTRIES} entries of the append-only ledger, oldest first. List Ledger Entries returns all of them.`),
  })
  .meta({ id: 'LoyaltyAccount' });

/** Points turned into money. It is spent once, as a loyalty tender with this id as its token. */
export const RedemptionState = z.enum(['open', 'spent', 'returned']);

export const Redemption = z
  .object({
    id: Id,
    state: RedemptionState.describe('open: it can pay. spent: it has paid. returned: its points have gone back.'),
    value: Money.describe(
      'open: what it can pay. Otherwise: what it has paid. By default, a point is worth one minor unit of the currency.',
    ),
  })
  .meta({ id: 'Redemption' });

export const RedeemedPoints = z.object({ account: LoyaltyAccount, redemption: Redemption }).meta({ id: 'RedeemedPoints' });

export const loyaltyAccount = defineObject({
  type: 'loyalty-account',
  idPrefix: 'loy',
  owner: 'loyalty-platform',
  meaning: 'Account tracking loyalty participation, balances, benefits and point activity',
  schema: LoyaltyAccount,
  label: ['{cardNumber}'],
  columns: { customer: '{customerId}', points: '{pointsBalance}', tier: '{tier}' },
});
