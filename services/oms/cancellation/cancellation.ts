import { cancelFulfillment } from '../../../shared/catalog/fulfillment/internal.ts';
import { refusal } from '../../../shared/catalog/life-cycle.ts';
import { orderLifeCycle } from '../../../shared/catalog/order/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { DueWork } from '../../../shared/work/due-work.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { Patch, UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type StoredOrder } from '../collections.ts';
import {
  capturePaymentsDue,
  compensateDue,
  expireDraftDue,
  finishCancellationDue,
  finishConfirmationDue,
  giveUpUncoveredDue,
  redeemVouchersDue,
  routeOrderDue,
  serveShortLinesDue,
  settleOrderDue,
} from '../due-work.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';
import { withUndo } from './compensation.ts';
import { knownHolds } from './ended-holds.ts';

/** Due work that a cancelled order no longer needs. */
const OBSOLETE_WORK: readonly DueWork[] = [
  finishCancellationDue,
  finishConfirmationDue,
  expireDraftDue,
  redeemVouchersDue,
  routeOrderDue,
  capturePaymentsDue,
  serveShortLinesDue,
  settleOrderDue,
  giveUpUncoveredDue,
];

/**
 * Calls the FMS to cancel all fulfillment orders of the order, or none. Afterwards the FMS creates none for this order. Without a fulfillment
 * record there is nothing to cancel at the FMS.
 * @returns whether all short units are written off
 * @throws Problem `invalid_state_transition` when goods are dispatched, or `dependency_*`
 */
export async function stopFulfillment(order: StoredOrder, { work, call }: Scope): Promise<boolean> {
  if (order.state === 'draft' || !(await work.get(fulfillmentRecords, order.id))) return true;
  try {
    const { writtenOff } = await call(cancelFulfillment, { params: { orderId: order.id } }, { timeoutMs: DECIDE_TIMEOUT_MS });
    return writtenOff;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid_state_transition' || error.retryable) throw error;
    throw goodsHaveLeft(order, error);
  }
}

const goodsHaveLeft = (order: StoredOrder, { message, context }: Problem): Problem =>
  refusal(orderLifeCycle, order, 'cancel', `The order "${order.id}" cannot be cancelled: some of its goods are dispatched. ${message}`, {
    ...(typeof context['id'] === 'string' && { fulfillmentOrderId: context['id'] }),
  });

export interface Cancellation {
  readonly verb: 'cancel' | 'expire' | 'abandon-fulfilment';
  readonly cancelReason?: string;
  /** When due work undoes the order at other applications, unless the request has done so. */
  readonly at: number;
  readonly patch?: Patch<StoredOrder>;
  /** Whether all short units are written off. */
  readonly writtenOff?: boolean;
}

/** Moves the order to `cancelled` and stores what others have to undo, in the next commit. Due work undoes it if needed. */
export async function markCancelled(work: UnitOfWork, order: StoredOrder, cancellation: Cancellation): Promise<StoredOrder> {
  const { verb, cancelReason, at, patch, writtenOff = true } = cancellation;
  for (const obsolete of OBSOLETE_WORK) work.cancel(obsolete, order.id);
  work.schedule(compensateDue, order.id, at, {});
  const record = await work.get(fulfillmentRecords, order.id);
  // The FMS consumes the reservations of fulfillment orders that it finished, perhaps late, so these are not released.
  const isConsumedByFms = verb === 'abandon-fulfilment' && record !== undefined && !record.seen.some(isWithdrawn);
  const spare = isConsumedByFms ? knownHolds(order, record) : [];
  return work.transition(orders, order, verb, {
    ...patch,
    pendingAction: undefined,
    routingStatus: undefined,
    captureStatus: undefined,
    ...(cancelReason !== undefined && { cancelReason }),
    ...withUndo(order, {
      payments: 'all',
      holds: { spare },
      vouchers: order.voucherCodes.length > 0,
      ...(!writtenOff && { writeOff: true }),
    }),
  });
}

/** Cancelled with units that were not short: they are still reserved. */
const isWithdrawn = ({ state, lines }: FulfillmentRecord['seen'][number]): boolean =>
  state === 'cancelled' && lines.some(({ qty, shortQty }) => shortQty < qty);
