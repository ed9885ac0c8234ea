import type { InputOf } from '../../../shared/catalog/define.ts';
import { recordPicking as recordPickingCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { again, handle } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { fulfillmentOrderById, fulfillmentOrders, published, type StoredFulfillmentOrder } from '../collections.ts';
import { writeOffDue } from '../due-work.ts';
import { isReported, pickedLines, refuseUntimely } from '../picking/picking-rules.ts';

type Body = InputOf<typeof recordPickingCall>['body'];

export const recordPicking = handle(recordPickingCall)(async ({ params, body }, { work }) => {
  const found = await fulfillmentOrderById(work, params.id);
  if (isReported(found, body)) return again(published(found));
  refuseUntimely(found, body);
  return published(applyReport(work, found, body));
});

function applyReport(work: UnitOfWork, found: StoredFulfillmentOrder, body: Body): StoredFulfillmentOrder {
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
