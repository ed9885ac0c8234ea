import { handleDue } from '../../../shared/work/handler.ts';
import { fulfillmentRecords, orders } from '../collections.ts';
import { serveShortLinesDue } from '../due-work.ts';
import { isMoving } from '../fulfillment/apply-progress.ts';
import { serveElsewhere } from '../fulfillment/short-lines.ts';
import { RECHECK_MS } from '../timing.ts';

/** Serves or cancels short units, one entry of the record at a time. */
export const serveShortLines = handleDue(serveShortLinesDue)(async ({ key }, scope) => {
  const { work } = scope;
  const order = await work.get(orders, key);
  const record = await work.get(fulfillmentRecords, key);
  if (!order || !record || !isMoving(order)) return;
  const open = record.short.filter(({ status }) => status === 'open' || status === 'held');
  const [units] = open;
  if (!units) return;
  if (order.pendingAction) {
    work.schedule(serveShortLinesDue, key, work.now + RECHECK_MS, {});
    return;
  }
  if (open.length > 1) work.schedule(serveShortLinesDue, key, work.now, {});
  await serveElsewhere({ order, record, units }, scope);
});
