import { Problem } from '../../../shared/catalog/problems.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { withUndo } from '../cancellation/compensation.ts';
import { orders, type StoredOrder } from '../collections.ts';
import { compensateDue, expireDraftDue, finishConfirmationDue, redeemVouchersDue } from '../due-work.ts';
import { beginRouting, isRoutable, routesByItself } from '../fulfillment/routing.ts';
import { linesHeldBy, linesServedFrom, type OrderLine, type Reservation, reservationsOf } from '../order/lines.ts';
import { withdrawConfirmation } from '../order/pending-action.ts';
import { type Payment, paymentIncomplete } from '../payment/payments.ts';
import { secureStock } from './confirm-stock.ts';

export interface Confirmation {
  /** The order with its stored intent. */
  readonly order: StoredOrder;
  readonly payments: readonly Payment[];
  /** Whether an earlier attempt stored the intent. It may have changed stock at the SIM. */
  readonly resumed: boolean;
}

/**
 * Continues a confirmation from its intent to its end: confirmed, or refused with the intent withdrawn. Either change is part of the last
 * commit. A request, its repeat and due work may run this concurrently: they send the same calls, and the first commit wins.
 * @returns the confirmed order, or its refusal
 * @throws Problem when another application leaves the outcome open; the intent then stays
 */
export async function continueConfirmation({ order, payments, resumed }: Confirmation, scope: Scope): Promise<StoredOrder | Problem> {
  const { work } = scope;
  const incomplete = paymentIncomplete(order, payments);
  if (incomplete) {
    withdrawConfirmation(work, order);
    return incomplete;
  }
  const holding = await secureStock(order, scope);
  switch (holding.is) {
    case 'held':
      return markConfirmed(holding.order, servedBy(holding), scope);
    case 'short':
      return refuseForStock({ order: holding.order, problem: holding.problem, payments }, scope);
    case 'unavailable':
      if (resumed) throw holding.problem;
  }
  withdrawConfirmation(work, holding.order);
  return holding.problem;
}

const servedBy = ({ order, reservation }: { order: StoredOrder; reservation: Reservation }): OrderLine[] =>
  linesServedFrom(linesHeldBy(order.lines, reservation.id), reservation.allocations);

/** Confirms a paid sale in one commit. Its goods are at the till, so no stock is requested, and the reservation of the till stays. */
export const confirmSale = (order: StoredOrder, scope: Scope): StoredOrder => markConfirmed(order, order.lines, scope);

/** This commit decides the confirmation: later failures are retried, and do not refuse the order. */
function markConfirmed(order: StoredOrder, lines: StoredOrder['lines'], { work, context }: Scope): StoredOrder {
  work.cancel(finishConfirmationDue, order.id);
  work.cancel(expireDraftDue, order.id);
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
  /** The answer of the SIM. */
  readonly problem: Problem;
  readonly payments: readonly Payment[];
}

/** Vouchers are redeemed before the reply, or later if the Promotion Engine is down. A repeat changes nothing. */
export function scheduleRedemption(work: UnitOfWork, { id, voucherCodes }: StoredOrder): void {
  if (voucherCodes.length > 0) work.schedule(redeemVouchersDue, id, work.now, {}, { beforeReply: true });
}

/** Refuses a confirmation without stock for every line: nothing is reserved, the authorisations are voided, and the order stays a draft. */
function refuseForStock({ order, problem, payments }: Shortage, { work }: Scope): Problem {
  const authorised = payments.filter(({ state }) => state === 'authorised').map(({ id }) => id);
  const ended = withdrawConfirmation(work, order, {
    lines: linesHeldBy(order.lines, undefined),
    holdAttempts: order.holdAttempts + 1,
    ...withUndo(order, { payments: authorised, vouchers: false }),
  });
  if (ended.undo) work.schedule(compensateDue, order.id, work.now, {}, { beforeReply: true });
  return shortOfStock(order, problem);
}

/** The refusal: `reservation_expired` if the order had a reservation, otherwise `insufficient_stock`. */
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
  const gone = `The reservation of the order "${order.id}" expired or was released, and its goods are sold: ${shortage.message} ${consequence}`;
  return new Problem('reservation_expired', gone, context);
}
