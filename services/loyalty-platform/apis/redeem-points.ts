import { redeemPoints as redeemPointsApi } from '../../../shared/catalog/loyalty/apis.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import { memberByIdOrCard } from '../account/members.ts';
import { redeem } from '../redemption/redeem.ts';

export const redeemPoints = handle(redeemPointsApi)(async ({ params, body }, { work }) => {
  const { repeated, ...answer } = await redeem(work, await memberByIdOrCard(work, params.id), body);
  return repeated ? again(answer) : answer;
});
