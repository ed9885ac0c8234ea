import type { DueHandler } from '../../../shared/work/handler.ts';
import { accounts, redemptions } from '../collections.ts';
import { giveBack } from '../redemption/redemption.ts';

/** A redemption that nobody spent in time gives its points back; its reference may redeem again. */
export const returnRedemption: DueHandler = async (item, { work }) => {
  const redemption = await work.get(redemptions, item.key);
  const account = redemption && (await work.get(accounts, redemption.accountId));
  if (!account || redemption.state !== 'open') return;
  work.put(redemptions, { ...redemption, state: 'returned' });
  giveBack(work, account, { redemption, points: redemption.points });
};
