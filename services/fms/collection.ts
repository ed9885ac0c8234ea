import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { InputOf } from '../../shared/catalog/define.ts';
import {
  extendCollection as extendCollectionApi,
  handOverCollection as handOverCollectionApi,
} from '../../shared/catalog/fulfillment/apis.ts';
import {
  fulfillmentOrderLifeCycle,
  isAtCounter,
  type StoreCollection,
  wayToCounter,
} from '../../shared/catalog/fulfillment/fulfillment-orders.ts';
import { putCollectionUnit } from '../../shared/catalog/fulfillment/internal.ts';
import { CounterState, type ShelfLabel, STORE_COUNTER } from '../../shared/catalog/fulfillment/shipments.ts';
import { afterOpenTimeOfOrder, lastCollection, type StoreHours } from '../../shared/catalog/inventory/opening-hours.ts';
import { isAgain, refusal } from '../../shared/catalog/life-cycle.ts';
import { ensureCaptured } from '../../shared/catalog/order/internal.ts';
import { absentApplication, conflictingRepeat, invalid, isProblem, Problem } from '../../shared/catalog/problems.ts';
import { digest } from '../../shared/domain/ids.ts';
import { instant } from '../../shared/domain/time.ts';
import { idSource } from '../../shared/domain/world.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { again, handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { qrOf, readCode, withOwnQr } from './collection-code.ts';
import { collectionChecks, fulfillmentOrders, nodes, parcels, type StoredFulfillmentOrder } from './collections.ts';
import {
  giveUpCollectionDue,
  HAND_OVER_TIMEOUT_MS,
  remindCustomerDue,
  reportUnitDue,
  restockDue,
  returnRefusedDue,
  TAKE_OVER_MS,
  takeStockDue,
  unlockCollectionDue,
} from './due-work.ts';
import { createParcel, type ParcelCopy, parcelOf } from './parcels.ts';
import { moveUnits, stockMovesOf } from './stock-moves.ts';

/** A fulfillment order whose goods the customer collects. */
export type ToCollect = StoredFulfillmentOrder & { readonly collection: z.output<typeof StoreCollection> };

export const isToCollect = (found: StoredFulfillmentOrder): found is ToCollect => found.collection !== undefined;

/**
 * Puts packed goods on the counter, in one commit with the code for the customer and the last day. The goods stay in the stock of the store,
 * and reserved, until they are handed over. The Carrier Platform has the shipment of the goods: it is reported after the commit, or by due
 * work as soon as the Carrier Platform answers.
 */
export async function makeReady(found: ToCollect, scope: Scope): Promise<StoredFulfillmentOrder> {
  const { work, context } = scope;
  const store = await storeOf(found, work);
  const copy = createParcel(
    {
      fulfillmentOrderId: found.id,
      kind: 'collection',
      carrier: STORE_COUNTER,
      service: 'STANDARD',
      from: store.address,
      to: store.address,
      stockTaken: false,
    },
    { work, context },
  );
  const sent = work.transition(fulfillmentOrders, found, 'dispatch', { shipments: [copy] });
  const ready = await announce(sent, { collection: found.collection, shipments: [copy], store }, scope);
  work.schedule(reportUnitDue, ready.id, work.now + TAKE_OVER_MS, {});
  await work.checkpoint();
  try {
    return await report(ready, scope);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    scope.log.warn({ fulfillmentOrderId: ready.id, code: error.code }, 'reporting the goods of a collection failed');
    work.schedule(reportUnitDue, ready.id, work.now + TAKE_OVER_MS, {}, { awaits: absentApplication(error) });
    return ready;
  }
}

/** @throws Problem `validation_failed` for a carrier or a service */
export function refuseCarrier(asked: { readonly carrier?: string; readonly service?: string }): void {
  for (const member of ['carrier', 'service'] as const) {
    if (asked[member] === undefined) continue;
    throw invalid(`/${member}`, 'not_sent', 'The customer collects the goods, and no carrier takes them: leave the member out.');
  }
}

type Announcing = Pick<Scope, 'work' | 'context' | 'webhooks'>;

/** Stores that the goods wait at the counter from now on, with the code for the customer and the last day. */
async function announce(
  found: StoredFulfillmentOrder,
  { collection, shipments, store }: Pick<ToCollect, 'collection' | 'shipments'> & { readonly store: Store },
  scope: Announcing,
): Promise<StoredFulfillmentOrder> {
  const { work, context } = scope;
  const { name, address, hours } = store;
  const period = lastCollection(hours, work.now, work.figures.collection.days);
  const { qrToken, qrUrl } = await qrOf(found, scope);
  scheduleEnd(work, found.id, { hours, until: period.until });
  return work.transition(fulfillmentOrders, found, 'make-ready', {
    shipments: shipments.map((copy) => ({ ...copy, state: 'held-at-depot' })),
    failureReason: undefined,
    qrToken,
    collection: {
      ...collection,
      ...period,
      readyAt: instant(work.now),
      code: codeOf(found, context),
      qrUrl,
      store: { name, address },
    },
  });
}

type Store = Awaited<ReturnType<typeof storeOf>>;

/** The store where the customer collects the goods. */
export async function storeOf({ collection: { locationId } }: ToCollect, work: UnitOfWork) {
  const { name, address, hours } = await requireObject(work, nodes, locationId, 'location');
  if (!hours) throw new Error(`The store ${locationId} has no opening hours.`);
  return { name, address, hours };
}

/**
 * A carrier has brought the goods to the store. The store receives them in its stock, promised as before, and they wait at its counter. If
 * they were refunded or replaced in the meantime, they go to its shelf.
 * @param shipments with the scan
 */
export async function arrive(found: ToCollect, shipments: readonly ParcelCopy[], scope: Announcing): Promise<void> {
  const { work } = scope;
  const collection = { ...found.collection, arrivedAt: instant(work.now) };
  if (found.state === 'returned-to-sender' || found.givenUp) {
    const verb = found.state === 'returned-to-sender' ? 'note' : 'return-to-sender';
    const shelved = work.transition(fulfillmentOrders, found, verb, {
      collection,
      shipments: shipments.map((copy) => ({ ...copy, state: 'returned-to-sender' })),
    });
    work.schedule(restockDue, found.id, work.now, {}, { beforeReply: true });
    reportLater(work, shelved);
    return;
  }
  const store = await storeOf(found, work);
  const brought = found.state === 'failed-delivery' ? work.transition(fulfillmentOrders, found, 'redeliver', {}) : found;
  const ready = await announce(brought, { collection, shipments: [...shipments], store }, scope);
  await moveStockLater(work, ready);
  reportLater(work, ready);
}

/**
 * Due work makes the next movements of the goods in the stock records, before the reply if the SIM answers. The parcel is always written, so
 * that a dispatch that is still running does not count its own movement as the last one.
 */
export async function moveStockLater(work: UnitOfWork, found: StoredFulfillmentOrder): Promise<void> {
  const parcel = await parcelOf(work, found);
  if (parcel) work.put(parcels, { ...parcel, stockTaken: false });
  work.schedule(takeStockDue, found.id, work.now, {}, { beforeReply: true });
}

/** The customer is reminded after half of the time, when the store is open. */
function scheduleEnd(work: UnitOfWork, id: string, { hours, until }: { readonly hours: StoreHours; readonly until: string }): void {
  const end = Date.parse(until);
  const half = Math.floor((work.now + end) / 2);
  work.schedule(giveUpCollectionDue, id, end, {});
  work.schedule(remindCustomerDue, id, afterOpenTimeOfOrder(hours, half, 0), {});
}

const CODES = 1_000_000n;

/** Six digits. A world that continues this one gives the same code. */
function codeOf({ id }: StoredFulfillmentOrder, context: Scope['context']): string {
  const hash = BigInt(`0x${digest('collection-code', idSource(context), id).slice(0, 30)}`);
  return String(hash % CODES).padStart(6, '0');
}

function reportLater(work: UnitOfWork, { id }: StoredFulfillmentOrder): void {
  work.schedule(reportUnitDue, id, work.now, {}, { beforeReply: true });
}

export const reportUnit = handleDue(reportUnitDue)(async ({ key }, scope) => {
  const found = await scope.work.get(fulfillmentOrders, key);
  if (found) await report(found, scope);
});

/** What the staff of the store needs to find the goods; undefined before they are in the store. */
function shelfLabelOf({ orderNumber, orderId, lines, collection }: StoredFulfillmentOrder): z.output<typeof ShelfLabel> | undefined {
  if (!collection?.store || collection.lastDay === undefined) return undefined;
  return {
    orderNumber: orderNumber ?? orderId,
    person: collection.person,
    units: lines.reduce((sum, { pickedQty }) => sum + pickedQty, 0),
    lastDay: collection.lastDay,
    store: collection.store.name.slice(0, 200),
  };
}

/** Reports the shipment of a collection to the Carrier Platform, in the state of the copy, and stores its label. @throws Problem */
async function report(found: StoredFulfillmentOrder, { work, call }: Scope): Promise<StoredFulfillmentOrder> {
  const copy = found.shipments.at(-1);
  const parcel = copy && (await work.get(parcels, copy.id));
  const reached = CounterState.safeParse(copy?.state);
  if (!copy || !parcel || !reached.success) return found;
  const { id, ...unit } = parcel.data;
  const body = { unit, state: reached.data, shelf: shelfLabelOf(found) };
  const answer = await call(putCollectionUnit, { params: { id }, body }, { step: reached.data, timeoutMs: HAND_OVER_TIMEOUT_MS }).catch(
    (error: unknown) => {
      if (isProblem(error, 'swapped')) return undefined;
      throw error;
    },
  );
  // A real carrier need not offer shipments that never leave the store.
  if (answer === undefined) {
    work.cancel(reportUnitDue, found.id);
    return found;
  }
  if (!parcel.registered) work.put(parcels, { ...parcel, registered: true, label: 'left' });
  work.cancel(reportUnitDue, found.id);
  if (copy.labelStatus === 'ready') return found;
  const labelled: ParcelCopy = { ...copy, trackingNumber: answer.trackingNumber, labelStatus: 'ready' };
  return work.transition(fulfillmentOrders, found, 'note', { shipments: [labelled] });
}

type Collector = InputOf<typeof handOverCollectionApi>['body'];

/**
 * Checks the collector before the state, so that a wrong code is refused in any state. The capture comes before the commit: unpaid goods are
 * never handed over.
 */
export const handOverCollection = handle(handOverCollectionApi)(async ({ params, body }, scope) => {
  const { work } = scope;
  const found = requireCollection(await requireObject(work, fulfillmentOrders, params.id), 'hand-over');
  if (found.collection.code === undefined) throw notReady(found, 'hand-over');
  const isStranger = await refuseCollector(found, body, work);
  if (isStranger) return isStranger;
  const refused = body.lines ? withoutTaken(found, body.lines, body.refused) : body.refused;
  if (isAgain(fulfillmentOrderLifeCycle, found, 'hand-over')) {
    if (!isHandedOverAs(found, body, refused)) throw handedOverOtherwise(found);
    return again(await withOwnQr(found, scope));
  }
  refuseStrayUnits(found, 'refused', refused);
  if (!found.free) await scope.call(ensureCaptured, { params: { id: found.orderId }, body: { fulfillmentOrderId: found.id } });
  work.cancel(giveUpCollectionDue, found.id);
  work.cancel(remindCustomerDue, found.id);
  await moveStockLater(work, found);
  const handedOver = work.transition(fulfillmentOrders, found, 'hand-over', {
    shipments: withState(found, 'delivered'),
    refused,
    collection: {
      ...found.collection,
      ...(body.code === undefined && { handedOverTo: body.person }),
      ...(refused && { refusedReturnId: work.id('ret', 'refused') }),
    },
  });
  if (refused) work.schedule(returnRefusedDue, found.id, work.now, { attempt: 0 });
  reportLater(work, handedOver);
  return withOwnQr(handedOver, scope);
});

const handedOverOtherwise = ({ id, refused = [] }: ToCollect): Problem =>
  conflictingRepeat(
    `The goods of the fulfillment order "${id}" were handed over with other refused units. Create Return returns further ones.`,
    { refused },
    { objectType: 'fulfillment-order', id },
  );

type Units = NonNullable<Collector['lines']>;
type Refused = Collector['refused'];

/** The reason of units that the customer did not name. */
const NOT_TAKEN = 'Not taken at the counter';

const qtyIn = (units: Units = [], orderLineId: string): number => units.find((one) => one.orderLineId === orderLineId)?.qty ?? 0;

/**
 * The units at the counter that the customer does not take; undefined if there are none.
 * @throws Problem `validation_failed` for other units than those at the counter
 */
function withoutTaken(found: ToCollect, taken: Units, refused: Refused): Refused {
  refuseStrayUnits(found, 'lines', taken);
  const left = found.lines
    .map(({ orderLineId, pickedQty }) => ({ orderLineId, qty: pickedQty - qtyIn(taken, orderLineId), reason: NOT_TAKEN }))
    .filter(({ qty }) => qty > 0);
  if (!refused) return left.length > 0 ? left : undefined;
  refuseStrayUnits(found, 'refused', refused);
  for (const { orderLineId, pickedQty } of found.lines) {
    const [taking, refusing] = [qtyIn(taken, orderLineId), qtyIn(refused, orderLineId)];
    if (taking + refusing === pickedQty) continue;
    const detail = `${pickedQty} units of the line "${orderLineId}" are at the counter, and lines and refused have ${taking} and ${refusing}. Leave refused out, or make them add up.`;
    throw invalid('/refused', 'other_sum', detail);
  }
  return refused;
}

const byLine = (refused: Refused = []) => refused.toSorted((one, other) => (one.orderLineId < other.orderLineId ? -1 : 1));

/** Whether a repeat names the same units as the first request. Without units, the customer takes all. */
const isHandedOverAs = (found: ToCollect, asked: Collector, refused: Refused): boolean =>
  asked.refused
    ? isDeepStrictEqual(byLine(asked.refused), byLine(found.refused))
    : found.lines.every(({ orderLineId }) => qtyIn(refused, orderLineId) === qtyIn(found.refused, orderLineId));

/** @throws Problem `validation_failed` for units that do not wait at the counter */
function refuseStrayUnits({ id, lines }: ToCollect, member: 'lines' | 'refused', named: Units = []): void {
  for (const [place, { orderLineId, qty }] of named.entries()) {
    const line = lines.find((one) => one.orderLineId === orderLineId);
    if (!line)
      throw invalid(`/${member}/${place}/orderLineId`, 'unknown_line', `The fulfillment order "${id}" has no line "${orderLineId}".`);
    if (named.findIndex((one) => one.orderLineId === orderLineId) < place) {
      throw invalid(`/${member}/${place}/orderLineId`, 'repeated', `The line "${orderLineId}" is named twice.`);
    }
    if (qty > line.pickedQty) {
      throw invalid(
        `/${member}/${place}/qty`,
        'too_big',
        `${line.pickedQty} units of the line "${orderLineId}" are at the counter, not ${qty}.`,
      );
    }
  }
}

/** @throws Problem `invalid_state_transition` for goods that are sent to an address */
function requireCollection(found: StoredFulfillmentOrder, verb: 'hand-over' | 'extend'): ToCollect {
  if (isToCollect(found)) return found;
  const detail = `The goods of the fulfillment order "${found.id}" are sent to an address; nobody collects them in a store.`;
  throw refusal(fulfillmentOrderLifeCycle, found, verb, detail);
}

const notReady = (found: ToCollect, verb: 'hand-over' | 'extend'): Problem =>
  refusal(
    fulfillmentOrderLifeCycle,
    found,
    verb,
    `The goods of the fulfillment order "${found.id}" do not wait at the counter: it is ${found.state}.${wayToCounter(found)}`,
  );

const withState = ({ shipments }: StoredFulfillmentOrder, state: CounterState): ParcelCopy[] =>
  shipments.map((copy) => ({ ...copy, state }));

/** After so many wrong codes in a row, no code is accepted for a day. */
const MOST_WRONG_CODES = 5;
const LOCKED_MS = 24 * 60 * 60 * 1_000;

/** Each wrong code is counted in the commit of its refusal, so that concurrent guesses count. */
async function refuseCollector(found: ToCollect, { code, orderId, person }: Collector, work: UnitOfWork): Promise<Problem | undefined> {
  const { id, collection } = found;
  const checked = await work.get(collectionChecks, id);
  const about = { objectType: 'fulfillment-order', id };
  if (checked?.lockedUntil !== undefined && found.state === 'dispatched') {
    const detail = `There were ${MOST_WRONG_CODES} wrong codes for the fulfillment order "${id}"; nothing is handed over until ${checked.lockedUntil}.`;
    throw new Problem('wrong_code', detail, { ...about, attemptsLeft: 0, lockedUntil: checked.lockedUntil });
  }
  const { digits, names = id } = readCode(code ?? '');
  if (names !== id) throw new Problem('wrong_code', `The QR code belongs to the fulfillment order "${names}", not to "${id}".`, about);
  const isRight = code === undefined ? orderId === found.orderId && isSamePerson(person, collection.person) : digits === collection.code;
  if (isRight) {
    if (checked) work.put(collectionChecks, { id, wrongCodes: 0 });
    return undefined;
  }
  if (code === undefined) throw wrongPerson(found, orderId);
  // Once the goods are handed over, there is nothing to guess.
  if (found.state !== 'dispatched') throw new Problem('wrong_code', `The code of the fulfillment order "${id}" is another one.`, about);
  const wrongCodes = (checked?.wrongCodes ?? 0) + 1;
  const attemptsLeft = MOST_WRONG_CODES - wrongCodes;
  const lockedUntil = attemptsLeft === 0 ? instant(work.now + LOCKED_MS) : undefined;
  work.put(collectionChecks, { id, wrongCodes, lockedUntil });
  if (lockedUntil !== undefined) work.schedule(unlockCollectionDue, id, work.now + LOCKED_MS, {});
  const next = lockedUntil === undefined ? `${attemptsLeft} more may be wrong` : `nothing is handed over until ${lockedUntil}`;
  return new Problem('wrong_code', `This is not the code of the fulfillment order "${id}"; ${next}.`, {
    ...about,
    attemptsLeft,
    lockedUntil,
  });
}

/** Names are equal in any case, with any blanks, and in any form of Unicode. */
const inWords = (name: string): string => name.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();

const isSamePerson = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && inWords(one) === inWords(other);

function wrongPerson({ id, orderId, collection }: ToCollect, given: string | undefined): Problem {
  const remedy =
    given !== orderId
      ? `It belongs to another order than "${given}".`
      : collection.person === undefined
        ? 'The checkout named nobody: ask for the code.'
        : 'The checkout named another person: ask for the code.';
  return new Problem('wrong_code', `The goods of the fulfillment order "${id}" are not handed over. ${remedy}`, {
    objectType: 'fulfillment-order',
    id,
  });
}

export const unlockCollection = handleDue(unlockCollectionDue)(async ({ key }, { work }) => {
  if (await work.get(collectionChecks, key)) work.put(collectionChecks, { id: key, wrongCodes: 0 });
});

export const remindCustomer = handleDue(remindCustomerDue)(async ({ key }, { work }) => {
  const found = await work.get(fulfillmentOrders, key);
  if (!found || !isAtCounter(found)) return;
  work.transition(fulfillmentOrders, found, 'remind', { collection: { ...found.collection, remindedAt: instant(work.now) } });
});

export const extendCollection = handle(extendCollectionApi)(async ({ params }, scope) => {
  const { work } = scope;
  const found = requireCollection(await requireObject(work, fulfillmentOrders, params.id), 'extend');
  if (!isAtCounter(found) || found.collection.until === undefined) throw notReady(found, 'extend');
  if (found.collection.extended) return again(await withOwnQr(found, scope));
  const { hours } = await storeOf(found, work);
  const period = lastCollection(hours, Date.parse(found.collection.until), work.figures.collection.days);
  scheduleEnd(work, found.id, { hours, until: period.until });
  const extended = work.transition(fulfillmentOrders, found, 'extend', { collection: { ...found.collection, ...period, extended: true } });
  reportLater(work, extended);
  return withOwnQr(extended, scope);
});

/**
 * Nobody came until the store closed on the last day. The OMS refunds the order and releases its stock, which is in the store. Goods that a
 * warehouse sent are booked there first.
 */
export const giveUpCollection = handleDue(giveUpCollectionDue)(async ({ key }, { work, call }) => {
  const found = await work.get(fulfillmentOrders, key);
  if (!found || !isAtCounter(found)) return;
  for (const kind of stockMovesOf(found)) await moveUnits(found, kind, { call });
  const failed = work.transition(fulfillmentOrders, found, 'give-up-collection', { failureReason: 'not-collected' });
  putBack(work, failed);
});

/** Puts the goods of a collection back on the shelf of the store, which has them in its stock. */
export function putBack(work: UnitOfWork, found: StoredFulfillmentOrder): StoredFulfillmentOrder {
  work.cancel(giveUpCollectionDue, found.id);
  work.cancel(remindCustomerDue, found.id);
  const returned = work.transition(fulfillmentOrders, found, 'return-to-sender', { shipments: withState(found, 'returned-to-sender') });
  reportLater(work, returned);
  return returned;
}
