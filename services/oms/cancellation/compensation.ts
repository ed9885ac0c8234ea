import { cancelFulfillment } from '../../../shared/catalog/fulfillment/internal.ts';
import { reversePayment } from '../../../shared/catalog/payment/internal.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { recordVoucherUse } from '../../../shared/catalog/promotion/internal.ts';
import { progressionOf } from '../../../shared/catalog/simulation/progression.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { orders, type StoredOrder, type Undo } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import { type Payment, paymentsOf } from '../payment/payments.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';
import { releaseHoldsOf } from './ended-holds.ts';

/** Notes what is to be undone at other applications, besides what already is: members for the change that makes it necessary. */
export function withUndo(order: StoredOrder, { payments, holds, vouchers, writeOff }: Undo): Pick<StoredOrder, 'compensation' | 'undo'> {
  const before: Undo = order.undo ?? { payments: [], vouchers: false };
  const all = before.payments === 'all' || payments === 'all';
  const undo: Undo = {
    payments: all ? 'all' : [...new Set([...before.payments, ...payments])],
    vouchers: before.vouchers || vouchers,
    ...((holds ?? before.holds) && { holds: holds ?? before.holds }),
    ...((before.writeOff || writeOff) && { writeOff: true }),
  };
  const nothing = undo.payments.length === 0 && !undo.holds && !undo.vouchers;
  return nothing ? {} : { compensation: 'pending', undo };
}

/** Nothing is left to be undone: the mark goes, and so does the due work; a part of the last commit. */
export function endCompensation(work: UnitOfWork, order: StoredOrder): StoredOrder {
  work.cancel(dueWork.compensate, order.id);
  return work.transition(orders, order, 'note', { compensation: undefined, undo: undefined });
}

export interface Undone {
  /** Why something is still to be undone; undefined when all is. */
  readonly failure: Problem | undefined;
  /** The order's payments afterwards, when the Payment Hub answered. */
  readonly payments: readonly Payment[] | undefined;
}

/**
 * Undoes in reverse what led to the order: payments, stock, vouchers. Each part is tried whatever becomes of the others, so that a
 * Payment Hub that is down keeps no stock. Every call may be repeated: a payment is reversed, a hold released, a use given back once.
 */
export async function undoAtOthers(order: StoredOrder, undo: Undo, scope: Scope): Promise<Undone> {
  const { call, log } = scope;
  const failures: Problem[] = [];
  const attempt = async <T>(part: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await part();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      log.warn({ orderId: order.id, code: error.code }, `not undone yet: ${error.message}`);
      failures.push(error);
      return undefined;
    }
  };
  const payments = undo.payments.length > 0 ? await attempt(() => reversePayments(order.id, undo, scope)) : undefined;
  const { holds } = undo;
  const mayRelease = holds && (!undo.writeOff || (await attempt(() => ensureWrittenOff(order.id, scope))));
  if (mayRelease) await attempt(() => releaseHoldsOf(order, holds.spare, scope));
  if (undo.vouchers) {
    await attempt(() => call(recordVoucherUse, { params: { basketId: order.basketId }, body: { state: 'released' } }));
  }
  return { failure: failures[0] ?? payments?.failure, payments: payments?.payments };
}

/** Payments that bind money, or may come to: a pending one is voided by the Payment Hub as soon as it is approved. */
const BINDING: ReadonlySet<string> = new Set(['pending', 'authorised', 'captured', 'partially-refunded']);
/** In a rehearsal that refunds by hand, what was captured waits for a client's Refund Payment. */
const BINDING_UNCAPTURED: ReadonlySet<string> = new Set(['pending', 'authorised']);

/** Newest first, each whatever becomes of the others. The Payment Hub decides whether that is a void or a refund. */
async function reversePayments(orderId: string, { payments: which }: Undo, { call, context, log }: Scope): Promise<Undone> {
  const reversible = progressionOf(context).refund === 'manual' ? BINDING_UNCAPTURED : BINDING;
  const payments = await paymentsOf(orderId, { call }, DECIDE_TIMEOUT_MS);
  const after = new Map(payments.map((payment) => [payment.id, payment]));
  let failure: Problem | undefined;
  for (const { id, state } of payments.toReversed()) {
    if (!reversible.has(state) || (which !== 'all' && !which.includes(id))) continue;
    try {
      after.set(id, await call(reversePayment, { params: { id }, body: {} }));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      log.warn({ orderId, paymentId: id, code: error.code }, 'a payment is not reversed yet');
      failure ??= error;
    }
  }
  return { failure, payments: [...after.values()] };
}

/** Given back before it is written off, a unit that is not there would be promised to others. @throws Problem while it is not */
async function ensureWrittenOff(orderId: string, { call, work }: Scope): Promise<true> {
  // Asked anew each time: the answer of an earlier attempt is not what is true now.
  const step = `write-off ${work.now}`;
  const answer = await call(cancelFulfillment, { params: { orderId } }, { step, timeoutMs: DECIDE_TIMEOUT_MS });
  if (answer.writtenOff) return true;
  throw new Problem('dependency_unavailable', `What was short of the order "${orderId}" is not written off yet.`, { dependency: 'sim' });
}
