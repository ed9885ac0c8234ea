import { issueLoyaltyPoints as issueLoyaltyPointsApi } from '../../../shared/catalog/loyalty/apis.ts';
import { putLedgerEntry } from '../../../shared/catalog/loyalty/internal.ts';
import { again, handle } from '../../../shared/work/handler.ts';

/** A façade of the Loyalty Platform's ledger. Without a reference, each request grants points again. */
export const issueLoyaltyPoints = handle(issueLoyaltyPointsApi)(async ({ params: { id }, body }, { work, call, ifMatch }) => {
  const { points, reason, reference = work.id('int') } = body;
  const input = { params: { type: 'issue', reference }, body: { accountId: id, points, reason } };
  const { account, repeated } = await call(putLedgerEntry, input, { ifMatch });
  return repeated ? again(account) : account;
});
