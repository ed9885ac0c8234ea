import { returnLifeCycle } from '../../../shared/catalog/fulfillment/returns.ts';
import { closeReturn } from '../../../shared/catalog/order/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { isDependencyProblem } from '../../../shared/contract/client.ts';
import type { Scope } from '../../../shared/contract/handler.ts';
import { rowFor } from '../../../shared/domain/life-cycle.ts';
import { money } from '../../../shared/domain/money.ts';
import { instant } from '../../../shared/simulation/context.ts';
import { progressionOf } from '../../../shared/simulation/progression.ts';
import type { UnitOfWork } from '../../../shared/store/unit-of-work.ts';
import { returns, type StoredReturn } from './collections.ts';
import { FINISH_REJECTION, SEND_BACK, SETTLE_RETURN } from './due-kinds.ts';
import { paidOf } from './refunds.ts';
import { planStep } from './return-clock.ts';

/** Notes that a return is about to be rejected, with the due work that carries it on: for the next commit. */
export function beginRejection(
  work: UnitOfWork,
  found: StoredReturn,
  { reason, at }: { readonly reason?: string | undefined; readonly at: number },
): StoredReturn {
  rowFor(returnLifeCycle, found, 'reject');
  work.due(FINISH_REJECTION, found.id, at, {});
  return work.transition(returns, found, 'note', { rejecting: { since: instant(work.now), ...(reason !== undefined && { reason }) } });
}

/**
 * The OMS decides: it may be paying the return back already, or an order may be exchanged for it. Only with its word the units are the
 * customer's again. The changes are for the last commit.
 * @returns the OMS's refusal, after which the return is as it was
 * @throws Problem while the OMS does not answer
 */
export async function carryOnRejection(found: StoredReturn, scope: Scope): Promise<StoredReturn | Problem> {
  const { work, call, context } = scope;
  const { id, orderId, refundAmount, rejecting } = found;
  const paidBack = money(paidOf(found), refundAmount.currency);
  try {
    await call(
      closeReturn,
      { params: { id: orderId, returnId: id }, body: { outcome: 'rejected', paidBack } },
      { intent: id, step: `reject ${rejecting?.since} ${paidBack.amount}` },
    );
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable || isDependencyProblem(error)) throw error;
    work.cancel(FINISH_REJECTION, id);
    const kept = work.transition(returns, found, 'note', { rejecting: undefined });
    // What was to happen to it meanwhile did not.
    if (kept.state === 'inspected') work.due(SETTLE_RETURN, id, work.now, {});
    await planStep(work, kept, { mode: progressionOf(context).returns, since: work.now });
    return error;
  }
  work.cancel(FINISH_REJECTION, id);
  work.cancel(SETTLE_RETURN, id);
  if (found.state === 'inspected') work.due(SEND_BACK, id, work.now, {}, { beforeReply: true });
  const rejected = work.transition(returns, found, 'reject', { rejecting: undefined, rejectReason: rejecting?.reason });
  await planStep(work, rejected, { mode: progressionOf(context).returns, since: work.now });
  return rejected;
}
