import { putLedgerEntry as putLedgerEntryCall } from '../../../shared/catalog/loyalty/internal.ts';
import { invalid, notFound } from '../../../shared/catalog/problems.ts';
import { handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { issue } from '../account/issue.ts';
import { memberBy } from '../account/members.ts';
import { reverse } from '../account/reverse.ts';
import { redeem } from '../redemption/redeem.ts';
import type { LedgerRequest } from '../redemption/redemption.ts';
import { spend } from '../redemption/spend.ts';

/** The ledger's entries that other applications cause; the reference makes each of them once. */
export const putLedgerEntry = handle(putLedgerEntryCall)(async ({ params: { type, reference }, body }, { work }) => {
  if (type === 'issue') return issue(work, await memberOf(work, body), { ...body, reference });
  if (type === 'redeem') {
    if (body.points === undefined) throw invalid('/points', 'required', 'Say how many points are redeemed.');
    return redeem(work, await memberOf(work, body), { points: body.points, ...purposeOf(body, reference) });
  }
  if (type === 'spend') return spend(work, reference, body);
  if (type === 'reverse') return reverse(work, reference, body);
  throw notFound('type of ledger entry', type);
});

const purposeOf = ({ orderId }: LedgerRequest, reference: string) => (orderId === undefined ? { request: reference } : { orderId });

async function memberOf(work: UnitOfWork, { accountId }: LedgerRequest) {
  if (accountId === undefined) throw invalid('/accountId', 'required', 'Say whose ledger it is.');
  return memberBy(work, accountId);
}
