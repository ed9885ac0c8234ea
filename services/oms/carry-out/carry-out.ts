import { Problem } from '../../../shared/catalog/problems.ts';
import { money, moneyInWords } from '../../../shared/domain/money.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import { orders, type StoredOrder } from '../collections.ts';
import { finishCarryOutDue, releaseHoldsDue } from '../due-work.ts';
import { requiredFor } from '../order/line-value.ts';
import { withdrawCarryOut } from '../order/pending-action.ts';
import { captureIfPossible, isCovered } from '../payment/capture.ts';
import type { Payment } from '../payment/payments.ts';
import { earningOf } from '../payment/settlement.ts';
import { coverageOf } from '../payment/status.ts';
import { takeOutOfStore } from './store-stock.ts';

/**
 * Continues a carry-out from its intent to its end: captures every tender, takes the goods out of the stock of the store and completes
 * the sale. Each step may be repeated by the request, a repeat of it or due work. The changes are part of the last commit.
 * @returns the completed order; or the refusal of a sale that is not paid, with the intent withdrawn
 * @throws Problem when another application leaves the outcome open; the intent then stays
 */
export async function carryOutSale(order: StoredOrder, scope: Scope): Promise<StoredOrder | Problem> {
  const { work } = scope;
  const { storeId } = order;
  if (storeId === undefined) throw new Error(`The sale ${order.id} has no store.`);
  const payments = order.totals.total.amount === 0 ? [] : await captureIfPossible(order.id, scope, () => false);
  if (!isCovered(payments, requiredFor(order))) {
    withdrawCarryOut(work, order);
    return notPaid(order, payments);
  }
  const stockDiscrepancy = await takeOutOfStore(order, storeId, scope);
  const lines = order.lines.map((line) => ({ ...line, nodeId: storeId, fulfilledQty: line.qty }));
  work.cancel(finishCarryOutDue, order.id);
  work.schedule(releaseHoldsDue, order.id, work.now, {}, { beforeReply: true });
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
    `${moneyInWords(outstanding)} of the order "${order.id}" are not captured, or were refunded; pay them, then carry out the order again.`,
    { objectType: 'order', id: order.id, outstanding },
  );
}
