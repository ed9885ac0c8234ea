import { redeemLoyaltyPoints as redeemLoyaltyPointsApi } from '../../../shared/catalog/loyalty/apis.ts';
import { putLedgerEntry } from '../../../shared/catalog/loyalty/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';

/** A façade: the ledger is the Loyalty Platform's, and the redemption is spent as if it had been asked for there. */
export const redeemLoyaltyPoints = handle(redeemLoyaltyPointsApi)(async ({ params: { id }, body: { points, orderId } }, { work, call }) => {
  const input = {
    params: { type: 'redeem', reference: work.id('int') },
    body: { accountId: id, points, ...(orderId !== undefined && { orderId }) },
  };
  const { account, redemption, repeated } = await call(putLedgerEntry, input);
  if (!redemption)
    throw new Problem('dependency_error', 'The Loyalty Platform answered no redemption.', { dependency: 'loyalty-platform' });
  return repeated ? again({ account, redemption }) : { account, redemption };
});
