import type { z } from 'zod';
import type { putLedgerEntry } from '../../../shared/catalog/loyalty/internal.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { accounts, ledgerEntries, ledgerEntryId } from '../collections.ts';
import { type Account, type Entry, withEntry } from './ledger-rules.ts';

export type LedgerRequest = z.output<typeof putLedgerEntry.request>;

/**
 * Appends an entry to the ledger of an account. If the balance then has points, a second entry settles the open shortfall with them.
 * @throws Problem `insufficient_points`
 */
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
