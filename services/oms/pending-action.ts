import { allowedFrom, refusal } from '../../shared/catalog/life-cycle.ts';
import { orderLifeCycle } from '../../shared/catalog/order/objects.ts';
import type { Problem } from '../../shared/catalog/problems.ts';
import { instant } from '../../shared/domain/time.ts';
import type { Patch, UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { orders, type StoredOrder } from './collections.ts';
import {
  finishCancellationDue,
  finishCarryOutDue,
  finishChangeDue,
  finishConfirmationDue,
  routeOrderDue,
  TAKE_OVER_MS,
} from './due-work.ts';

type Verb = NonNullable<StoredOrder['pendingAction']>['action'];

/** Due work that takes over when the request of an intent does not finish. */
const takeOver = {
  confirm: finishConfirmationDue,
  route: routeOrderDue,
  change: finishChangeDue,
  cancel: finishCancellationDue,
  'carry-out': finishCarryOutDue,
} as const;

/** Words for each pending action of an order. */
export const doing = {
  confirm: 'being confirmed',
  route: 'being routed',
  change: 'being changed',
  cancel: 'being cancelled',
  'carry-out': 'being carried out',
} as const;

/** Retryable 409: of several concurrent verbs, the first one to store its intent wins. */
export function actionPending(order: StoredOrder, verb: Verb | 'replace', pending: NonNullable<StoredOrder['pendingAction']>): Problem {
  const detail = `The order "${order.id}" is ${doing[pending.action]} (since ${pending.since}); repeat the request after that.`;
  const about = { allowedFrom: allowedFrom(orderLifeCycle, verb), pendingAction: pending, retryable: true, retryAfter: 1 } as const;
  return refusal('order', order, verb, detail, about);
}

/** @throws Problem `invalid_state_transition` with `retryable: true` while another verb is pending */
export function refuseWhileOtherPending(order: StoredOrder, verb: Verb): void {
  if (order.pendingAction && order.pendingAction.action !== verb) throw actionPending(order, verb, order.pendingAction);
}

/** Commits the intent and its due work before any other application is called. An intent of the same verb is continued. */
export async function beginIntent(
  work: UnitOfWork,
  order: StoredOrder,
  verb: Verb,
  patch: Pick<StoredOrder, 'cancelReason' | 'routeStrategy' | 'pendingChange'> = {},
): Promise<StoredOrder> {
  if (order.pendingAction) return order;
  const intended = work.transition(orders, order, 'note', { ...patch, pendingAction: { action: verb, since: instant(work.now) } });
  work.schedule<unknown>(takeOver[verb], order.id, work.now + TAKE_OVER_MS, {});
  await work.checkpoint();
  return intended;
}

/** Stores the OMS's own intent to cancel; due work acts immediately. The caller has checked that no other action is pending. */
export function giveUp(work: UnitOfWork, order: StoredOrder, patch: Patch<StoredOrder> & { cancelReason: string }): StoredOrder {
  work.schedule(takeOver.cancel, order.id, work.now, {});
  return work.transition(orders, order, 'note', { ...patch, pendingAction: { action: 'cancel', since: instant(work.now) } });
}

/** Withdraws an intent together with other changes, as part of the last commit. */
export function withdraw(work: UnitOfWork, order: StoredOrder, verb: Verb, patch: Patch<StoredOrder> = {}): StoredOrder {
  work.cancel(takeOver[verb], order.id);
  return work.transition(orders, order, 'note', { ...patch, pendingAction: undefined });
}
