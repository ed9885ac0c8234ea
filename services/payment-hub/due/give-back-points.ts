import { putLedgerEntry } from '../../../shared/catalog/loyalty/internal.ts';
import { handleDue } from '../../../shared/work/handler.ts';
import { giveBackPointsDue } from '../due-work.ts';

/** Fails, and is repeated, until the Loyalty Platform has booked the points. */
export const giveBackPoints = handleDue(giveBackPointsDue)(async ({ payload }, { call }) => {
  const { reference, paymentId, amount } = payload;
  await call(putLedgerEntry, {
    params: { type: 'reverse', reference },
    body: reference === paymentId ? { amount } : { paymentId, amount },
  });
});
