import { progressionOf } from '../../../shared/catalog/control/progression.ts';
import type { InputOf } from '../../../shared/catalog/define.ts';
import { createReturn as createReturnApi } from '../../../shared/catalog/fulfillment/apis.ts';
import { getReturn as getReturnCall, listReturns as listReturnsCall } from '../../../shared/catalog/fulfillment/internal.ts';
import { bookReturn, closeReturn } from '../../../shared/catalog/order/internal.ts';
import { didNothing, invalid, isDependencyProblem, isProblem, Problem, undefinedIf } from '../../../shared/catalog/problems.ts';
import { instant } from '../../../shared/domain/time.ts';
import { findReference, refuseOtherRequest, takeReference } from '../../../shared/handlers/references.ts';
import { requireObject } from '../../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { fulfillmentOrders, fulfillmentOrdersOf, nodes } from '../collections.ts';
import { returnRefusedDue, TAKE_OVER_MS, undoReturnDue } from '../due-work.ts';
import { published, returnRequests, returns, returnsOf, type StoredReturn } from './collections.ts';
import { approve, planStep, receive } from './moves.ts';

/**
 * The intent is committed first, then the OMS books the units: only the OMS has their value, and which of them the customer has. Without an
 * answer of the OMS, due work undoes the request, so that no units stay booked for an unknown return. A repeat that comes earlier resumes it.
 */
export const createReturn = handle(createReturnApi)(async ({ body }, scope) => {
  const { work } = scope;
  const { orderId } = body;
  const record = await findReference(work, 'return', body.reference);
  const attempt = await attemptOf(work, record?.objectId);
  const { id, resumed } = attempt;
  const found = await work.get(returns, id);
  if (record?.objectId === id) {
    // Until the OMS has answered, the other request may still be refused, and then frees the reference.
    refuseOtherRequest('return', record, body, found ? { object: published(found) } : { retryable: true, retryAfter: 1 });
    if (found) return again(published(found));
  }
  if (found) return published(found);
  if (body.replacementId !== undefined && body.resolution === 'exchange') throw worthNothing();
  const dropOff = await readDropOff(work, body);
  const lines = mergeLines(body.lines);
  const asked = { ...body, lines, dropOff, sender: await senderOf(work, { ...body, lines, dropOff }) };
  if (!resumed) takeReference(work, 'return', body, { objectId: id });
  await beginRequest(work, attempt, orderId);
  try {
    return published(await requestReturn(id, asked, scope));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    // If the OMS refused or did nothing, nothing was booked. After any other failure, that is unknown.
    const isUntouched = didNothing(error) && !resumed;
    if (!isUntouched && (error.retryable || isDependencyProblem(error))) throw error;
    endRequest(work, { id, orderId, state: 'undone' });
    return error.code === 'return_quantity_exceeded' && (await isAnotherUndecided(work, { id, orderId }))
      ? retryable(error)
      : pointAtMember(work, error, body);
  }
});

/** Whether the OMS may have booked units of the order for another request, which is finished or undone later. */
async function isAnotherUndecided(work: UnitOfWork, { id, orderId }: { id: string; orderId: string }): Promise<boolean> {
  const { items } = await work.find(returnRequests, 'undecided', orderId);
  return items.some((request) => request.id !== id);
}

const retryable = ({ code, message, context }: Problem): Problem =>
  new Problem(code, `${message} Another return of this order is being created; repeat the request after that.`, {
    ...context,
    retryable: true,
    retryAfter: 1,
  });

/** Adds the member of the request to a refusal of the OMS that concerns it. */
async function pointAtMember(work: UnitOfWork, problem: Problem, { orderId, lines, dropOff, locationId }: ReturnRequest): Promise<Problem> {
  const { message, context } = problem;
  if (context['objectType'] === 'replacement')
    return invalid('/replacementId', 'unknown_replacement', `${message} Name one of this order.`);
  if (context['action'] === 'collect') {
    const stores = await listStores(work);
    if (dropOff === undefined && locationId !== undefined) return notAStore(locationId, stores, `${message} `);
    const detail = `${message} Send dropOff "store", with a locationId if it is not the store of the till: ${stores}.`;
    return invalid('/dropOff', 'no_address', detail);
  }
  if (context['action'] === 'hand-in') {
    const ways = `Name ${await listStores(work)} in locationId, or send dropOff "carrier": the carrier collects at the address of the order.`;
    return invalid('/locationId', 'store_required', `${message} ${ways}`);
  }
  const unknown = context['objectType'] === 'order line' ? lines.findIndex(({ orderLineId }) => orderLineId === context['id']) : -1;
  if (unknown < 0) return problem;
  return invalid(`/lines/${unknown}/orderLineId`, 'unknown_line', `The order "${orderId}" has no line "${lines[unknown]?.orderLineId}".`);
}

type ReturnRequest = InputOf<typeof createReturnApi>['body'] & {
  /** The location that takes the goods of a split line if the request names none. */
  readonly sender?: string | undefined;
};

const MOST_UNITS = 9_999;

/** Merges entries of the same line, with both reasons. @throws Problem `validation_failed` for more units than any line has */
function mergeLines(lines: ReturnRequest['lines']): ReturnRequest['lines'] {
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
async function readDropOff(work: UnitOfWork, { locationId, dropOff }: ReturnRequest): Promise<ReturnRequest['dropOff']> {
  if (locationId === undefined) return dropOff;
  const node = await requireObject(work, nodes, locationId, 'location');
  if (dropOff === 'store' && !node.isStore) throw notAStore(locationId, await listStores(work));
  return dropOff ?? (node.isStore ? 'store' : 'carrier');
}

/**
 * Where a carrier takes the goods of a request without a location, if the retailer splits lines: to the first location that sent as many units
 * of each line which are not back. Undefined: the order decides, because each line came from one location, or a line has too few units.
 * @throws Problem `validation_failed` if a line came from several locations, and only several together sent all units of the request
 */
async function senderOf(
  work: UnitOfWork,
  { orderId, lines, locationId: named, dropOff }: Pick<ReturnRequest, 'orderId' | 'lines' | 'locationId' | 'dropOff'>,
): Promise<string | undefined> {
  if (!work.figures.splitLines || named !== undefined || dropOff === 'store') return undefined;
  const away = [...(await awayFrom(work, orderId))];
  const leftAt = (units: Units, { orderLineId }: { orderLineId: string }) => units.get(orderLineId) ?? 0;
  const sender = away.find(([, units]) => lines.every((line) => leftAt(units, line) >= line.qty));
  if (sender) return sender[0];
  const isSplit = lines.some(({ orderLineId }) => away.filter(([, units]) => units.has(orderLineId)).length > 1);
  const isMore = lines.some((line) => away.reduce((sum, [, units]) => sum + leftAt(units, line), 0) < line.qty);
  if (!isSplit || isMore) return undefined;
  const shown = lines.map((line) => {
    const senders = away.flatMap(([id, units]) => (leftAt(units, line) > 0 ? [`${leftAt(units, line)} from ${id}`] : []));
    return `${line.qty} of ${line.orderLineId} (${firstOf(senders, NAMED_SENDERS)})`;
  });
  const detail = `No location sent all of these units that are not back: ${firstOf(shown, NAMED_LINES)}. Name the location that takes all of them in locationId, or create a return for each location.`;
  throw invalid('/locationId', 'location_required', detail);
}

/** Units by line. */
type Units = ReadonlyMap<string, number>;

function addedTo(before: Units | undefined, lines: readonly { readonly orderLineId: string; readonly qty: number }[]): Units {
  const units = new Map(before);
  for (const { orderLineId, qty } of lines) units.set(orderLineId, (units.get(orderLineId) ?? 0) + qty);
  return units;
}

/** What each location sent, in all its parcels together, and what is not back there. */
async function awayFrom(work: UnitOfWork, orderId: string): Promise<ReadonlyMap<string, Units>> {
  const away = new Map<string, Units>();
  for (const sent of await fulfillmentOrdersOf(work, orderId)) {
    if (sent.state !== 'delivered' || sent.collection) continue;
    const picked = sent.lines.map(({ orderLineId, qty, shortQty }) => ({ orderLineId, qty: qty - shortQty }));
    away.set(sent.locationId, addedTo(away.get(sent.locationId), picked));
  }
  for (const back of await returnsOf(work, orderId)) {
    const before = back.state === 'rejected' ? undefined : away.get(back.locationId);
    if (!before) continue;
    const returned = addedTo(undefined, back.lines);
    away.set(back.locationId, new Map([...before].map(([line, qty]) => [line, Math.max(0, qty - (returned.get(line) ?? 0))])));
  }
  return away;
}

/** Locations, and lines, that a refusal names. */
const NAMED_SENDERS = 5;
const NAMED_LINES = 5;

const firstOf = (parts: readonly string[], most: number): string =>
  [...parts.slice(0, most), ...(parts.length > most ? ['…'] : [])].join(', ');

/** The stores in words: `store-01, store-02 or store-03`. */
async function listStores(work: UnitOfWork): Promise<string> {
  const { items } = await work.all(nodes);
  const stores = items.flatMap(({ id, isStore }) => (isStore ? [id] : []));
  return [stores.slice(0, -1).join(', '), ...stores.slice(-1)].filter((part) => part !== '').join(' or ');
}

const worthNothing = (): Problem =>
  invalid(
    '/resolution',
    'worth_nothing',
    'Goods that come back for a replacement pay for no order: leave resolution or replacementId out.',
  );

const notAStore = (locationId: string, stores: string, reason = ''): Problem =>
  invalid('/locationId', 'not_a_store', `${reason}"${locationId}" is not a store. Goods are handed in at a store: ${stores}.`);

/**
 * The return that this request creates. After an undone attempt, the id is a new one. `resumed`: an earlier run has called the OMS.
 * @param named the return of the reference, which another request may be creating
 */
async function attemptOf(work: UnitOfWork, named: string | undefined): Promise<{ id: string; resumed: boolean }> {
  const other = named === undefined ? undefined : await work.get(returnRequests, named);
  if (other && other.state !== 'undone') return { id: other.id, resumed: true };
  for (let attempt = 1; ; attempt++) {
    const id = work.id('ret', `attempt ${attempt}`);
    const asked = await work.get(returnRequests, id);
    if (asked?.state !== 'undone') return { id, resumed: asked !== undefined };
  }
}

/** Commits the intent to call the OMS, with the due work that undoes a request that the OMS did not answer. */
async function beginRequest(work: UnitOfWork, { id, resumed }: { id: string; resumed: boolean }, orderId: string): Promise<void> {
  if (resumed) return;
  work.put(returnRequests, { id, orderId, state: 'open' });
  work.schedule(undoReturnDue, id, work.now + TAKE_OVER_MS, {});
  await work.checkpoint();
}

/** Ends the request in the last commit, so that it cannot be both finished and undone. */
function endRequest(work: UnitOfWork, { id, orderId, state }: { id: string; orderId: string; state: 'done' | 'undone' }): void {
  work.put(returnRequests, { id, orderId, state });
  work.cancel(undoReturnDue, id);
}

/** Calls the OMS to book the units, and stores the return. For a repeat, the OMS returns the existing booking. @throws Problem */
async function requestReturn(id: string, request: ReturnRequest, scope: Scope, step = id): Promise<StoredReturn> {
  const { work, call, context } = scope;
  const { orderId, resolution, dropOff, replacementId } = request;
  const units = request.lines.map(({ orderLineId, qty }) => ({ orderLineId, qty }));
  const body = {
    returnId: id,
    lines: units,
    ...(dropOff !== undefined && { byParcel: dropOff === 'carrier' }),
    locationNamed: request.locationId !== undefined,
    replacementId,
  };
  const booked = await call(bookReturn, { params: { id: orderId }, body }, { step });
  const reasonOf = new Map(request.lines.map(({ orderLineId, reason }) => [orderLineId, reason]));
  const requested = work.create(returns, 'request', {
    id,
    orderId,
    dropOff: booked.byParcel ? 'carrier' : 'store',
    resolution,
    replacementId,
    refunds: [],
    shipments: [],
    customerId: booked.customerId,
    customerAddress: booked.shippingAddress,
    lines: booked.lines.map(({ orderLineId, sku, qty }) => ({ orderLineId, sku, qty, reason: reasonOf.get(orderLineId) ?? '' })),
    locationId: request.locationId ?? request.sender ?? booked.lines[0]?.nodeId ?? (await firstNode(work)),
    refundAmount: booked.refundAmount,
    refundTax: booked.refundTax,
    completedAt: booked.completedAt ?? instant(work.now),
    reference: request.reference,
    metadata: request.metadata,
  });
  endRequest(work, { id, orderId, state: 'done' });
  await planStep(work, requested, { mode: progressionOf(context).returns, since: work.now });
  return requested;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Waits for the completion of an order. The last one repeats. */
const COMPLETED_AGAIN_MS: readonly number[] = [5_000, 60_000, 600_000, 3_600_000];

/**
 * Returns the units that a customer refused at the counter: the store has them, so the return is approved and received. The order must be
 * completed first, and the event that completes it may be late. Until then the work is repeated, less and less often.
 */
export const returnRefused = handleDue(returnRefusedDue)(async ({ key, attempts, payload: { attempt } }, scope) => {
  const { work } = scope;
  const found = await work.get(fulfillmentOrders, key);
  const id = found?.collection?.refusedReturnId;
  if (!found?.refused || id === undefined || (await work.get(returns, id))) return;
  const { orderId, refused: lines } = found;
  const locationId = found.collection?.locationId ?? found.locationId;
  const asked = { orderId, lines, locationId, dropOff: 'store' as const, resolution: 'refund' as const };
  try {
    const requested = await requestReturn(id, asked, scope, `${id} ${attempt} ${attempts}`);
    await receive(await approve(requested, scope), scope);
  } catch (error) {
    if (!isProblem(error, 'order_not_closed')) throw error;
    work.schedule(returnRefusedDue, key, work.now + (COMPLETED_AGAIN_MS[attempt] ?? DAY_MS), { attempt: attempt + 1 });
  }
});

/** The default location of a return whose first line has no node. */
async function firstNode(work: UnitOfWork): Promise<string> {
  const { items } = await work.all(nodes, { limit: 1 });
  if (!items[0]) throw new Error('There are no locations.');
  return items[0].id;
}

/** After a Create Return that the OMS did not answer, the OMS releases its bookings, present and future. */
export const undoReturn = handleDue(undoReturnDue)(async ({ key }, { work, call }) => {
  const request = await work.get(returnRequests, key);
  if (!request || request.state === 'done') return;
  const { orderId } = request;
  if (request.state === 'open') work.put(returnRequests, { id: key, orderId, state: 'undone' });
  await work.checkpoint();
  const body = { outcome: 'undone' as const };
  // An order that is unknown to the OMS has no booked units.
  await call(closeReturn, { params: { id: orderId, returnId: key }, body }, { step: 'undo' }).catch(undefinedIf('not_found'));
});

export const getReturn = handle(getReturnCall)(async ({ params: { id } }, { work }) => published(await requireObject(work, returns, id)));

const NEWEST = 20;

export const listReturns = handle(listReturnsCall)(async ({ query: { orderId, customerId = '' } }, { work, breathe }) => {
  if (orderId !== undefined) return { items: (await returnsOf(work, orderId)).map(published) };
  const { items } = await work.find(returns, 'customer', customerId, { limit: NEWEST, newestFirst: true, breathe });
  return { items: items.map(published) };
});
