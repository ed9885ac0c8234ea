import { Problem } from '../../../shared/catalog/problems.ts';
import { money } from '../../../shared/domain/money.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { orders, type StoredOrder } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import { requiredFor } from '../order/line-value.ts';
import { endCarryOut } from '../order/pending-action.ts';
import { captureIfPossible, isCovered } from '../payment/capture.ts';
import type { Payment } from '../payment/payments.ts';
import { earningOf } from '../payment/settlement.ts';
import { coverageOf } from '../payment/status.ts';
import { takeOutOfStore } from './store-stock.ts';

/**
 * Carries a carry-out on from its intent to its end: every tender is captured, the goods leave the stock of the store, the sale is
 * completed. Each step may be repeated, by the request, its repetition or due work. A sale that is not paid goes back to where it was.
 * The changes are for the last commit.
 * @throws Problem when another application leaves the outcome open; the intent then stays
 */
export async function carryOutSale(order: StoredOrder, scope: Scope): Promise<StoredOrder | Problem> {
  const { work } = scope;
  const { storeId } = order;
  if (storeId === undefined) throw new Error(`The sale ${order.id} has no store.`);
  const payments = order.totals.total.amount === 0 ? [] : await captureIfPossible(order.id, scope, () => false);
  if (!isCovered(payments, requiredFor(order))) {
    endCarryOut(work, order);
    return notPaid(order, payments);
  }
  const stockDiscrepancy = await takeOutOfStore(order, storeId, scope);
  const lines = order.lines.map((line) => ({ ...line, nodeId: storeId, fulfilledQty: line.qty }));
  work.cancel(dueWork.finishCarryOut, order.id);
  work.schedule(dueWork.releaseHolds, order.id, work.now, {}, { beforeReply: true });
  return work.transition(orders, order, 'carry-out', {
    lines,
    pendingAction: undefined,
    completedAt: instant(work.now),
    ...earningOf({ ...order, lines }, payments),
    ...(stockDiscrepancy && { stockDiscrepancy }),
  });
}

function notPaid(order: StoredOrder, payments: readonly Payment[]): Problem {
  const missing = requiredFor(order) - coverageOf(payments).netCaptured;
  const outstanding = money(missing, order.totals.total.currency);
  return new Problem(
    'payment_incomplete',
    `${missing} ${outstanding.currency} (minor units) of the order "${order.id}" could not be captured, or were paid back; pay them, then carry it out.`,
    { objectType: 'order', id: order.id, outstanding },
  );
}
