import { putLedgerEntry } from '../../../shared/catalog/loyalty/internal.ts';
import type { DueHandler } from '../../../shared/work/handler.ts';
import type { PointsToGiveBack } from '../refund/giving-back.ts';

/** What a payment spent and does not keep returns to the member. Fails until the Loyalty Platform has booked it, and is repeated. */
export const giveBackPoints: DueHandler = async ({ payload }, { call }) => {
  const { reference, paymentId, amount } = payload as PointsToGiveBack;
  await call(putLedgerEntry, {
    params: { type: 'reverse', reference },
    body: reference === paymentId ? { amount } : { paymentId, amount },
  });
};
