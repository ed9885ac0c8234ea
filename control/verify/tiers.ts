import { tierThresholds } from '../../shared/catalog/loyalty/objects.ts';
import type { Check } from './invariant.ts';
import { type Account, type LedgerEntry, seededAccounts } from './stored-records.ts';
import type { WorldRecords } from './world-records.ts';

/** The lifetime points of an entry: earned and issued points count, reversed ones are subtracted. */
const countsFor = ({ type, points, shortfall = 0 }: LedgerEntry): number => {
  if (type === 'earn' || type === 'issue') return points;
  return type === 'reverse' && points <= 0 ? points - shortfall : 0;
};

const counted = ({ ledger }: Account): number => ledger.reduce((sum, entry) => sum + countsFor(entry), 0);

/** The tier must follow from the lifetime points. */
export function checkTiers(world: WorldRecords, accounts: readonly Account[], check: Check): void {
  const begun = new Map(seededAccounts(world).map((account) => [account.id, account]));
  for (const account of accounts) {
    const { id, lifetimePoints, tier } = account;
    const before = begun.get(id);
    const since = counted(account) - (before ? counted(before) : 0);
    const should = (before?.lifetimePoints ?? 0) + since;
    check(lifetimePoints === should, `loyalty-account/${id}: ${lifetimePoints} lifetime points, and its entries leave ${should}`);
    const reached = tierThresholds.findLast(({ from }) => from <= lifetimePoints)?.tier;
    check(tier === reached, `loyalty-account/${id}: ${tier} with ${lifetimePoints} lifetime points, which reach ${reached}`);
  }
}
