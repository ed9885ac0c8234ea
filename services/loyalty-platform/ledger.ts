import type { z } from 'zod';
import type { putLedgerEntry } from '../../shared/catalog/loyalty/internal.ts';
import { type LedgerEntry, type LoyaltyAccount, SHOWN_ENTRIES, type Tier, tierThresholds } from '../../shared/catalog/loyalty/objects.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { CURRENCY, type Money } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { accounts, ledgerEntries, ledgerEntryId } from './collections.ts';

export type LedgerRequest = z.output<typeof putLedgerEntry.request>;

/** Appends an entry. Points that are left after it settle the open shortfall in a second entry. @throws Problem `insufficient_points` */
export function book(work: UnitOfWork, account: Account, entry: Omit<Entry, 'at'>): Account {
  const append = (to: Account, without: Omit<Entry, 'at'>): Account => {
    const next = { ...without, at: instant(work.now) };
    const after = work.revise(accounts, to, withEntry(to, next));
    work.put(ledgerEntries, { id: ledgerEntryId(to.id, after.entryCount), accountId: to.id, ...next });
    return after;
  };
  const booked = append(account, entry);
  const settled = Math.min(booked.shortfall ?? 0, booked.pointsBalance);
  return settled > 0 ? append(booked, { type: 'reverse', points: -settled, shortfall: -settled }) : booked;
}

export type Account = z.output<typeof LoyaltyAccount>;
type Entry = z.output<typeof LedgerEntry>;

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

/** The account with one more entry: the only way to change a balance. @throws Problem `insufficient_points` below zero */
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

/** A point has a value of 0.01, one minor unit. */
export const valueOfPoints = (points: number): Money => ({ amount: points, currency: CURRENCY });

export const pointsOfValue = ({ amount }: Money): number => amount;
