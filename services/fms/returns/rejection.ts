import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import { returnLifeCycle } from '../../../shared/catalog/fulfillment/returns.ts';
import { refusal, rowFor } from '../../../shared/catalog/life-cycle.ts';
import { closeReturn } from '../../../shared/catalog/order/internal.ts';
import { isDependencyProblem, Problem } from '../../../shared/catalog/problems.ts';
import { money } from '../../../shared/domain/money.ts';
import { instant } from '../../../shared/domain/time.ts';
import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { finishRejectionDue, putBackDue, settleReturnDue } from '../due-work.ts';
import { returns, returnTasks, type StoredReturn } from './collections.ts';
import { planStep, settlesAt } from './moves.ts';
import { paidOf } from './refunds.ts';
import { takeOut } from './returned-stock.ts';

/**
 * A rejection leaves the units with the customer, so no parcel may be in transit and no label usable.
 * @throws Problem `invalid_state_transition`
 */
function refuseWhileAway(found: StoredReturn): void {
  const { id, state, shipments } = found;
  const parcel = shipments.at(-1);
  if (!parcel || (state === 'approved' ? parcel.state === 'lost' : state !== 'in-transit' || parcel.state === 'returned-to-sender')) return;
  const where = `The parcel "${parcel.id}" of the return "${id}" is ${parcel.state}, so its goods may still arrive.`;
  const remedy =
    parcel.state === 'lost'
      ? 'Write the return off, which pays it back.'
      : 'Wait until the parcel arrives, and inspect the goods before you reject the return, or until the parcel is back with the customer.';
  throw refusal(returnLifeCycle, found, 'reject', `${where} ${remedy}`);
}

/** Stores the intent to reject, and its due work, in the next commit. @throws Problem `invalid_state_transition` if goods may arrive */
export function beginRejection(
  work: UnitOfWork,
  found: StoredReturn,
  { reason, at }: { readonly reason?: string; readonly at: number },
): StoredReturn {
  rowFor(returnLifeCycle, found, 'reject');
  refuseWhileAway(found);
  work.schedule(finishRejectionDue, found.id, at, {});
  const rejecting = { since: instant(work.now), attempt: found.version, reason };
  return work.transition(returns, found, 'note', { rejecting });
}

/**
 * Takes the units out of stock first: sold units cannot go back to the customer, so the return would have to be paid back. Then the OMS
 * decides, because the return may already be paid back or pay for an exchange order. Only the OMS books the units back to the customer. The
 * changes are for the last commit.
 * @returns the refusal, after which the return is as before
 * @throws Problem while the Inventory Service or the OMS does not answer
 */
export async function carryOnRejection(found: StoredReturn, scope: Scope): Promise<StoredReturn | Problem> {
  const { work, context } = scope;
  const { id, rejecting } = found;
  if (!rejecting) throw new Error(`The return ${id} is not being rejected.`);
  const { attempt, reason } = rejecting;
  const { taken, refusal: soldMeanwhile } = await takeOut(found, attempt, scope);
  const refusal = soldMeanwhile ?? (await askOms(found, attempt, scope));
  work.cancel(finishRejectionDue, id);
  const mode = progressionOf(context).returns;
  // The week for an exchange began with the inspection.
  const inspectedAt = found.state === 'inspected' ? (await work.get(returnTasks, id))?.since : undefined;
  const since = inspectedAt ?? work.now;
  const ended = refusal ? resume(work, found, { attempt, taken, since }) : reject(work, found, reason);
  await planStep(work, ended, { mode, since });
  return refusal ?? ended;
}

/** @returns the refusal of the OMS */
async function askOms(found: StoredReturn, attempt: number, { call }: Pick<Scope, 'call'>): Promise<Problem | undefined> {
  const { id, orderId, refundAmount } = found;
  const paidBack = money(paidOf(found), refundAmount.currency);
  try {
    await call(
      closeReturn,
      { params: { id: orderId, returnId: id }, body: { outcome: 'rejected', paidBack } },
      { intent: id, step: `reject ${attempt} ${paidBack.amount}` },
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable || isDependencyProblem(error)) throw error;
    return error;
  }
}

function reject(work: UnitOfWork, found: StoredReturn, reason: string | undefined): StoredReturn {
  work.cancel(settleReturnDue, found.id);
  return work.transition(returns, found, 'reject', { rejecting: undefined, rejectReason: reason });
}

/** Continues a return after a refused rejection. */
function resume(
  work: UnitOfWork,
  found: StoredReturn,
  { since, ...out }: { readonly attempt: number; readonly taken: readonly string[]; readonly since: number },
): StoredReturn {
  const { id } = found;
  if (out.taken.length > 0) work.schedule(putBackDue, `${id} ${out.attempt}`, work.now, { returnId: id, ...out }, { beforeReply: true });
  // The parcel may have arrived during the rejection.
  const isHere = (found.state === 'approved' || found.state === 'in-transit') && found.shipments.at(-1)?.state === 'delivered';
  const next = work.transition(returns, found, isHere ? 'receive' : 'note', { rejecting: undefined });
  // A settlement that became due during the rejection did nothing, so it is scheduled again.
  if (next.state === 'inspected') work.schedule(settleReturnDue, id, Math.max(work.now, settlesAt(next, since)), {});
  return next;
}

/** Finishes a rejection by policy, or one that got no answer. The OMS decides. */
export const finishRejection = handleDue(finishRejectionDue)(async ({ key }, scope) => {
  const found = await scope.work.get(returns, key);
  if (!found?.rejecting) return;
  const outcome = await carryOnRejection(found, scope);
  if (outcome instanceof Problem) scope.log.warn({ returnId: key, code: outcome.code }, `rejecting a return failed: ${outcome.message}`);
});
