import { progressionOf } from '../../shared/catalog/control/progression.ts';
import { cancelFulfillment } from '../../shared/catalog/fulfillment/internal.ts';
import { releaseReservation } from '../../shared/catalog/inventory/apis.ts';
import { moveReservation, releaseHolds } from '../../shared/catalog/inventory/internal.ts';
import { requiredFor, securedBy } from '../../shared/catalog/payment/cover.ts';
import { lowerAuthorization, reversePayment } from '../../shared/catalog/payment/internal.ts';
import { REFUND_ORDER } from '../../shared/catalog/payment/objects.ts';
import { absentApplication, isProblem, Problem, undefinedIf } from '../../shared/catalog/problems.ts';
import { recordVoucherUse } from '../../shared/catalog/promotion/internal.ts';
import { type Money, money } from '../../shared/domain/money.ts';
import { handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { isSale } from './baskets.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type SeenFulfillment, type StoredOrder, type Undo } from './collections.ts';
import { compensateDue, DECIDE_TIMEOUT_MS, FIRST_RETRY_MS, releaseReservationsDue } from './due-work.ts';
import { reservationsOf } from './lines.ts';
import { type Payment, paymentsOf } from './payments.ts';

/** The changed members of an order when more parts have to be undone at other applications. */
export function withUndo(
  order: StoredOrder,
  { payments, holds, vouchers, writeOff, surplus, release, lower }: Undo,
): Pick<StoredOrder, 'compensation' | 'undo'> {
  const before: Undo = order.undo ?? { payments: [], vouchers: false };
  const all = before.payments === 'all' || payments === 'all';
  const undo: Undo = {
    payments: all ? 'all' : [...new Set([...before.payments, ...payments])],
    vouchers: before.vouchers || vouchers,
    holds: holds ?? before.holds,
    ...((before.writeOff || writeOff) && { writeOff: true }),
    surplus: joined(before.surplus, surplus),
    release: joined(before.release, release),
    ...((before.lower || lower) && { lower: true }),
  };
  const ofChange = undo.surplus !== undefined || undo.release !== undefined || undo.lower === true;
  const nothing = undo.payments.length === 0 && !undo.holds && !undo.vouchers && !ofChange;
  return nothing ? {} : { compensation: 'pending', undo };
}

const joined = <T>(before: readonly T[] = [], more: readonly T[] = []): T[] | undefined =>
  before.length + more.length > 0 ? [...before, ...more] : undefined;

/** Clears the compensation and its due work, as part of the last commit. */
function endCompensation(work: UnitOfWork, order: StoredOrder): StoredOrder {
  work.cancel(compensateDue, order.id);
  return work.transition(orders, order, 'note', { compensation: undefined, undo: undefined });
}

interface UndoResult {
  /** The first failure; undefined if everything is undone. */
  readonly failure: Problem | undefined;
  /** Payments of the order afterwards, if the Payment Hub answered. */
  readonly payments: readonly Payment[] | undefined;
}

/**
 * Undoes payments, stock and voucher uses, in this order. A failure of one part does not stop the others, so that stock is released
 * even if the Payment Hub is down. Every call takes effect once, even if it is repeated.
 */
async function undoAtOthers(order: StoredOrder, undo: Undo, scope: Scope): Promise<UndoResult> {
  const { call, log } = scope;
  const failures: Problem[] = [];
  const attempt = async <T>(part: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await part();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      log.warn({ orderId: order.id, code: error.code }, `undoing an order failed: ${error.message}`);
      failures.push(error);
      return undefined;
    }
  };
  const payments = undo.payments.length > 0 ? await attempt(() => reversePayments(order.id, undo, scope)) : undefined;
  const { holds } = undo;
  const mayRelease = holds && (!undo.writeOff || (await attempt(() => ensureWrittenOff(order.id, scope))));
  if (mayRelease) await attempt(() => releaseReservationsOf(order, holds.spare, scope));
  const { basketId } = order;
  if (undo.vouchers && basketId !== undefined) {
    await attempt(() => call(recordVoucherUse, { params: { basketId }, body: { state: 'released' } }));
  }
  for (const one of undo.surplus ?? []) await attempt(() => giveUnitsBack(one, scope));
  for (const id of undo.release ?? [])
    await attempt(() => call(releaseReservation, { params: { id } }, { isSeparate: true }).catch(undefinedIf('not_found')));
  const lowered = undo.lower && order.state !== 'cancelled' ? await attempt(() => lowerAuthorizations(order, scope)) : undefined;
  return { failure: failures[0] ?? payments?.failure, payments: lowered ?? payments?.payments };
}

/** A reservation that has ended in the meantime has given its units back. */
async function giveUnitsBack(
  { reservationId, ...units }: NonNullable<Undo['surplus']>[number],
  { call }: Pick<Scope, 'call'>,
): Promise<void> {
  const body = { ...units, kind: 'give-back' as const };
  try {
    await call(moveReservation, { params: { id: reservationId }, body }, { step: units.reference, isSeparate: true });
  } catch (error) {
    if (!isProblem(error, 'invalid_state_transition') || error.retryable) throw error;
  }
}

/** Points and exchange credits are captured in full and refunded: their value belongs to others until then. */
const LOWERABLE: ReadonlySet<Payment['tender']['type']> = new Set(['card', 'bnpl', 'gift-card']);

/**
 * Lowers the authorisations of an order to what it costs, in the sequence of refunds. What cannot be lowered is refunded after its capture.
 * @returns the payments afterwards
 */
async function lowerAuthorizations(order: StoredOrder, { call }: Pick<Scope, 'call'>): Promise<readonly Payment[]> {
  const payments = await paymentsOf(order.id, { call }, DECIDE_TIMEOUT_MS);
  const after = new Map(payments.map((payment) => [payment.id, payment]));
  let beyond = payments.reduce((sum, payment) => sum + securedBy(payment), 0) - requiredFor(order);
  for (const type of REFUND_ORDER.filter((one) => LOWERABLE.has(one))) {
    for (const { id, state, authorizedAmount } of payments.filter(({ tender }) => tender.type === type)) {
      const less = state === 'authorised' ? Math.min(beyond, authorizedAmount.amount) : 0;
      if (less <= 0) continue;
      beyond -= less;
      const left = money(authorizedAmount.amount - less, authorizedAmount.currency);
      const lowered = await lowerTo(left, id, { call });
      if (lowered) after.set(id, lowered);
    }
  }
  return [...after.values()];
}

/** @returns undefined if it was captured or voided in the meantime, or a real Payment Hub does not lower authorisations */
async function lowerTo(amount: Money, id: string, { call }: Pick<Scope, 'call'>): Promise<Payment | undefined> {
  try {
    return amount.amount === 0
      ? await call(reversePayment, { params: { id }, body: {} }, { isSeparate: true })
      : await call(lowerAuthorization, { params: { id }, body: { amount } }, { step: `${id} ${amount.amount}`, isSeparate: true });
  } catch (error) {
    const isFinal = isProblem(error, 'invalid_state_transition') || isProblem(error, 'swapped');
    if (!isFinal || error.retryable) throw error;
    return undefined;
  }
}

/** Payments that reserve or hold money, or may do so later. The Payment Hub voids a pending payment as soon as it is approved. */
const BINDING: ReadonlySet<string> = new Set(['pending', 'requires-action', 'authorised', 'captured', 'partially-refunded']);
/** In rehearsals with manual refunds, captured payments wait for a client's Refund Payment. */
const BINDING_UNCAPTURED: ReadonlySet<string> = new Set(['pending', 'requires-action', 'authorised']);

/** Reverses payments, newest first. A failure of one does not stop the others. The Payment Hub decides between void and refund. */
async function reversePayments(orderId: string, { payments: which }: Undo, { call, context, log }: Scope): Promise<UndoResult> {
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
      log.warn({ orderId, paymentId: id, code: error.code }, 'reversing a payment failed');
      failure ??= error;
    }
  }
  return { failure, payments: [...after.values()] };
}

/** Released before they are written off, missing units would be promised to others. @throws Problem until they are written off */
async function ensureWrittenOff(orderId: string, { call, work }: Scope): Promise<true> {
  // Each attempt has a new step, because the stored answer to an earlier attempt would be out of date.
  const step = `write-off ${work.now}`;
  const answer = await call(cancelFulfillment, { params: { orderId } }, { step, timeoutMs: DECIDE_TIMEOUT_MS });
  if (answer.writtenOff) return true;
  throw new Problem('dependency_unavailable', `The short units of the order "${orderId}" are not written off yet.`, { dependency: 'sim' });
}

/** Undoes an order at other applications, as far as they answer; due work does the rest. */
export async function undoNow(
  order: StoredOrder,
  scope: Scope,
): Promise<{ readonly order: StoredOrder; readonly payments?: readonly Payment[] | undefined }> {
  if (!order.undo) return { order };
  const { work } = scope;
  const { failure, payments } = await undoAtOthers(order, order.undo, scope);
  if (!failure) return { order: endCompensation(work, order), payments };
  work.schedule(compensateDue, order.id, work.now + FIRST_RETRY_MS, {}, { awaits: absentApplication(failure) });
  return { order, payments };
}

export const compensate = handleDue(compensateDue)(async ({ key }, scope) => {
  const order = await scope.work.get(orders, key);
  if (!order?.undo) return;
  const { failure } = await undoAtOthers(order, order.undo, scope);
  if (failure) throw failure;
  endCompensation(scope.work, order);
});

/** Ids of the reservations of an order: for its lines, for short units that another location serves, and for its replacements. */
export const knownReservations = ({ lines }: StoredOrder, record: FulfillmentRecord | undefined): string[] => [
  ...new Set([
    ...reservationsOf(lines),
    ...[...(record?.short ?? []), ...(record?.replacements ?? [])].flatMap(({ held }) => (held ? [held.reservationId] : [])),
  ]),
];

/**
 * Calls the SIM to release all stock reserved for an ended order or its basket, except the reservations in `spare`.
 * A repeat sends the same body, although a return may have begun since the order was completed.
 * @param shelved the number of reservations whose goods are back on the shelf; with more of them, it is another call
 */
async function releaseReservationsOf(
  order: StoredOrder,
  spare: readonly string[],
  { call }: Pick<Scope, 'call'>,
  shelved: number = 0,
): Promise<void> {
  const { id, basketId } = order;
  const state = order.state === 'cancelled' ? 'cancelled' : 'completed';
  const basket = basketId === undefined ? undefined : { id: basketId, state: 'converted' };
  const step = shelved > 0 ? { step: `shelved ${shelved}` } : {};
  await call(releaseHolds, { body: { order: { id, state }, basket, spare: [...spare] } }, step);
}

/** The reservations of a fulfillment order. A line whose location had none of its units has another one by now. */
const reservationsIn = ({ id, lines }: SeenFulfillment, order: StoredOrder, { short }: FulfillmentRecord): string[] => {
  const served = short.flatMap(({ servedBy, held }) => (servedBy === id && held ? [held.reservationId] : []));
  if (served.length > 0) return served;
  const found = lines.filter(({ qty, shortQty }) => shortQty < qty).map(({ orderLineId }) => orderLineId);
  return reservationsOf(order.lines.filter(({ lineId }) => found.includes(lineId)));
};

/** Whether nobody collected its goods, which are back on the shelf of the store. */
const isPutBack = ({ state, wasReady }: SeenFulfillment): boolean => state === 'returned-to-sender' && wasReady === true;

/** Whether it is a replacement that waited at a counter, and went back to the shelf. */
export const isShelved = (seen: SeenFulfillment): boolean => seen.replacementId !== undefined && isPutBack(seen);

/** Ids of the reservations of replacements that nobody collected. */
const shelvedReservations = ({ seen, replacements = [] }: FulfillmentRecord): string[] => {
  const shelved = new Set(seen.filter(isShelved).map(({ replacementId }) => replacementId));
  return replacements.flatMap(({ id, held }) => (held && shelved.has(id) ? [held.reservationId] : []));
};

/** The reservations of a completed order that the FMS may still consume: all but the reservations of goods that are back on a shelf. */
function spareReservations(order: StoredOrder, record: FulfillmentRecord | undefined, shelved: readonly string[]): string[] {
  const seen = (record?.seen ?? []).filter(({ replacementId }) => replacementId === undefined);
  const of = (some: readonly SeenFulfillment[]): Set<string> =>
    new Set(record ? some.flatMap((one) => reservationsIn(one, order, record)) : []);
  const putBack = of(seen.filter(isPutBack));
  const others = of(seen.filter((one) => !isPutBack(one)));
  return knownReservations(order, record).filter((id) => !shelved.includes(id) && (!putBack.has(id) || others.has(id)));
}

/** Releases the reservations that a completed order has not consumed. */
export const releaseReservations = handleDue(releaseReservationsDue)(async ({ key }, scope) => {
  const order = await scope.work.get(orders, key);
  if (!order) return;
  const record = isSale(order) ? undefined : await scope.work.get(fulfillmentRecords, key);
  const shelved = record ? shelvedReservations(record) : [];
  const spare = isSale(order) ? [] : spareReservations(order, record, shelved);
  await releaseReservationsOf(order, spare, scope, shelved.length);
});
