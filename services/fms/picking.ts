import type { InputOf } from '../../shared/catalog/define.ts';
import { fulfillmentOrderLifeCycle } from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { recordPicking as recordPickingCall } from '../../shared/catalog/fulfillment/internal.ts';
import { pickingMoves } from '../../shared/catalog/fulfillment/picking-orders.ts';
import { isAgain, refusal } from '../../shared/catalog/life-cycle.ts';
import { invalid, type Problem } from '../../shared/catalog/problems.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { fulfillmentOrders, published, type StoredFulfillmentOrder } from './collections.ts';
import { writeOffDue } from './due-work.ts';

type Report = InputOf<typeof recordPickingCall>['body'];

export const recordPicking = handle(recordPickingCall)(async ({ params, body }, { work }) => {
  const found = await requireObject(work, fulfillmentOrders, params.id);
  if (isReported(found, body)) return again(published(found));
  refuseUntimely(found, body);
  return published(applyReport(work, found, body));
});

function applyReport(work: UnitOfWork, found: StoredFulfillmentOrder, body: Report): StoredFulfillmentOrder {
  const pickingSteps = [...found.pickingSteps, body.status];
  switch (body.status) {
    case 'open':
      return work.transition(fulfillmentOrders, found, 'start-picking', { pickingSteps, pickingOrderId: body.pickingOrderId });
    case 'started':
      return work.transition(fulfillmentOrders, found, 'pick', { pickingSteps });
    case 'picked':
      return work.transition(fulfillmentOrders, found, 'pick', { pickingSteps, lines: pickedLines(found.lines, body) });
    case 'short':
      return recordShortage(work, found, { pickingSteps, lines: pickedLines(found.lines, body) });
    case 'packed':
      return work.transition(fulfillmentOrders, found, 'pack', { pickingSteps });
  }
}

/** Continues with the units that were found. Missing units are written off; the OMS serves them from another location. */
function recordShortage(
  work: UnitOfWork,
  found: StoredFulfillmentOrder,
  patch: Pick<StoredFulfillmentOrder, 'pickingSteps' | 'lines'>,
): StoredFulfillmentOrder {
  if (patch.lines.some(({ shortQty }) => shortQty > 0)) work.schedule(writeOffDue, found.id, work.now, {}, { beforeReply: true });
  if (patch.lines.some(({ pickedQty }) => pickedQty > 0)) return work.transition(fulfillmentOrders, found, 'pick', patch);
  return work.transition(fulfillmentOrders, found, 'pick-nothing', { ...patch, failureReason: 'short' });
}

type Line = StoredFulfillmentOrder['lines'][number];

/** The verb of the life cycle for a status of the picking order. */
const verbOf = { open: 'start-picking', started: 'pick', picked: 'pick', short: 'pick', packed: 'pack' } as const;

/**
 * Whether a report is a repeat, which changes nothing in any state. A cancelled fulfillment order accepts only the report that
 * ended it, so that the warehouse stops and puts the goods back.
 */
function isReported({ state, failureReason, pickingSteps }: StoredFulfillmentOrder, { status }: Report): boolean {
  if (state === 'cancelled' && (status !== 'short' || failureReason !== 'short')) return false;
  // A fulfillment order has one picking order: opening another one returns the first.
  return pickingSteps.includes(status);
}

/** @throws Problem `invalid_state_transition` when another picking order picks it, or this status does not come next */
function refuseUntimely(found: StoredFulfillmentOrder, { status, pickingOrderId }: Report): void {
  const verb = verbOf[status];
  if (status !== 'open' && found.pickingOrderId !== undefined && found.pickingOrderId !== pickingOrderId) {
    throw untimely(found, verb, `it is picked by the picking order "${found.pickingOrderId}", not by "${pickingOrderId}"`);
  }
  // `isReported` accepts repeats, so this status was skipped.
  if (isAgain(fulfillmentOrderLifeCycle, found, verb))
    throw untimely(found, verb, `it is ${found.state}, and was never reported ${status}`);
  const last = found.pickingSteps.at(-1);
  const next: readonly string[] = last === undefined ? ['open'] : pickingMoves[last];
  if (!next.includes(status))
    throw untimely(found, verb, `its picking is ${last}; next is ${next.join(' or ') || 'nothing'}, not ${status}`);
}

const untimely = (found: StoredFulfillmentOrder, verb: (typeof verbOf)[keyof typeof verbOf], why: string): Problem => {
  const detail = `The fulfillment order "${found.id}" cannot be ${verb === 'pack' ? 'packed' : 'picked'}: ${why}.`;
  return refusal(fulfillmentOrderLifeCycle, found, verb, detail);
};

/** The picked lines. A line that the report omits was picked in full. @throws Problem `validation_failed` for a report that does not fit */
function pickedLines(lines: readonly Line[], { status, lines: reported = [] }: Report): Line[] {
  const picked = new Map<string, number>();
  for (const [index, { orderLineId, pickedQty }] of reported.entries()) {
    const line = lines.find((one) => one.orderLineId === orderLineId);
    if (!line) throw invalid(`/lines/${index}/orderLineId`, 'unknown_line', `The fulfillment order has no line "${orderLineId}".`);
    if (picked.has(orderLineId)) throw invalid(`/lines/${index}/orderLineId`, 'repeated', `The line "${orderLineId}" is named twice.`);
    if (pickedQty > line.qty) {
      throw invalid(`/lines/${index}/pickedQty`, 'too_big', `The line "${orderLineId}" has ${line.qty} units, not ${pickedQty}.`);
    }
    if (status !== 'short' && pickedQty < line.qty) {
      const detail = `The line "${orderLineId}" has ${line.qty}; report short when units are missing.`;
      throw invalid(`/lines/${index}/pickedQty`, 'short', detail);
    }
    picked.set(orderLineId, pickedQty);
  }
  return lines.map((line) => {
    const pickedQty = picked.get(line.orderLineId) ?? line.qty;
    return { ...line, pickedQty, shortQty: line.qty - pickedQty };
  });
}
