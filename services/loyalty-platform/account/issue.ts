import { conflictingRepeat, invalid } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import type { LedgerRequest } from '../redemption/redemption.ts';
import { book } from './members.ts';
import type { Account } from './points-rules.ts';

/**
 * Grants points to a member, once per reference and account.
 * @throws Problem `conflicting_repeat` for another grant under the same reference
 */
export function issue(work: UnitOfWork, account: Account, { points, reason, reference }: LedgerRequest & { readonly reference: string }) {
  if (points === undefined) throw invalid('/points', 'required', 'Say how many points are issued.');
  const before = account.entries.find((entry) => entry.type === 'issue' && entry.reference === reference);
  if (before) {
    if (before.points === points && before.reason === reason) return { account, repeated: true };
    throw conflictingRepeat(
      `Under the reference "${reference}" ${before.points} points were issued already, for another reason or another number of points.`,
      { points: before.points, reason: before.reason },
      { objectType: 'loyalty-account', id: account.id },
    );
  }
  const entry = { type: 'issue', points, reference, ...(reason !== undefined && { reason }) } as const;
  return { account: book(work, account, entry), repeated: false };
}
