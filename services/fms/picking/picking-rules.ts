import type { z } from 'zod';
import { fulfillmentOrderLifeCycle } from '../../../shared/catalog/fulfillment/fulfillment-orders.ts';
import type { recordPicking } from '../../../shared/catalog/fulfillment/internal.ts';
import { pickingMoves } from '../../../shared/catalog/fulfillment/picking-orders.ts';
import { isAgain, refusal } from '../../../shared/catalog/life-cycle.ts';
import { invalid, type Problem } from '../../../shared/catalog/problems.ts';
import type { StoredFulfillmentOrder } from '../collections.ts';

type Report = z.output<typeof recordPicking.request>;
type Line = StoredFulfillmentOrder['lines'][number];

/** The verb of the life cycle for a status of the picking order. */
const verbOf = { open: 'start-picking', started: 'pick', picked: 'pick', short: 'pick', packed: 'pack' } as const;

/**
 * Whether a report is a repeat, which changes nothing in any state. A cancelled fulfillment order accepts only the report that
 * ended it, so that the warehouse stops and puts the goods back.
 */
export function isReported({ state, failureReason, pickingSteps }: StoredFulfillmentOrder, { status }: Report): boolean {
  if (state === 'cancelled' && (status !== 'short' || failureReason !== 'short')) return false;
  // A fulfillment order has one picking order: opening another one returns the first.
  return pickingSteps.includes(status);
}

/** @throws Problem `invalid_state_transition` when another picking order picks it, or this status does not come next */
export function refuseUntimely(found: StoredFulfillmentOrder, { status, pickingOrderId }: Report): void {
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

const untimely = (found: StoredFulfillmentOrder, verb: (typeof verbOf)[keyof typeof verbOf], why: string): Problem =>
  refusal(
    fulfillmentOrderLifeCycle,
    found,
    verb,
    `The fulfillment order "${found.id}" cannot be ${verb === 'pack' ? 'packed' : 'picked'}: ${why}.`,
  );

/** The picked lines. A line that the report omits was picked in full. @throws Problem `validation_failed` for a report that does not fit */
export function pickedLines(lines: readonly Line[], { status, lines: reported = [] }: Report): Line[] {
  const picked = new Map<string, number>();
  for (const [index, { orderLineId, pickedQty }] of reported.entries()) {
    const line = lines.find((one) => one.orderLineId === orderLineId);
    if (!line) throw invalid(`/lines/${index}/orderLineId`, 'unknown_line', `The fulfillment order has no line "${orderLineId}".`);
    if (picked.has(orderLineId)) throw invalid(`/lines/${index}/orderLineId`, 'repeated', `The line "${orderLineId}" is named twice.`);
    if (pickedQty > line.qty) {
      throw invalid(`/lines/${index}/pickedQty`, 'too_big', `The line "${orderLineId}" has ${line.qty} units, not ${pickedQty}.`);
    }
    if (status !== 'short' && pickedQty < line.qty) {
      throw invalid(
        `/lines/${index}/pickedQty`,
        'short',
        `The line "${orderLineId}" has ${line.qty}; report short when units are missing.`,
      );
    }
    picked.set(orderLineId, pickedQty);
  }
  return lines.map((line) => {
    const pickedQty = picked.get(line.orderLineId) ?? line.qty;
    return { ...line, pickedQty, shortQty: line.qty - pickedQty };
  });
}
