import { redeemLoyaltyPoints as redeemLoyaltyPointsApi } from '../../../shared/catalog/loyalty/apis.ts';
import { putLedgerEntry } from '../../../shared/catalog/loyalty/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { again, handle } from '../../../shared/work/handler.ts';

/** A façade of the Loyalty Platform's ledger. The redemption is the same as after Redeem Points. */
export const redeemLoyaltyPoints = handle(redeemLoyaltyPointsApi)(
  async ({ params: { id }, body: { points, orderId } }, { work, call, ifMatch }) => {
    const input = { params: { type: 'redeem', reference: work.id('int') }, body: { accountId: id, points, orderId } };
    const { account, redemption, repeated } = await call(putLedgerEntry, input, { ifMatch });
    if (!redemption)
      throw new Problem('dependency_error', 'The Loyalty Platform answered without a redemption.', { dependency: 'loyalty-platform' });
    return repeated ? again({ account, redemption }) : { account, redemption };
  },
);
