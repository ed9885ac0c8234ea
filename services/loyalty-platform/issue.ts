import { invalid } from '../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../shared/store/unit-of-work.ts';
import { book } from './members.ts';
import type { Account } from './points-rules.ts';
import type { LedgerRequest } from './redemption.ts';

/** Grants points to a member, once per reference and account. */
export function issue(work: UnitOfWork, account: Account, { points, reason, reference }: LedgerRequest & { readonly reference: string }) {
  if (points === undefined) throw invalid('/points', 'required', 'Say how many points are issued.');
  const before = account.entries.some((entry) => entry.type === 'issue' && entry.reference === reference);
  if (before) return { account, repeated: true };
  const entry = { type: 'issue', points, reference, ...(reason !== undefined && { reason }) } as const;
  return { account: book(work, account, entry), repeated: false };
}
