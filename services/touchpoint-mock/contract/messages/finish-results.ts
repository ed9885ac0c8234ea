import { z } from 'zod';
import { calculated } from './calculated-basket.ts';
import { amount, echoedBasket, echoedLane, OURS } from './fields.ts';

export const StaleDigest = z
  .strictObject({
    touchpointId: echoedLane,
    basketId: echoedBasket,
    status: z.literal('STALE_DIGEST').describe(`${OURS} the basket is no longer what the digest stands for.`),
    confirmationRequired: z.literal(true).describe(`${OURS} show the basket again and finish with the new digest.`),
    ...calculated,
  })
  .describe('Finish was not carried out: the digest is stale. Apart from the echoed identifiers the shape is ours.');

export const Finished = z
  .strictObject({
    touchpointId: echoedLane,
    basketId: echoedBasket,
    status: z.literal('FINISHED').describe(`${OURS} the basket is confirmed.`),
    confirmationRequired: z.literal(false).describe(`${OURS} nothing is left to confirm.`),
    finishId: z.string().min(1).describe(`${OURS} identifies this finish; a repeat answers with the same one.`),
    retrievalCode: z
      .string()
      .regex(/^[0-9]{13}$/)
      .describe(`${OURS} EAN-13; an assisted lane retrieves the basket with it.`),
    total: amount.describe(`${OURS} total of the finished basket, two decimals.`),
    totalSaving: amount.describe(`${OURS} total saving of the finished basket, two decimals.`),
    finishedAt: z.iso.datetime().describe(`${OURS} when the basket was finished; fixed.`),
    repeated: z.boolean().describe(`${OURS} true when the same finish had been accepted before.`),
  })
  .describe('Finish was accepted. Apart from the echoed identifiers the shape is ours.');

export const FinishOutcome = z.discriminatedUnion('status', [StaleDigest, Finished]).describe('Outcome of finish.');
