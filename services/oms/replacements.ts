import type { InputOf } from '../../shared/catalog/define.ts';
import { reserveInventory } from '../../shared/catalog/inventory/apis.ts';
import { moveReservation } from '../../shared/catalog/inventory/internal.ts';
import { allowedFrom, refusal } from '../../shared/catalog/life-cycle.ts';
import { LIMITS, limitReached } from '../../shared/catalog/limits.ts';
import { createReplacement as createReplacementApi } from '../../shared/catalog/order/apis.ts';
import { orderLifeCycle } from '../../shared/catalog/order/objects.ts';
import { type ReplacementReason, replacedOf, replacementReasons } from '../../shared/catalog/order/replaced.ts';
import type { Replacement } from '../../shared/catalog/order/replacements.ts';
import { requiredFor, stillToCapture } from '../../shared/catalog/payment/cover.ts';
import { absentApplication, invalid, Problem } from '../../shared/catalog/problems.ts';
import { money, moneyInWords } from '../../shared/domain/money.ts';
import { instant } from '../../shared/domain/time.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { isSale, paysAtCollection } from './baskets.ts';
import { type FulfillmentRecord, fulfillmentRecords, orders, type ReplacementRecord, type StoredOrder, stores } from './collections.ts';
import { FIRST_RETRY_MS, finishReplacementDue, NEW_RESERVATION_TTL_SECONDS, TAKE_OVER_MS } from './due-work.ts';
import { applyProgress, cancelUnits, freshRecord } from './fulfillment.ts';
import { itemsOf, type OrderLine, type Reservation, spreadOver } from './lines.ts';
import { giveUpLost } from './lost-goods.ts';
import { paymentsToDecideOn } from './payments.ts';
import { actionPending } from './pending-action.ts';
import { isAwaitingReplacement, placedAs, replacementsWithClaims, unitsLeft } from './replaced-units.ts';
import { bookedFirst, bookingsOf, returnableOf, toBookFirst } from './return-bookings.ts';
import { createFulfillmentOrdersFor, isRoutable, tryConfirmReservation } from './routing.ts';

type Body = InputOf<typeof createReplacementApi>['body'];

/** An order with its record, and one of its replacements. */
interface Replacing {
  readonly order: StoredOrder;
  readonly record: FulfillmentRecord;
  readonly replacement: ReplacementRecord;
}

/**
 * Claims the units, so that no other request takes them, then reserves stock, which expires unless it is used. The commit that shows the
 * replacement on the order decides. What follows is finished by due work. A claim without stock is withdrawn, and nothing has happened.
 */
export const createReplacement = handle(createReplacementApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const id = work.id('rpl');
  const order = await requireObject(work, orders, params.id);
  const record = await work.get(fulfillmentRecords, order.id);
  const known = record?.replacements?.find((one) => one.id === id);
  const claimed = record && known ? { order, record, replacement: known } : await claim(id, { order, record, body }, scope);
  const placed = claimed.replacement.status === 'claimed' ? await place(claimed, scope) : claimed;
  if (placed instanceof Problem) return placed;
  const done = placed.replacement.status === 'placed' ? await sendOrRetry(placed, scope) : placed.order;
  const shown = done.replacements?.find((one) => one.id === id);
  if (!shown) throw new Error(`The order ${order.id} does not show its replacement ${id}.`);
  return { ...shown, orderId: order.id };
});

const stateOf = (record: FulfillmentRecord, replacement: ReplacementRecord): FulfillmentRecord => ({
  ...record,
  replacements: (record.replacements ?? []).map((one) => (one.id === replacement.id ? replacement : one)),
});

/** Commits that the units are taken, with due work that gives them up. @throws Problem for units that cannot be replaced */
async function claim(
  id: string,
  { order, record, body }: { readonly order: StoredOrder; readonly record: FulfillmentRecord | undefined; readonly body: Body },
  scope: Scope,
): Promise<Replacing> {
  const { work } = scope;
  refuseOrder(order, body.reason, work.figures.replaceLostWithinMs);
  const storeId = body.storeId ?? (isSale(order) ? order.storeId : undefined);
  if (storeId === undefined && !isRoutable(order)) throw storeRequired(order);
  if (storeId !== undefined && !(await work.get(stores, storeId))) throw await unknownStore(storeId, work);
  const known = replacementsWithClaims(order, record);
  if (known.length >= LIMITS.replacements) throw tooMany(order);
  const asked = merged(body.lines, order);
  const isOfLostGoods = replacementReasons[body.reason].of === 'lost';
  const lines = isOfLostGoods ? lostUnits(asked, { record, known }) : await deliveredUnits();
  if (isOfLostGoods && storeId !== undefined) await refuseUnpaid(order, scope);
  const replacement: ReplacementRecord = { id, status: 'claimed', reason: body.reason, storeId, lines, lostHolds: 0 };
  const before = record ?? freshRecord(order.id);
  work.expect(orders, order);
  const next = work.put(fulfillmentRecords, { ...before, replacements: [...(before.replacements ?? []), replacement] });
  work.schedule(finishReplacementDue, id, work.now + TAKE_OVER_MS, { orderId: order.id });
  await work.checkpoint();
  return { order, record: next, replacement };

  async function deliveredUnits(): Promise<ReplacementRecord['lines']> {
    const bookings = await bookingsOf(work, order.id);
    const [refused] = toBookFirst(record, bookings);
    if (refused !== undefined) throw refusal('order', order, 'replace', bookedFirst(order.id, refused), { retryable: true, retryAfter: 5 });
    const exceeded = asked.flatMap(({ line, qty }) => {
      const replaceable = Math.max(0, returnableOf(line, bookings) - replacedOf(line.lineId, known));
      return qty > replaceable ? [{ orderLineId: line.lineId, requested: qty, replaceable }] : [];
    });
    if (exceeded.length > 0) throw exceededUnits(order, exceeded, 'delivered', NOT_DELIVERED);
    return asked.map(({ line, qty }) => ({ orderLineId: line.lineId, sku: line.sku, qty }));
  }

  function lostUnits(
    units: ReturnType<typeof merged>,
    { record: seenIn, known: taken }: { readonly record: FulfillmentRecord | undefined; readonly known: readonly Replacement[] },
  ): ReplacementRecord['lines'] {
    const lost = (seenIn?.seen ?? []).filter(isAwaitingReplacement);
    const leftOf = (line: OrderLine) =>
      lost
        .map((found) => ({ lostFulfillmentOrderId: found.id, left: unitsLeft(found, line.lineId, taken) }))
        .filter(({ left }) => left > 0);
    const exceeded = units.flatMap(({ line, qty }) => {
      const replaceable = leftOf(line).reduce((sum, { left }) => sum + left, 0);
      return qty > replaceable ? [{ orderLineId: line.lineId, requested: qty, replaceable }] : [];
    });
    if (exceeded.length > 0) throw exceededUnits(order, exceeded, 'lost', NOT_LOST);
    return units.flatMap(({ line, qty }) => {
      let open = qty;
      return leftOf(line).flatMap(({ lostFulfillmentOrderId, left }) => {
        const part = Math.min(open, left);
        open -= part;
        return part > 0 ? [{ orderLineId: line.lineId, sku: line.sku, qty: part, lostFulfillmentOrderId }] : [];
      });
    });
  }
}

/** Adds up entries of the same line. @throws Problem `validation_failed` for an unknown line */
function merged(lines: Body['lines'], order: StoredOrder): { readonly line: OrderLine; readonly qty: number }[] {
  const units = new Map<string, number>();
  for (const [index, { orderLineId, qty }] of lines.entries()) {
    if (!order.lines.some(({ lineId }) => lineId === orderLineId)) {
      const named = order.lines.slice(0, NAMED_LINES).map(({ lineId, sku }) => `${lineId} (${sku})`);
      const detail = `The order "${order.id}" has no line "${orderLineId}". Its lines are ${named.join(', ')}${order.lines.length > NAMED_LINES ? ', …' : ''}.`;
      throw invalid(`/lines/${index}/orderLineId`, 'unknown_line', detail);
    }
    units.set(orderLineId, (units.get(orderLineId) ?? 0) + qty);
  }
  return order.lines.flatMap((line) => {
    const qty = units.get(line.lineId);
    return qty === undefined ? [] : [{ line, qty }];
  });
}

/** Lines that a refusal names. */
const NAMED_LINES = 5;

/** @throws Problem `invalid_state_transition` */
function refuseOrder(order: StoredOrder, reason: ReplacementReason, replaceWithin: number | undefined): void {
  const { id, state, pendingAction } = order;
  if (pendingAction) throw actionPending(order, 'replace', pendingAction);
  const from = allowedFrom(orderLifeCycle, 'replace');
  if (!from.includes(state)) {
    const remedy =
      state === 'cancelled'
        ? `place a new order.${reason === 'lost' && replaceWithin === undefined ? REFUNDED_IMMEDIATELY : ''}`
        : 'its goods have not left; cancel it, and place another order.';
    throw refusal(orderLifeCycle, order, 'replace', `The order "${id}" is ${state}, so nothing of it can be replaced: ${remedy}`);
  }
  if (reason !== 'lost' || replaceWithin !== undefined) return;
  const detail = `Lost goods of the order "${id}" are refunded, so they cannot be replaced: place a new order.${REFUNDED_IMMEDIATELY}`;
  throw refusal('order', order, 'replace', detail);
}

const REFUNDED_IMMEDIATELY = ' A retailer with the figure replaceLostWithin has time to replace lost goods before they are refunded.';

const NOT_LOST = 'Wait until the carrier reports the loss. What is refunded or replaced needs a new order.';
const NOT_DELIVERED =
  'Units count once they are delivered, until they are returned or replaced. Refund others by a return, or replace them when their own replacement has failed.';

function exceededUnits(
  { id }: StoredOrder,
  lines: readonly { readonly orderLineId: string; readonly requested: number; readonly replaceable: number }[],
  which: 'lost' | 'delivered',
  remedy: string,
): Problem {
  const named = lines.slice(0, NAMED_LINES).map((one) => `${one.replaceable} of ${one.orderLineId}, not ${one.requested}`);
  const detail = `The order "${id}" has fewer ${which} units that can be replaced: ${named.join('; ')}. ${remedy}`;
  return new Problem('replacement_quantity_exceeded', detail, { objectType: 'order', id, lines });
}

const tooMany = ({ id }: StoredOrder): Problem =>
  limitReached('replacements', `The order "${id}" has ${LIMITS.replacements} replacements, which is the limit.`, {
    objectType: 'order',
    id,
    remedy: 'Refund its units by returns instead, and replace several units together next time.',
  });

/** @throws Problem `payment_incomplete`: the store hands the goods over immediately, without a dispatch or a collection, which would be refused */
async function refuseUnpaid(order: StoredOrder, scope: Scope): Promise<void> {
  const { id, totals } = order;
  const missing = stillToCapture(requiredFor(order), await paymentsToDecideOn(order, scope));
  if (missing === 0) return;
  const outstanding = money(missing, totals.total.currency);
  const amount = `${moneyInWords(outstanding)} of the order "${id}"`;
  const detail = paysAtCollection(order)
    ? `${amount} are not paid. Take them at a till of the store (Create Transaction with orderId), then replace the goods; or leave storeId out, and the customer pays when the goods are collected.`
    : `${amount} are not captured, or were refunded. Authorise and capture them, then replace the goods; goods that are refunded need a new order.`;
  throw new Problem('payment_incomplete', detail, { objectType: 'order', id, outstanding });
}

const storeRequired = ({ id }: StoredOrder): Problem =>
  invalid('/storeId', 'store_required', `The order "${id}" has no address: name the store that hands the goods over in storeId.`);

async function unknownStore(storeId: string, work: UnitOfWork): Promise<Problem> {
  const names = (await work.all(stores)).items.slice(0, NAMED_STORES).map(({ id }) => id);
  return invalid('/storeId', 'unknown_store', `There is no store "${storeId}"; choose one of ${names.join(', ')}.`);
}
/** Stores that a refusal names. */
const NAMED_STORES = 20;

/**
 * Reserves stock for a claim, and places the replacement: the order shows it from now on.
 * @returns the refusal, with the claim withdrawn
 */
async function place({ order, record, replacement }: Replacing, scope: Scope): Promise<Replacing | Problem> {
  const { work } = scope;
  let held: Reservation;
  try {
    held = await reserve(order, replacement, scope);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    withdraw(record, replacement, scope);
    return error.code === 'insufficient_stock' ? soldOut(error, order, replacement) : error;
  }
  let isStill: boolean;
  try {
    isStill = await areStillLost({ order, record, replacement }, scope);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    withdraw(record, replacement, scope);
    return error;
  }
  if (!isStill) {
    withdraw(record, replacement, scope);
    const lines = replacement.lines.map(({ orderLineId, qty }) => ({ orderLineId, requested: qty, replaceable: 0 }));
    return exceededUnits(order, lines, 'lost', 'The carrier has found the parcel.');
  }
  const placed: ReplacementRecord = { ...replacement, status: 'placed', held: holdOf(replacement, held, record.attempts + 1) };
  const shown = work.transition(orders, order, 'replace', {
    replacements: [...(order.replacements ?? []), placedAs(replacement, instant(work.now))],
  });
  const next = work.put(fulfillmentRecords, { ...stateOf(record, placed), attempts: record.attempts + 1 });
  await work.checkpoint();
  return { order: shown, record: next, replacement: placed };
}

/** @throws Problem when the FMS does not answer */
async function areStillLost({ order, record, replacement }: Replacing, scope: Scope): Promise<boolean> {
  for (const id of new Set(replacement.lines.flatMap(({ lostFulfillmentOrderId: lost }) => lost ?? []))) {
    const lost = record.seen.find((one) => one.id === id);
    if (!lost || !isAwaitingReplacement(lost) || !(await giveUpLost(order, lost, scope))) return false;
  }
  return true;
}

/** A reservation that no request uses expires, so a repeat or another replacement need not undo it. @throws Problem */
function reserve(order: StoredOrder, { id, storeId, lines, lostHolds }: ReplacementRecord, { call }: Scope): Promise<Reservation> {
  const body = {
    orderId: order.id,
    items: itemsOf(lines),
    ttlSeconds: NEW_RESERVATION_TTL_SECONDS,
    forReplacement: true as const,
    locationId: storeId,
    collectAt: storeId === undefined ? order.collection?.locationId : undefined,
  };
  return call(reserveInventory, { body }, { intent: id, step: `replacement ${lostHolds}` });
}

/** The reservation, with the lines that each of its locations serves. */
function holdOf({ lines }: ReplacementRecord, { id, allocations }: Reservation, attempt: number): NonNullable<ReplacementRecord['held']> {
  const groups = new Map<string, { place: number; qty: number }[]>();
  for (const [place, at] of spreadOver(lines, allocations).entries()) {
    if (at.length === 0) throw new Error(`The reservation ${id} has too few ${lines[place]?.sku}.`);
    for (const { locationId, qty } of at) groups.set(locationId, [...(groups.get(locationId) ?? []), { place, qty }]);
  }
  return {
    reservationId: id,
    attempt,
    groups: [...groups].map(([locationId, parts]) => ({
      locationId,
      lines: parts.map(({ place }) => place),
      units: parts.some(({ place, qty }) => qty !== lines[place]?.qty) ? parts.map(({ qty }) => qty) : undefined,
    })),
  };
}

function withdraw(record: FulfillmentRecord, { id }: ReplacementRecord, { work }: Scope): void {
  work.put(fulfillmentRecords, { ...record, replacements: record.replacements?.filter((one) => one.id !== id) });
  work.cancel(finishReplacementDue, id);
}

function soldOut({ message, context }: Problem, { id }: StoredOrder, { reason, storeId }: ReplacementRecord): Problem {
  const elsewhere = storeId === undefined ? '' : ' Leave storeId out to have them sent, if the order has an address.';
  const remedy =
    reason === 'lost'
      ? 'They are refunded unless they are replaced in time.'
      : 'Refund them by a return, or try again when there is stock.';
  return new Problem('insufficient_stock', `${message} Nothing of the order "${id}" is replaced. ${remedy}${elsewhere}`, context);
}

/** Does the same as `send`. After a failure, due work tries again. @returns the order */
async function sendOrRetry(placed: Replacing, scope: Scope): Promise<StoredOrder> {
  const { work, log } = scope;
  try {
    return await send(placed, scope);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { order, replacement } = placed;
    log.warn({ orderId: order.id, code: error.code }, 'sending a replacement failed');
    const awaits = absentApplication(error);
    work.schedule(finishReplacementDue, replacement.id, work.now + FIRST_RETRY_MS, { orderId: order.id }, { awaits });
    return order;
  }
}

/**
 * Makes the reservation permanent, then requests the fulfillment orders, or takes the goods out of the stock of the store. Every step may be
 * repeated. A reservation that has ended is made again.
 * @throws Problem
 */
async function send({ order, record, replacement }: Replacing, scope: Scope): Promise<StoredOrder> {
  const { work, call } = scope;
  const { id, storeId, held, lines } = replacement;
  if (!held) throw new Error(`The replacement ${id} has no reservation.`);
  const { reservationId, attempt, groups } = held;
  if (!(await tryConfirmReservation(reservationId, order.id, scope))) return sendFromOther({ order, record, replacement }, scope);
  if (storeId === undefined) {
    const sent = groups.map((group) => ({ locationId: group.locationId, reservationId, lines: linesOf(group) }));
    await createFulfillmentOrdersFor(order, { attempt, replacementId: id, groups: sent }, scope);
  } else {
    const body = { reference: `replacement ${id}`, kind: 'consume' as const, locationId: storeId, lines: itemsOf(lines) };
    await call(moveReservation, { params: { id: reservationId }, body }, { step: `replacement ${id}` });
  }
  const next = stateOf(record, { ...replacement, status: 'sent' });
  work.cancel(finishReplacementDue, id);
  if (storeId === undefined || !isOfLost(replacement)) work.put(fulfillmentRecords, next);
  if (storeId === undefined) return order;
  const handedOver = counted(order, id, ({ qty }) => ({ deliveredQty: qty }), scope);
  if (!isOfLost(replacement)) return handedOver;
  const units = unitsIn(replacement);
  const arrived = order.lines.map((line) => ({ ...line, fulfilledQty: line.fulfilledQty + (units.get(line.lineId) ?? 0) }));
  await applyProgress(handedOver, { record: next, lines: arrived, foundAfterRefund: false }, id, scope);
  return handedOver;

  /** One entry per order line: two lost parcels may have had units of the same line. */
  function linesOf({ lines: places, units }: (typeof groups)[number]): { orderLineId: string; sku: string; qty: number }[] {
    const found = new Map<string, { orderLineId: string; sku: string; qty: number }>();
    for (const [index, place] of places.entries()) {
      const line = lines[place];
      if (!line) continue;
      const { orderLineId, sku } = line;
      const qty = (units?.[index] ?? line.qty) + (found.get(orderLineId)?.qty ?? 0);
      found.set(orderLineId, { orderLineId, sku, qty });
    }
    return [...found.values()];
  }
}

/** Whether its units are units of a lost parcel, which no line of the order counts yet. */
const isOfLost = ({ reason }: ReplacementRecord): boolean => replacementReasons[reason].of === 'lost';

/** The units of each line. */
function unitsIn({ lines }: ReplacementRecord): ReadonlyMap<string, number> {
  const units = new Map<string, number>();
  for (const { orderLineId, qty } of lines) units.set(orderLineId, (units.get(orderLineId) ?? 0) + qty);
  return units;
}

/** Stores how many units of a replacement have arrived, or never will. */
function counted(
  order: StoredOrder,
  id: string,
  count: (line: Replacement['lines'][number]) => Partial<Replacement['lines'][number]>,
  { work }: Scope,
): StoredOrder {
  const replacements = order.replacements?.map((one) =>
    one.id === id ? { ...one, lines: one.lines.map((line) => ({ ...line, ...count(line) })) } : one,
  );
  return work.transition(orders, order, 'note', { replacements });
}

/** Makes another reservation. Without stock the replacement fails: lost goods are refunded. @throws Problem */
async function sendFromOther({ order, record, replacement }: Replacing, scope: Scope): Promise<StoredOrder> {
  const { work } = scope;
  const { id } = replacement;
  const again = { ...replacement, lostHolds: replacement.lostHolds + 1 };
  let held: Reservation;
  try {
    held = await reserve(order, again, scope);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'insufficient_stock') throw error;
    const { held: _ended, ...rest } = replacement;
    const failed = stateOf(record, { ...rest, status: 'sent' });
    work.cancel(finishReplacementDue, id);
    const noted = counted(order, id, ({ qty }) => ({ failedQty: qty }), scope);
    if (isOfLost(replacement))
      await applyProgress(noted, { ...cancelUnits(noted, failed, unitsIn(replacement)), foundAfterRefund: false }, id, scope);
    else work.put(fulfillmentRecords, failed);
    return noted;
  }
  const { attempt } = replacement.held ?? { attempt: record.attempts };
  const next: ReplacementRecord = { ...again, held: holdOf(again, held, attempt) };
  const put = work.put(fulfillmentRecords, stateOf(record, next));
  await work.checkpoint();
  return send({ order, record: put, replacement: next }, scope);
}

/** Finishes a replacement that the order shows. A claim whose request has ended is given up. */
export const finishReplacement = handleDue(finishReplacementDue)(async ({ key, payload: { orderId } }, scope) => {
  const { work } = scope;
  const order = await work.get(orders, orderId);
  const record = await work.get(fulfillmentRecords, orderId);
  const replacement = record?.replacements?.find(({ id }) => id === key);
  if (!order || !record || !replacement || replacement.status === 'sent') return;
  if (replacement.status === 'claimed') withdraw(record, replacement, scope);
  else await send({ order, record, replacement }, scope);
});
