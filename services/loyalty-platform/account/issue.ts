import { conflictingRepeat, invalid } from '../../../shared/catalog/problems.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { issueKey, ledgerEntries } from '../collections.ts';
import { book, type LedgerRequest } from './ledger.ts';
import type { Account } from './ledger-rules.ts';

/**
 * Grants points to a member, once per reference and account.
 * @throws Problem `conflicting_repeat` for another grant under the same reference
 */
export async function issue(
  work: UnitOfWork,
  account: Account,
  { points, reason, reference }: LedgerRequest & { readonly reference: string },
) {
  if (points === undefined) throw invalid('/points', 'required', 'Name the number of points to issue.');
  const before = await work.findUnique(ledgerEntries, 'issue', issueKey(account.id, reference));
  if (before) {
    if (before.points === points && before.reason === reason) return { account, repeated: true };
    throw conflictingRepeat(
      `The reference "${reference}" has already issued ${before.points} points; this request differs in points or reason.`,
      { points: before.points, reason: before.reason },
      { objectType: 'loyalty-account', id: account.id },
    );
  }
  const entry = { type: 'issue', points, reference, reason } as const;
  return { account: book(work, account, entry), repeated: false };
}
