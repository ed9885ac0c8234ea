import { notFound } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { accounts } from '../collections.ts';
import { type Account, type Entry, openShortfall, withEntry } from './points-rules.ts';

/**
 * A member by account id or card number.
 * @throws Problem `not_found`
 */
export async function memberBy(work: UnitOfWork, idOrCard: string): Promise<Account> {
  const found = await knownMember(work, idOrCard);
  if (!found) throw notFound('loyalty-account', idOrCard);
  return found;
}

/** The same, or nobody. */
export const knownMember = async (work: UnitOfWork, idOrCard: string): Promise<Account | undefined> =>
  (await work.get(accounts, idOrCard)) ?? (await work.findUnique(accounts, 'card', idOrCard));

/**
 * Appends to the ledger of an account. Points that come in settle first what refunds could not take back.
 * @throws Problem `insufficient_points`
 */
export function book(work: UnitOfWork, account: Account, entry: Omit<Entry, 'at'>): Account {
  const append = (to: Account, next: Omit<Entry, 'at'>): Account =>
    work.revise(accounts, to, withEntry(to, { ...next, at: instant(work.now) }));
  const booked = append(account, entry);
  const settled = Math.min(openShortfall(booked), booked.pointsBalance);
  return settled > 0 ? append(booked, { type: 'reverse', points: -settled, shortfall: -settled }) : booked;
}
