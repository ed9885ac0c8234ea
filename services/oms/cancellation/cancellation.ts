import { cancelFulfillment } from '../../../shared/catalog/fulfillment/internal.ts';
import { allowedFrom } from '../../../shared/catalog/life-cycle.ts';
import { orderLifeCycle } from '../../../shared/catalog/order/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import type { DueWork } from '../../../shared/work/due-work.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { Patch, UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type StoredOrder } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import { DECIDE_TIMEOUT_MS } from '../timing.ts';
import { withUndo } from './compensation.ts';
import { knownHolds } from './ended-holds.ts';

/** Everything that a cancelled order has no use for any more. */
const OBSOLETE_WORK: readonly DueWork[] = [
  dueWork.finishCancellation,
  dueWork.finishConfirmation,
  dueWork.expireDraft,
  dueWork.redeemVouchers,
  dueWork.routeOrder,
  dueWork.capturePayments,
  dueWork.serveShortLines,
  dueWork.settleOrder,
  dueWork.giveUpUncovered,
];

/**
 * Asks the FMS to cancel all fulfillment orders, which it does for all or none: its answer decides, and from then on there will be
 * none for this order. An order that never asked for any needs nobody's leave.
 * @returns whether everything that was short is written off
 * @throws Problem `invalid_state_transition` when one is dispatched, or `dependency_*`
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
  new Problem('invalid_state_transition', `The order "${order.id}" cannot be cancelled: goods of it have left. ${message}`, {
    objectType: 'order',
    id: order.id,
    currentState: order.state,
    action: 'cancel',
    allowedFrom: allowedFrom(orderLifeCycle, 'cancel'),
    ...(typeof context['id'] === 'string' && { fulfillmentOrderId: context['id'] }),
  });

export interface Ending {
  readonly verb: 'cancel' | 'expire' | 'abandon-fulfilment';
  readonly cancelReason?: string;
  /** When due work takes over what is to be undone, unless the request does it. */
  readonly at: number;
  readonly patch?: Patch<StoredOrder>;
  /** Whether what was short is off the books. */
  readonly writtenOff?: boolean;
}

/**
 * Moves the order to cancelled and notes what is to be undone, both for one commit. Its due work is what does it when the request
 * does not.
 */
export async function markCancelled(work: UnitOfWork, order: StoredOrder, ending: Ending): Promise<StoredOrder> {
  const { verb, cancelReason, at, patch, writtenOff = true } = ending;
  for (const obsolete of OBSOLETE_WORK) work.cancel(obsolete, order.id);
  work.schedule(dueWork.compensate, order.id, at, {});
  const record = await work.get(fulfillmentRecords, order.id);
  // What the FMS worked on to its end leaves its holds by the FMS's own movements, also when those are late.
  const isWorkedOff = verb === 'abandon-fulfilment' && record !== undefined && !record.seen.some(isWithdrawn);
  const spare = isWorkedOff ? knownHolds(order, record) : [];
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

/** Cancelled although its units were there: they are still held. */
const isWithdrawn = ({ state, lines }: FulfillmentRecord['seen'][number]): boolean =>
  state === 'cancelled' && lines.some(({ qty, shortQty }) => shortQty < qty);
