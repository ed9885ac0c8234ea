import type { z } from 'zod';
import { type LedgerEntry, type LoyaltyAccount, type Tier, tierThresholds } from '../../../shared/catalog/loyalty/objects.ts';
import { invalid, Problem } from '../../../shared/catalog/problems.ts';
import { CURRENCY, type Money } from '../../../shared/domain/money.ts';
import type { Earning } from '../collections.ts';

export type Account = z.output<typeof LoyaltyAccount>;
export type Entry = z.output<typeof LedgerEntry>;

const MINOR_UNITS_PER_EARNED_POINT = 100;

/** A point is worth 0.01: as many points as minor units. */
export const worthOf = (points: number): Money => ({ amount: points, currency: CURRENCY });

/** @throws Problem `validation_failed` for money in another currency than the one in which points have a value */
export function pointsWorth({ amount, currency }: Money, pointer: string): number {
  if (currency !== CURRENCY) throw invalid(pointer, 'currency', `Points have a value in ${CURRENCY}, not in ${currency}.`);
  return amount;
}

/** One point per full 1.00. @param amount in minor units */
export const pointsForAmount = (amount: number): number => Math.floor(amount / MINOR_UNITS_PER_EARNED_POINT);

/**
 * How many points all refunds of an order up to this one take back together: those that what is still paid would not have earned.
 * Refunds that are not in the amount take nothing.
 */
export function pointsToTakeBack({ earned, refunds }: Pick<Earning, 'earned' | 'refunds'>, upTo: { readonly id: string }): number {
  if (!earned) return 0;
  const until = refunds.slice(0, refunds.findIndex(({ id }) => id === upTo.id) + 1);
  const refunded = until.filter(({ id }) => !earned.deducted.includes(id)).reduce((sum, { amount }) => sum + amount, 0);
  return earned.points - pointsForAmount(Math.max(0, earned.amount - refunded));
}

interface Standing {
  readonly tier: z.output<typeof Tier>;
  /** Both are absent in the highest tier. */
  readonly nextTierThreshold?: number;
  readonly pointsToNextTier?: number;
}

/** Tiers are reached by all points earned or issued that still count: spending points never costs a tier. */
export function standingAt(lifetimePoints: number): Standing {
  const tier = tierThresholds.findLast(({ from }) => from <= lifetimePoints)?.tier ?? tierThresholds[0].tier;
  const next = tierThresholds.find(({ from }) => from > lifetimePoints)?.from;
  return next === undefined ? { tier } : { tier, nextTierThreshold: next, pointsToNextTier: next - lifetimePoints };
}

/**
 * The account with one more entry in its ledger. Nothing else changes a balance.
 * @throws Problem `insufficient_points` when the balance would become negative
 */
export function withEntry(account: Account, entry: Entry): Account {
  const pointsBalance = account.pointsBalance + entry.points;
  if (pointsBalance < 0) throw insufficientPoints(account, -entry.points);
  const lifetimePoints = Math.max(0, account.lifetimePoints + countsForTier(entry));
  const { tier: _tier, nextTierThreshold: _next, pointsToNextTier: _missing, ...rest } = account;
  return { ...rest, pointsBalance, lifetimePoints, ...standingAt(lifetimePoints), entries: [...account.entries, entry] };
}

/** Points that refunds should have taken back, and no points have settled yet. */
export const openShortfall = ({ entries }: Pick<Account, 'entries'>): number =>
  entries.reduce((open, { shortfall = 0 }) => open + shortfall, 0);

/**
 * Earned and issued points count; those of a purchase that was paid back no longer do, also where the balance did not have them any
 * more. Settling such a shortfall later does not count them again.
 */
function countsForTier({ type, points, shortfall = 0 }: Entry): number {
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
