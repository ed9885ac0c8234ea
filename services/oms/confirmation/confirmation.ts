import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { withUndo } from '../cancellation/compensation.ts';
import { orders, type StoredOrder } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import { beginRouting, isRoutable, routesByItself } from '../fulfillment/routing.ts';
import { linesHeldBy, linesServedFrom, type OrderLine, type Reservation, reservationsOf } from '../order/lines.ts';
import { endConfirmation } from '../order/pending-action.ts';
import { type Payment, paymentIncomplete } from '../payment/payments.ts';
import { secureStock } from './confirm-stock.ts';

export interface Confirmation {
  /** The order with the intent on it. */
  readonly order: StoredOrder;
  readonly payments: readonly Payment[];
  /** The intent was found, not made: what was sent to the SIM before may have been done. */
  readonly resumed: boolean;
}

/**
 * Carries a confirmation on from its intent to its end: confirmed, or refused with the intent taken back. Both are changes for
 * the last commit. A request, its repetition and the due work that takes over all come here and may do so at once: each call
 * repeats what the others sent, and the first commit wins.
 * @throws Problem when another application leaves the outcome open; the intent then stays
 */
export async function continueConfirmation({ order, payments, resumed }: Confirmation, scope: Scope): Promise<StoredOrder | Problem> {
  const { work } = scope;
  const incomplete = paymentIncomplete(order, payments);
  if (incomplete) {
    endConfirmation(work, order);
    return incomplete;
  }
  const holding = await secureStock(order, scope);
  switch (holding.is) {
    case 'held':
      return markConfirmed(holding.order, servedBy(holding), scope);
    case 'short':
      return refuseForStock({ order: holding.order, shortage: holding.problem, payments }, scope);
    case 'unavailable':
      if (resumed) throw holding.problem;
  }
  endConfirmation(work, holding.order);
  return holding.problem;
}

const servedBy = ({ order, reservation }: { order: StoredOrder; reservation: Reservation }): OrderLine[] =>
  linesServedFrom(linesHeldBy(order.lines, reservation.id), reservation.allocations);

/**
 * A paid sale of the till. Its goods lie on the counter, so nobody asks for stock, and what the till holds of it is left as it is:
 * there is nothing to be done elsewhere, and one commit does all.
 */
export const confirmSale = (order: StoredOrder, scope: Scope): StoredOrder => markConfirmed(order, order.lines, scope);

/** The point of no return: from this commit on nothing refuses the order any more. It also says who routes it. */
function markConfirmed(order: StoredOrder, lines: StoredOrder['lines'], { work, context }: Scope): StoredOrder {
  work.cancel(dueWork.finishConfirmation, order.id);
  work.cancel(dueWork.expireDraft, order.id);
  scheduleRedemption(work, order);
  const byHand = isRoutable(order) && !routesByItself(context);
  if (isRoutable(order) && !byHand) beginRouting(work, order.id);
  return work.transition(orders, order, 'confirm', {
    lines,
    pendingAction: undefined,
    ...(byHand && { routingStatus: 'manual' as const }),
  });
}

interface Shortage {
  readonly order: StoredOrder;
  /** What the SIM answered. */
  readonly shortage: Problem;
  readonly payments: readonly Payment[];
}

/** The uses of its vouchers are booked before the reply, or later when the Promotion Engine is down. Repeated, they stay booked. */
export function scheduleRedemption(work: UnitOfWork, { id, voucherCodes }: StoredOrder): void {
  if (voucherCodes.length > 0) work.schedule(dueWork.redeemVouchers, id, work.now, {}, { beforeReply: true });
}

/** All or nothing: without stock for every line nothing is held, and the authorisations are voided. The order stays draft. */
function refuseForStock({ order, shortage, payments }: Shortage, { work }: Scope): Problem {
  const authorised = payments.filter(({ state }) => state === 'authorised').map(({ id }) => id);
  const ended = endConfirmation(work, order, {
    lines: linesHeldBy(order.lines, undefined),
    holdAttempts: order.holdAttempts + 1,
    ...withUndo(order, { payments: authorised, vouchers: false }),
  });
  if (ended.undo) work.schedule(dueWork.compensate, order.id, work.now, {}, { beforeReply: true });
  return shortOfStock(order, shortage);
}

/** Which code: the goods are gone because a hold ran out, or there was no hold to begin with. */
function shortOfStock(order: StoredOrder, shortage: Problem): Problem {
  const context = {
    objectType: 'order',
    id: order.id,
    skus: shortage.context['skus'] ?? [],
    lines: order.lines.map(({ lineId, sku, qty }) => ({ lineId, sku, qty })),
  };
  const consequence = 'Nothing is held for it and its authorisations are voided; authorise and confirm again when the goods are back.';
  if (reservationsOf(order.lines).length === 0) {
    return new Problem('insufficient_stock', `There is no stock for the order "${order.id}": ${shortage.message} ${consequence}`, context);
  }
  const gone = `The hold of the order "${order.id}" ran out and its goods are gone: ${shortage.message} ${consequence}`;
  return new Problem('reservation_expired', gone, context);
}
