import type { Scope } from '../../shared/contract/handler.ts';
import type { UnitOfWork } from '../../shared/store/unit-of-work.ts';
import { orders, type StoredOrder } from './collections.ts';
import { endCompensation, undoAtOthers, withUndo } from './compensation.ts';
import { reservationsOf } from './order-lines.ts';
import { type OrderView, viewNow, viewOf } from './order-view.ts';

/**
 * Moves the order to cancelled and notes what is to be undone, both for one commit. Its due work is what does it when the request
 * does not; `at` is when it takes over.
 */
export function cancelled(
  work: UnitOfWork,
  order: StoredOrder,
  how: { verb: 'cancel' | 'expire'; cancelReason?: string; at: number },
): StoredOrder {
  for (const kind of ['finish-cancellation', 'finish-confirmation', 'expire-draft', 'redeem-vouchers']) work.cancel(kind, order.id);
  work.due('compensate', order.id, how.at, {});
  return work.transition(orders, order, how.verb, {
    pendingAction: undefined,
    ...(how.cancelReason !== undefined && { cancelReason: how.cancelReason }),
    ...withUndo(order, { payments: 'all', reservationIds: reservationsOf(order.lines), vouchers: order.voucherCodes.length > 0 }),
  });
}

/** Undoes what a cancelled order has elsewhere, as far as the others answer, and shows how far that went. */
export async function compensated(order: StoredOrder, scope: Scope): Promise<OrderView> {
  if (!order.undo) return viewNow(order, scope);
  const { failure, payments } = await undoAtOthers(order, order.undo, scope);
  return viewOf(failure ? order : endCompensation(scope.work, order), payments);
}
