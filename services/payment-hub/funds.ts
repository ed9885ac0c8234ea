import { z } from 'zod';
import { LIMITS, limitReached } from '../../shared/catalog/limits.ts';
import { putLedgerEntry } from '../../shared/catalog/loyalty/internal.ts';
import type { Payable } from '../../shared/catalog/order/objects.ts';
import { committedBy, lostIn } from '../../shared/catalog/payment/cover.ts';
import { notFound } from '../../shared/catalog/problems.ts';
import { Money as MoneySchema } from '../../shared/catalog/shapes.ts';
import { type Money, money } from '../../shared/domain/money.ts';
import { allPages } from '../../shared/handlers/all-pages.ts';
import type { VerbOf } from '../../shared/store/collections.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { handleDue } from '../../shared/work/handler.ts';
import type { Fresh, Patch, UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { giftCardBalances, orderCovers, payableOrders, payableReturns, payments, returnCovers, type StoredPayment } from './collections.ts';

/** The Loyalty Platform gives an amount back to the member. The key is the reference. */
const giveBackPointsDue = defineDueWork(
  'give-back-points',
  z.object({ reference: z.string(), paymentId: z.string(), amount: MoneySchema }),
);

type OrderToPay = z.output<typeof Payable>;

/** Minor units that the payments of an order have to cover. */
export const requiredFor = ({ required, total }: Pick<OrderToPay, 'required' | 'total'>): number => (required ?? total).amount;

/**
 * Brings the counter `payable` up to date with the order, so that the guard compares it with `committed` atomically. Of several concurrent
 * first payments, all but one are retried.
 * @returns minor units that the payments of the order have committed together
 */
export async function syncOrderCover(work: UnitOfWork, order: OrderToPay): Promise<number> {
  const { orderId: id } = order;
  const [known, [cover]] = await Promise.all([work.get(payableOrders, id), work.counters(orderCovers, [id])]);
  const committed = cover?.committed ?? 0;
  // A cancellation lowers the required amount immediately. The payment for the cancelled units is refunded later.
  const payable = Math.max(requiredFor(order), committed);
  if (known?.payable !== payable) {
    work.put(payableOrders, { id, payable, sequence: known?.sequence });
    work.move(orderCovers, id, { payable: payable - (known?.payable ?? 0) });
  }
  return committed;
}

/** @throws Problem `limit_reached` for another payment by a request from outside the estate */
export async function refuseFurtherPayment(work: UnitOfWork, orderId: string): Promise<void> {
  const [cover] = await work.counters(orderCovers, [orderId]);
  if ((cover?.payments ?? 0) < LIMITS.payments) return;
  const detail = `The order "${orderId}" has ${LIMITS.payments} payments, which is the limit.`;
  throw limitReached('payments', detail, { objectType: 'order', id: orderId, remedy: 'Cancel the order and place another one.' });
}

type Verb = VerbOf<typeof payments>;

/** Stores a new payment of an order, whatever its first state, and commits its amount to the order. */
export function addPayment(work: UnitOfWork, verb: Verb, payment: Fresh<StoredPayment>): StoredPayment {
  const added = work.create(payments, verb, payment);
  work.move(orderCovers, added.orderId, { payments: 1, committed: committedBy(added) });
  return added;
}

/** Moves a payment, and what it commits to its order: another payment can pay an amount that it releases. */
export function movePayment(
  work: UnitOfWork,
  before: StoredPayment,
  verb: Verb,
  patch: Patch<StoredPayment>,
  to?: StoredPayment['state'],
): StoredPayment {
  const moved = work.transition(payments, before, verb, patch, to);
  work.move(orderCovers, before.orderId, { committed: committedBy(moved) - committedBy(before) });
  return moved;
}

/** Another payment may have paid the amount of a refund that fails. Then `payable` rises, so that both count. */
export async function raisePayable(work: UnitOfWork, { orderId: id }: Pick<StoredPayment, 'orderId'>, by: Money): Promise<void> {
  const [known, [cover]] = await Promise.all([work.get(payableOrders, id), work.counters(orderCovers, [id])]);
  const committed = (cover?.committed ?? 0) + by.amount;
  const missing = committed - (known?.payable ?? 0);
  if (missing <= 0) return;
  work.put(payableOrders, { id, payable: committed, sequence: known?.sequence });
  work.move(orderCovers, id, { payable: missing });
}

/** The next number of the order. Of concurrent refunds and results, all but one are retried, so each has its number. */
export async function nextSequence(work: UnitOfWork, id: string): Promise<number> {
  const known = await work.get(payableOrders, id);
  const sequence = (known?.sequence ?? 0) + 1;
  work.put(payableOrders, { id, payable: known?.payable ?? 0, sequence });
  return sequence;
}

export interface LeftOfOrder {
  /** Minor units of its payments that are neither refunded, lost in disputes nor used for an exchange order. */
  readonly left: number;
  /** Minor units that pay for exchange orders of its returns. */
  readonly exchanged: number;
}

/** The amount of a completed order's payments that may still be refunded or exchanged. */
export async function leftOfOrder(work: UnitOfWork, orderId: string): Promise<LeftOfOrder> {
  const [cover] = await work.counters(orderCovers, [orderId]);
  const exchanged = cover?.exchanged ?? 0;
  const ofOrder = await allPages((cursor) => work.find(payments, 'order', orderId, { cursor }));
  const lost = ofOrder.reduce((sum, { disputes }) => sum + lostIn(disputes), 0);
  return { left: Math.max(0, (cover?.committed ?? 0) - exchanged - lost), exchanged };
}

export interface LeftOfReturn {
  readonly returnId: string;
  /** Minor units that neither refunds nor exchange credits have used. */
  readonly left: number;
}

/**
 * Brings the counter `worth` up to date with the return, so that the guard compares it with `used` atomically. Of several concurrent
 * first calls, all but one are retried.
 * @throws Problem `not_found` for a return that the order does not list
 */
export async function syncReturnCover(work: UnitOfWork, { returns }: z.output<typeof Payable>, returnId: string): Promise<LeftOfReturn> {
  const listed = returns?.find((one) => one.returnId === returnId);
  if (!listed) throw notFound('return', returnId);
  const [cover] = await work.counters(returnCovers, [returnId]);
  const used = cover?.used ?? 0;
  const known = await work.get(payableReturns, returnId);
  // A return may lose value after it was refunded. Then nothing is left of it.
  const worth = Math.max(listed.refundAmount.amount, used);
  if (known?.worth !== worth) {
    work.put(payableReturns, { id: returnId, worth });
    work.move(returnCovers, returnId, { worth: worth - (known?.worth ?? 0) });
  }
  return { returnId, left: Math.max(0, listed.refundAmount.amount - used) };
}

/** Takes the amount of an approved payment from its gift card or its return. */
export function takeValue(work: UnitOfWork, payment: Pick<StoredPayment, 'tender' | 'returnId' | 'returnedOrderId' | 'amount'>): void {
  const { tender, amount } = payment;
  if (tender.type === 'gift-card' && tender.token !== undefined) {
    work.move(giftCardBalances, tender.token, { balance: -amount.amount });
  }
  if (tender.type === 'exchange-credit') moveCredit(work, payment, amount.amount);
}

function moveCredit(
  work: UnitOfWork,
  { returnId, returnedOrderId }: Pick<StoredPayment, 'returnId' | 'returnedOrderId'>,
  by: number,
): void {
  if (returnId !== undefined) work.move(returnCovers, returnId, { used: by });
  if (returnedOrderId !== undefined) work.move(orderCovers, returnedOrderId, { exchanged: by });
}

/**
 * Gives an amount back to its source. Gift cards and returns change in the same commit. Points change at the Loyalty Platform, by due
 * work that runs before the reply and is repeated until it succeeds; `reference` makes a repeat harmless. The simulated provider of
 * cards and bnpl keeps no balance.
 */
export function giveBack(work: UnitOfWork, payment: StoredPayment, { amount, reference }: { amount: Money; reference: string }): void {
  if (amount.amount === 0) return;
  const { type, token } = payment.tender;
  if (type === 'gift-card' && token !== undefined) work.move(giftCardBalances, token, { balance: amount.amount });
  if (type === 'exchange-credit') moveCredit(work, payment, -amount.amount);
  if (type === 'loyalty') {
    const payload = { reference, paymentId: payment.id, amount: money(amount.amount, amount.currency) };
    work.schedule(giveBackPointsDue, reference, work.now, payload, { beforeReply: true });
  }
}

/** Fails, and is repeated, until the Loyalty Platform has booked the points. */
export const giveBackPoints = handleDue(giveBackPointsDue)(async ({ payload }, { call }) => {
  const { reference, paymentId, amount } = payload;
  await call(putLedgerEntry, {
    params: { type: 'reverse', reference },
    body: reference === paymentId ? { amount } : { paymentId, amount },
  });
});
