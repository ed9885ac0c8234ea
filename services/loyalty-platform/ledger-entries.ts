import { putLedgerEntry as putLedgerEntryCall } from '../../shared/catalog/loyalty/internal.ts';
import { conflictingRepeat, invalid, notFound } from '../../shared/catalog/problems.ts';
import { handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { issueKey, ledgerEntries } from './collections.ts';
import { type Account, book, type LedgerRequest } from './ledger.ts';
import { memberByIdOrCard } from './members.ts';
import { redeem, reverse, spend } from './redemption.ts';

/** Ledger entries of other applications, once per type and reference. */
export const putLedgerEntry = handle(putLedgerEntryCall)(async ({ params: { type, reference }, body }, { work }) => {
  if (type === 'issue') return issue(work, await memberOf(work, body), { ...body, reference });
  if (type === 'redeem') {
    if (body.points === undefined) throw invalid('/points', 'required', 'Name the number of points to redeem.');
    return redeem(work, await memberOf(work, body), { points: body.points, ...purposeOf(body, reference) });
  }
  if (type === 'spend') return spend(work, reference, body);
  if (type === 'reverse') return reverse(work, reference, body);
  throw notFound('type of ledger entry', type);
});

const purposeOf = ({ orderId }: LedgerRequest, reference: string) => (orderId === undefined ? { request: reference } : { orderId });

async function memberOf(work: UnitOfWork, { accountId }: LedgerRequest) {
  if (accountId === undefined) throw invalid('/accountId', 'required', 'Name the account.');
  return memberByIdOrCard(work, accountId);
}

/** Grants points once per reference and account. @throws Problem `conflicting_repeat` for another grant under the reference */
async function issue(work: UnitOfWork, account: Account, { points, reason, reference }: LedgerRequest & { readonly reference: string }) {
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
