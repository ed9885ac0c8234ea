import { z } from 'zod';
import { isDependencyProblem } from '../../../shared/contract/client.ts';
import type { DueHandler, Scope } from '../../../shared/contract/handler.ts';
import { releaseHold, releaseVouchers } from '../checkout-holds.ts';
import { checkoutOf, settleCheckout, UNDO_CHECKOUT } from '../checkout-record.ts';
import { type CheckoutRecord, checkouts } from '../collections.ts';

const Payload = z.object({ leftToTheClock: z.boolean() }).nullable();
const FIRST_RETRY_MS = 5_000;

/**
 * Gives back what a checkout took and did not keep. That it does so is committed first: a request that is still at it can then no
 * longer lock the basket with a hold that is on its way back. A hold that a crashed request had no time to write down runs out
 * by itself.
 */
export const undoCheckout: DueHandler = async ({ key: basketId, payload }, scope) => {
  const { work } = scope;
  const found = await checkoutOf(work, basketId);
  if (found?.phase !== 'running' && found?.phase !== 'undoing') return;
  if (found.phase === 'running') {
    work.put(checkouts, { ...found, phase: 'undoing' });
    await work.checkpoint();
  }
  try {
    await giveBack(scope, basketId, found);
  } catch (error) {
    if (!isDependencyProblem(error) || Payload.parse(payload)?.leftToTheClock) throw error;
    // What fails before a reply stays with this process until its lease is over; the clock's driver tries again sooner.
    work.due(UNDO_CHECKOUT, basketId, work.now + FIRST_RETRY_MS, { leftToTheClock: true });
    return;
  }
  settleCheckout(work, basketId, found);
};

async function giveBack(scope: Scope, basketId: string, { hold, vouchers, attempt }: CheckoutRecord): Promise<void> {
  if (hold) await releaseHold(scope, hold.reservationId);
  if (vouchers) await releaseVouchers(scope, basketId, `undo ${attempt}`);
}
