import type { z } from 'zod';
import { generateLabel } from '../../shared/catalog/fulfillment/apis.ts';
import { putShipment } from '../../shared/catalog/fulfillment/internal.ts';
import type { Shipment } from '../../shared/catalog/fulfillment/objects.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { progressionOf } from '../../shared/catalog/simulation/progression.ts';
import { instant } from '../../shared/domain/time.ts';
import type { Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { fulfillmentOrders, type Parcel, parcels, type StoredFulfillmentOrder, trackings } from './collections.ts';
import { handOverDue, takeStockDue } from './due-work.ts';
import { moveUnits } from './stock-movements.ts';
import { HAND_OVER_TIMEOUT_MS } from './timing.ts';

/** The parcel of a dispatched fulfillment order: it has one. */
export async function parcelOf(work: UnitOfWork, { shipments }: StoredFulfillmentOrder): Promise<Parcel | undefined> {
  const id = shipments[0]?.id;
  return id === undefined ? undefined : work.get(parcels, id);
}

/** What is sent, or comes back, with copies of its parcels. */
type Sent = Pick<StoredFulfillmentOrder, 'shipments'>;

const copyOf = ({ shipments }: Sent, { id }: Parcel) => shipments.find((one) => one.id === id);

/** Whether the FMS has still to have its label made. */
export const lacksLabel = (found: Sent, parcel: Parcel): boolean =>
  parcel.label === 'wanted' && copyOf(found, parcel)?.labelStatus !== 'ready';

/** The carrier knows it, and nobody here has to have a label made. */
export const isHandedOver = (found: Sent, parcel: Parcel): boolean => parcel.registered && !lacksLabel(found, parcel);

/**
 * Does what a committed dispatch still owes: the stock leaves, the carrier learns of the parcel, the label is made. Neither waits
 * for the other, and what fails does not undo the dispatch: its due work, which was committed with it, tries again.
 */
export async function carryOnDispatch(found: StoredFulfillmentOrder, scope: Scope): Promise<StoredFulfillmentOrder> {
  const { work, log } = scope;
  const parcel = await parcelOf(work, found);
  if (!parcel) return found;
  const unmoved = parcel.stockTaken ? undefined : await takeStock(found, parcel, scope);
  if (unmoved) log.warn({ fulfillmentOrderId: found.id, code: unmoved.code }, 'dispatched goods are not out of stock yet');
  const latest = (await parcelOf(work, found)) ?? parcel;
  if (isHandedOver(found, latest)) return found;
  const { found: next, failure } = await handOver(found, latest, scope);
  if (failure) log.warn({ fulfillmentOrderId: found.id, code: failure.code }, 'a dispatched parcel is not handed over yet');
  return next;
}

/** @returns why the stock records do not show yet that the goods left */
export async function takeStock(found: StoredFulfillmentOrder, parcel: Parcel, scope: Scope): Promise<Problem | undefined> {
  try {
    await moveUnits(found, 'consume', scope, HAND_OVER_TIMEOUT_MS);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  scope.work.put(parcels, { ...parcel, stockTaken: true });
  scope.work.cancel(takeStockDue, found.id);
  return undefined;
}

interface HandedOver {
  readonly found: StoredFulfillmentOrder;
  /** Why it is not handed over yet. */
  readonly failure?: Problem;
}

/** Registers the parcel and has its label made, as far as that is still to be done. */
export async function handOver(found: StoredFulfillmentOrder, parcel: Parcel, scope: Scope): Promise<HandedOver> {
  const { work, context } = scope;
  try {
    const registered = parcel.registered ? parcel : await register(parcel, scope);
    // Set to manual since: then it is left to an explicit call.
    const wanted = lacksLabel(found, registered) && progressionOf(context).label === 'auto';
    const label = wanted ? await labelOf(registered, scope) : undefined;
    work.cancel(handOverDue, found.id);
    if (registered.label === 'wanted') work.put(parcels, { ...registered, label: 'left' });
    return { found: label ? await labelled(work, found, label) : found };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { found: lacksLabel(found, parcel) ? withoutLabel(work, found) : found, failure: error };
  }
}

export async function register(parcel: Parcel, { call, work }: Scope): Promise<Parcel> {
  const { id, ...body } = parcel.data;
  await call(putShipment, { params: { id }, body }, { timeoutMs: HAND_OVER_TIMEOUT_MS });
  return work.put(parcels, { ...parcel, registered: true });
}

export const labelOf = ({ id }: Parcel, { call }: Scope): Promise<z.output<typeof Shipment>> =>
  call(generateLabel, { params: { id }, body: {} }, { timeoutMs: HAND_OVER_TIMEOUT_MS });

/** The carrier also says so by webhook, for labels that others had made; whichever comes second finds it known. */
async function labelled(
  work: UnitOfWork,
  found: StoredFulfillmentOrder,
  { id, trackingNumber, events }: z.output<typeof Shipment>,
): Promise<StoredFulfillmentOrder> {
  const copy = found.shipments.find((one) => one.id === id);
  const tracking = await work.get(trackings, id);
  if (copy?.state !== 'pending' || !tracking) return found;
  const numbered = trackingNumber !== undefined && { trackingNumber };
  const newestScanAt = events.find(({ status }) => status === 'label-created')?.occurredAt ?? instant(work.now);
  work.put(trackings, { ...tracking, ...numbered, newestScanAt });
  return noteShipment(work, found, { ...copy, ...numbered, state: 'label-created', labelStatus: 'ready' });
}

function withoutLabel(work: UnitOfWork, found: StoredFulfillmentOrder): StoredFulfillmentOrder {
  const copy = found.shipments.find(({ labelStatus }) => labelStatus === 'none');
  return copy ? noteShipment(work, found, { ...copy, labelStatus: 'failed' }) : found;
}

const noteShipment = (
  work: UnitOfWork,
  found: StoredFulfillmentOrder,
  next: StoredFulfillmentOrder['shipments'][number],
): StoredFulfillmentOrder =>
  work.transition(fulfillmentOrders, found, 'note', { shipments: found.shipments.map((one) => (one.id === next.id ? next : one)) });
