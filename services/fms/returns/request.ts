import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import type { InputOf } from '../../../shared/catalog/define.ts';
import type { createReturn as createReturnApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { bookReturn } from '../../../shared/catalog/order/internal.ts';
import { invalid, notFound, type Problem } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { nodes } from '../collections.ts';
import { TAKE_OVER_MS } from '../timing.ts';
import { returnRequests, returns, type StoredReturn } from './collections.ts';
import { undoReturnDue } from './due-work.ts';
import { planStep } from './return-clock.ts';

export type ReturnRequest = InputOf<typeof createReturnApi>['body'];

const MOST_UNITS = 9_999;

/** Merges entries of the same line, with both reasons. @throws Problem `validation_failed` for more units than any line has */
export function mergeLines(lines: ReturnRequest['lines']): ReturnRequest['lines'] {
  const merged = new Map<string, ReturnRequest['lines'][number]>();
  for (const line of lines) {
    const before = merged.get(line.orderLineId);
    const qty = (before?.qty ?? 0) + line.qty;
    if (qty > MOST_UNITS) throw invalid('/lines', 'too_many', `No line has more than ${MOST_UNITS} units.`);
    const reason = before && before.reason !== line.reason ? `${before.reason}; ${line.reason}` : line.reason;
    merged.set(line.orderLineId, { orderLineId: line.orderLineId, qty, reason });
  }
  return [...merged.values()];
}

/**
 * Reads how the goods come back: from the request, or from the location that it names. Undefined: the order decides.
 * @throws Problem `not_found` for an unknown location, `validation_failed` for a drop-off at a location other than a store
 */
export async function readDropOff(work: UnitOfWork, { locationId, dropOff }: ReturnRequest): Promise<ReturnRequest['dropOff']> {
  if (locationId === undefined) return dropOff;
  const node = await work.get(nodes, locationId);
  if (!node) throw notFound('location', locationId);
  if (dropOff === 'store' && !node.isStore) throw notAStore(locationId, await listStores(work));
  return dropOff ?? (node.isStore ? 'store' : 'carrier');
}

/** The stores in words: `store-01, store-02 or store-03`. */
export async function listStores(work: UnitOfWork): Promise<string> {
  const { items } = await work.all(nodes);
  const stores = items.flatMap(({ id, isStore }) => (isStore ? [id] : []));
  return [stores.slice(0, -1).join(', '), ...stores.slice(-1)].filter((part) => part !== '').join(' or ');
}

export const notAStore = (locationId: string, stores: string, reason = ''): Problem =>
  invalid('/locationId', 'not_a_store', `${reason}"${locationId}" is not a store. Goods are handed in at a store: ${stores}.`);

export interface Attempt {
  readonly id: string;
  /** Whether an earlier run of the same request has called the OMS already. */
  readonly resumed: boolean;
}

/** The return that this request creates. After an undone attempt it is another one. */
export async function attemptOf(work: UnitOfWork): Promise<Attempt> {
  for (let attempt = 1; ; attempt++) {
    const id = work.id('ret', `attempt ${attempt}`);
    const asked = await work.get(returnRequests, id);
    if (asked?.state !== 'undone') return { id, resumed: asked !== undefined };
  }
}

/** Commits the intent to call the OMS, with the due work that undoes a request without an answer. */
export async function beginRequest(work: UnitOfWork, { id, resumed }: Attempt, orderId: string): Promise<void> {
  if (resumed) return;
  work.put(returnRequests, { id, orderId, state: 'open' });
  work.schedule(undoReturnDue, id, work.now + TAKE_OVER_MS, {});
  await work.checkpoint();
}

/** Ends the request in the last commit, so that it cannot be both finished and undone. */
export function endRequest(work: UnitOfWork, { id, orderId, state }: { id: string; orderId: string; state: 'done' | 'undone' }): void {
  work.put(returnRequests, { id, orderId, state });
  work.cancel(undoReturnDue, id);
}

/** Calls the OMS to book the units, and stores the return. For a repeat, the OMS returns the existing booking. @throws Problem */
export async function requestReturn(id: string, request: ReturnRequest, scope: Scope): Promise<StoredReturn> {
  const { work, call, context } = scope;
  const { orderId, resolution, dropOff } = request;
  const units = request.lines.map(({ orderLineId, qty }) => ({ orderLineId, qty }));
  const body = {
    returnId: id,
    lines: units,
    ...(dropOff !== undefined && { byParcel: dropOff === 'carrier' }),
    locationNamed: request.locationId !== undefined,
  };
  const booked = await call(bookReturn, { params: { id: orderId }, body }, { step: id });
  const reasonOf = new Map(request.lines.map(({ orderLineId, reason }) => [orderLineId, reason]));
  const requested = work.create(returns, 'request', {
    id,
    orderId,
    dropOff: booked.byParcel ? 'carrier' : 'store',
    resolution,
    refunds: [],
    shipments: [],
    customerId: booked.customerId,
    customerAddress: booked.shippingAddress,
    lines: booked.lines.map(({ orderLineId, sku, qty }) => ({ orderLineId, sku, qty, reason: reasonOf.get(orderLineId) ?? '' })),
    locationId: request.locationId ?? booked.lines[0]?.nodeId ?? (await firstNode(work)),
    refundAmount: booked.refundAmount,
    completedAt: booked.completedAt ?? instant(work.now),
  });
  endRequest(work, { id, orderId, state: 'done' });
  await planStep(work, requested, { mode: progressionOf(context).returns, since: work.now });
  return requested;
}

/** The default location of a return whose first line has no node. */
async function firstNode(work: UnitOfWork): Promise<string> {
  const { items } = await work.all(nodes, { limit: 1 });
  if (!items[0]) throw new Error('There are no locations.');
  return items[0].id;
}
