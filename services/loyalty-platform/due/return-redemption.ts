import { handleDue } from '../../../shared/work/handler.ts';
import { accounts, redemptions } from '../collections.ts';
import { returnRedemption } from '../due-work.ts';
import { giveBack } from '../redemption/redemption.ts';

/** A redemption that nobody spent in time gives its points back, and its reference is free again. */
export const returnUnspentRedemption = handleDue(returnRedemption)(async ({ key }, { work }) => {
  const redemption = await work.get(redemptions, key);
  const account = redemption && (await work.get(accounts, redemption.accountId));
  if (!account || redemption.state !== 'open') return;
  work.put(redemptions, { ...redemption, state: 'returned' });
  giveBack(work, account, { redemption, points: redemption.points });
});
