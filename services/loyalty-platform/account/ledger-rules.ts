import type { z } from 'zod';
import {
  type LedgerEntry,
  type LoyaltyAccount,
  SHOWN_ENTRIES,
  type Tier,
  tierThresholds,
} from '../../../shared/catalog/loyalty/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';

export type Account = z.output<typeof LoyaltyAccount>;
export type Entry = z.output<typeof LedgerEntry>;

interface Standing {
  readonly tier: z.output<typeof Tier>;
  /** This and the next member are absent in the highest tier. */
  readonly nextTierThreshold?: number;
  readonly pointsToNextTier?: number;
}

/** The tier follows from the lifetime points, so spending points never lowers it. */
export function standingAt(lifetimePoints: number): Standing {
  const tier = tierThresholds.findLast(({ from }) => from <= lifetimePoints)?.tier ?? tierThresholds[0].tier;
  const next = tierThresholds.find(({ from }) => from > lifetimePoints)?.from;
  return next === undefined ? { tier } : { tier, nextTierThreshold: next, pointsToNextTier: next - lifetimePoints };
}

/**
 * The account with one more entry in its ledger: the only way to change a balance.
 * @throws Problem `insufficient_points` when the balance would become negative
 */
export function withEntry(account: Account, entry: Entry): Account {
  const pointsBalance = account.pointsBalance + entry.points;
  if (pointsBalance < 0) throw insufficientPoints(account, -entry.points);
  const lifetimePoints = Math.max(0, account.lifetimePoints + lifetimePointsOf(entry));
  const shortfall = (account.shortfall ?? 0) + (entry.shortfall ?? 0);
  const { tier: _tier, nextTierThreshold: _next, pointsToNextTier: _missing, shortfall: _before, ...rest } = account;
  return {
    ...rest,
    pointsBalance,
    lifetimePoints,
    ...standingAt(lifetimePoints),
    ...(shortfall > 0 && { shortfall }),
    entryCount: account.entryCount + 1,
    entries: [...account.entries, entry].slice(-SHOWN_ENTRIES),
  };
}

/**
 * Lifetime points of an entry. A refund subtracts the points that it takes back and their shortfall; an entry that settles a shortfall
 * counts as 0, because the refund has subtracted it already.
 */
function lifetimePointsOf({ type, points, shortfall = 0 }: Entry): number {
  if (type === 'earn' || type === 'issue') return points;
  const isTakenBack = type === 'reverse' && points <= 0;
  return isTakenBack ? points - shortfall : 0;
}

const insufficientPoints = ({ id, pointsBalance }: Account, requested: number): Problem =>
  new Problem('insufficient_points', `The member "${id}" has ${pointsBalance} points, not ${requested}.`, {
    objectType: 'loyalty-account',
    id,
    requested,
    available: pointsBalance,
  });
