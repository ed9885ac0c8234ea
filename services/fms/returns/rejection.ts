import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import { returnLifeCycle } from '../../../shared/catalog/fulfillment/returns.ts';
import { recordStockMovement } from '../../../shared/catalog/inventory/internal.ts';
import { refusal, rowFor } from '../../../shared/catalog/life-cycle.ts';
import { closeReturn } from '../../../shared/catalog/order/internal.ts';
import { hasFailed } from '../../../shared/catalog/payment/refunds.ts';
import { isDependencyProblem, isProblem, Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import { handleDue, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { bookReturnedStockDue, finishRejectionDue, putBackDue, settleReturnDue } from '../due-work.ts';
import { returns, returnTasks, type StoredReturn } from './collections.ts';
import { planStep } from './moves.ts';
import { hasRefund, paidOf, withRefunds } from './refunds.ts';

/** Refuses while the parcel may still arrive. @throws Problem `invalid_state_transition` */
function refuseWhileInTransit(found: StoredReturn): void {
  const { id, state, shipments } = found;
  const parcel = shipments.at(-1);
  if (!parcel || (state === 'approved' ? parcel.state === 'lost' : state !== 'in-transit' || parcel.state === 'returned-to-sender')) return;
  const where = `The parcel "${parcel.id}" of the return "${id}" is ${parcel.state}, so its goods may still arrive.`;
  const remedy =
    parcel.state === 'lost'
      ? 'Write the return off, which refunds it.'
      : 'Wait until the parcel arrives, and inspect the goods before you reject the return, or until the parcel is back with the customer.';
  throw refusal(returnLifeCycle, found, 'reject', `${where} ${remedy}`);
}

/** @throws Problem `invalid_state_transition` */
const refundedAlready = (found: StoredReturn): Problem => {
  const remedy = found.refunds.some(hasFailed)
    ? 'Repeat the refund that failed, to a gift card if need be.'
    : 'Refund the rest of it instead.';
  return refusal(returnLifeCycle, found, 'reject', `The return "${found.id}" has a refund, so it cannot be rejected. ${remedy}`);
};

/** Stores the intent to reject, and its due work, in the next commit. @throws Problem `invalid_state_transition` if goods may arrive */
export function beginRejection(work: UnitOfWork, found: StoredReturn, { reason, at }: { reason?: string; at: number }): StoredReturn {
  rowFor(returnLifeCycle, found, 'reject');
  refuseWhileInTransit(found);
  if (hasRefund(found)) throw refundedAlready(found);
  work.schedule(finishRejectionDue, found.id, at, {});
  const rejecting = { since: instant(work.now), attempt: found.version, reason };
  return work.transition(returns, found, 'note', { rejecting });
}

/**
 * Takes the units out of stock first: sold units cannot go back to the customer, so the return would have to be refunded. Then the OMS
 * decides, because the return may have a refund or pay for an exchange order. Only the OMS books the units back to the customer. All
 * changes belong to the last commit.
 * @returns the refusal, after which the return is as before
 * @throws Problem while the Inventory Service or the OMS does not answer
 */
export async function carryOnRejection(found: StoredReturn, scope: Scope): Promise<StoredReturn | Problem> {
  const { work, context } = scope;
  const { id, rejecting } = found;
  if (!rejecting) throw new Error(`The return ${id} is not being rejected.`);
  const { attempt, reason } = rejecting;
  const { taken, refusal: soldMeanwhile } = await takeOut(found, attempt, scope);
  const { refusal, refunds = found.refunds } = soldMeanwhile ? { refusal: soldMeanwhile } : await decideAtOms(found, attempt, scope);
  work.cancel(finishRejectionDue, id);
  const mode = progressionOf(context).returns;
  const ended = refusal ? await resume(work, found, { refunds, attempt, taken }) : reject(work, found, reason);
  await planStep(work, ended, { mode, since: work.now });
  return refusal ?? ended;
}

interface Decision {
  readonly refusal?: Problem;
  /** All refunds of the return, if the OMS reported some: their events may not have arrived. */
  readonly refunds?: StoredReturn['refunds'];
}

async function decideAtOms(found: StoredReturn, attempt: number, { call }: Pick<Scope, 'call'>): Promise<Decision> {
  const { id, orderId } = found;
  try {
    const params = { id: orderId, returnId: id };
    const { refunds: reported } = await call(
      closeReturn,
      { params, body: { outcome: 'rejected' } },
      { intent: id, step: `reject ${attempt}` },
    );
    if (reported.length === 0) return {};
    const refunds = withRefunds(found.refunds, reported) ?? found.refunds;
    return { refusal: refundedAlready({ ...found, refunds }), refunds };
  } catch (error) {
    if (!(error instanceof Problem) || error.retryable || isDependencyProblem(error)) throw error;
    return { refusal: error };
  }
}

function reject(work: UnitOfWork, found: StoredReturn, reason: string | undefined): StoredReturn {
  work.cancel(settleReturnDue, found.id);
  return work.transition(returns, found, 'reject', { rejecting: undefined, rejectReason: reason });
}

/** Continues a return after a refused rejection. */
async function resume(
  work: UnitOfWork,
  found: StoredReturn,
  { refunds, ...out }: { refunds: StoredReturn['refunds']; attempt: number; taken: readonly string[] },
): Promise<StoredReturn> {
  const { id } = found;
  if (out.taken.length > 0) work.schedule(putBackDue, `${id} ${out.attempt}`, work.now, { returnId: id, ...out }, { beforeReply: true });
  // The parcel may have arrived during the rejection.
  const isHere = (found.state === 'approved' || found.state === 'in-transit') && found.shipments.at(-1)?.state === 'delivered';
  const next = work.transition(returns, found, isHere ? 'receive' : 'note', { rejecting: undefined, refunds });
  // A settlement that became due during the rejection did nothing, so it is scheduled again.
  if (next.state === 'inspected') {
    const { refundAt = work.now } = (await work.get(returnTasks, id)) ?? {};
    const isPaid = paidOf(next) >= next.refundAmount.amount;
    work.schedule(settleReturnDue, id, isPaid ? work.now : Math.max(work.now, refundAt), {});
  }
  return next;
}

/** Finishes a rejection by policy, or one that got no answer. The OMS decides. */
export const finishRejection = handleDue(finishRejectionDue)(async ({ key }, scope) => {
  const found = await scope.work.get(returns, key);
  if (!found?.rejecting) return;
  const outcome = await carryOnRejection(found, scope);
  if (outcome instanceof Problem) scope.log.warn({ returnId: key, code: outcome.code }, `rejecting a return failed: ${outcome.message}`);
});

/** Books inspected goods as on hand at their location, or as scrapped. Each line counts once. */
async function bookReturnedStock({ id, locationId, lines }: StoredReturn, { call }: Pick<Scope, 'call'>): Promise<void> {
  for (const { orderLineId, sku, qty, disposition } of lines) {
    if (disposition === undefined) continue;
    const body = { reference: `${id} ${orderLineId} returned`, kind: disposition, locationId, sku, qty };
    await call(recordStockMovement, { body }, { step: orderLineId });
  }
}

/**
 * Takes restocked units out again, line by line, until one line lacks stock. Scrapped units stay scrapped. The key of each call follows
 * from the attempt, so every run of one attempt gets the same answers, refusals included.
 * @returns the order lines whose units are out, and the refusal of the first line whose units were sold
 * @throws Problem while the Inventory Service does not answer
 */
async function takeOut(found: StoredReturn, attempt: number, scope: Pick<Scope, 'call'>): Promise<{ taken: string[]; refusal?: Problem }> {
  const { id, locationId } = found;
  const restocked = found.lines.filter(({ disposition }) => disposition === 'restock');
  const taken: string[] = [];
  // The units can leave the stock only after the inspection has booked them.
  if (restocked.length > 0) await bookReturnedStock(found, scope);
  for (const { orderLineId, sku, qty } of restocked) {
    const body = { reference: `${id} ${orderLineId} sent-back ${attempt}`, kind: 'sent-back' as const, locationId, sku, qty };
    try {
      await scope.call(recordStockMovement, { body }, { intent: id, step: `${orderLineId} sent-back ${attempt}`, isSeparate: true });
    } catch (error) {
      if (!isProblem(error, 'insufficient_stock')) throw error;
      return { taken, refusal: soldMeanwhile(id, error) };
    }
    taken.push(orderLineId);
  }
  return { taken };
}

const soldMeanwhile = (id: string, { message, context }: Problem): Problem => {
  const detail = `Units of the return "${id}" were sold after the inspection, so it cannot be rejected. ${message} It has to be refunded.`;
  return new Problem('insufficient_stock', detail, { ...context, objectType: 'return', id });
};

export const bookReturnedStockLater = handleDue(bookReturnedStockDue)(async ({ key }, scope) => {
  const found = await scope.work.get(returns, key);
  if (found) await bookReturnedStock(found, scope);
});

/** After a refused rejection, the goods that it took out of stock are on hand again. */
export const putBack = handleDue(putBackDue)(async ({ payload: { returnId, taken, attempt } }, { work, call }) => {
  const found = await work.get(returns, returnId);
  if (!found) return;
  const { id, locationId, lines } = found;
  for (const { orderLineId, sku, qty } of lines.filter((line) => taken.includes(line.orderLineId))) {
    const body = { reference: `${id} ${orderLineId} kept ${attempt}`, kind: 'restock' as const, locationId, sku, qty };
    await call(recordStockMovement, { body }, { step: orderLineId });
  }
});
