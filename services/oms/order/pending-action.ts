import { allowedFrom } from '../../../shared/catalog/life-cycle.ts';
import { orderLifeCycle } from '../../../shared/catalog/order/objects.ts';
import { Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Patch, UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { orders, type StoredOrder } from '../collections.ts';
import * as dueWork from '../due-work.ts';
import { TAKE_OVER_MS } from '../timing.ts';

type Verb = NonNullable<StoredOrder['pendingAction']>['action'];

/** The due work that takes an intent over when its request does not come to an end. */
const takeOver = {
  confirm: dueWork.finishConfirmation,
  cancel: dueWork.finishCancellation,
  'carry-out': dueWork.finishCarryOut,
} as const;

const doing = { confirm: 'being confirmed', cancel: 'being cancelled', 'carry-out': 'being carried out' } as const;

/** 409, to be repeated: which of several verbs wins is decided by the one that began first. */
export function underWay(order: StoredOrder, verb: Verb | 'route', pending: NonNullable<StoredOrder['pendingAction']>): Problem {
  return new Problem(
    'invalid_state_transition',
    `The order "${order.id}" is ${doing[pending.action]} since ${pending.since}; send this again when that has ended.`,
    {
      objectType: 'order',
      id: order.id,
      currentState: order.state,
      action: verb,
      allowedFrom: allowedFrom(orderLifeCycle, verb),
      pendingAction: pending,
      retryable: true,
      retryAfter: 1,
    },
  );
}

/** @throws Problem `invalid_state_transition` with `retryable: true` while another verb is under way */
export function refuseWhileOther(order: StoredOrder, verb: Verb): void {
  if (order.pendingAction && order.pendingAction.action !== verb) throw underWay(order, verb, order.pendingAction);
}

/**
 * Commits what is about to be done, with the due work that finishes or undoes it, before anything is done elsewhere.
 * Whoever finds the intent of the same verb already there goes on with it.
 */
export async function beginIntent(
  work: UnitOfWork,
  order: StoredOrder,
  verb: Verb,
  patch: Pick<StoredOrder, 'cancelReason'> = {},
): Promise<StoredOrder> {
  if (order.pendingAction) return order;
  const intended = work.transition(orders, order, 'note', { ...patch, pendingAction: { action: verb, since: instant(work.now) } });
  work.schedule(takeOver[verb], order.id, work.now + TAKE_OVER_MS, {});
  await work.checkpoint();
  return intended;
}

/** Takes a cancellation's intent back: goods have left, or nobody could say. A part of the last commit. */
export function endCancellation(work: UnitOfWork, order: StoredOrder): StoredOrder {
  work.cancel(takeOver.cancel, order.id);
  return work.transition(orders, order, 'note', { pendingAction: undefined, cancelReason: undefined });
}

/**
 * The estate itself gives an order up: the same intent as Cancel Order’s, which due work carries out at once. A part of the last
 * commit; a verb that is under way goes first.
 */
export function giveUp(work: UnitOfWork, order: StoredOrder, patch: Patch<StoredOrder> & { cancelReason: string }): StoredOrder {
  work.schedule(takeOver.cancel, order.id, work.now, {});
  return work.transition(orders, order, 'note', { ...patch, pendingAction: { action: 'cancel', since: instant(work.now) } });
}

/** Takes a carry-out's intent back: it is not paid. A part of the last commit. */
export function endCarryOut(work: UnitOfWork, order: StoredOrder): StoredOrder {
  work.cancel(takeOver['carry-out'], order.id);
  return work.transition(orders, order, 'note', { pendingAction: undefined });
}

/** Takes a confirmation's intent back, together with what else changes: a part of the last commit. */
export function endConfirmation(work: UnitOfWork, order: StoredOrder, patch: Patch<StoredOrder> = {}): StoredOrder {
  work.cancel(takeOver.confirm, order.id);
  return work.transition(orders, order, 'note', { ...patch, pendingAction: undefined });
}
