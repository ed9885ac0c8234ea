import { z } from 'zod';
import { type Progression, progressionOf } from '../../shared/catalog/control/progression.ts';
import { carrierWebhook, TrackingUpdate, trackShipment as trackShipmentApi } from '../../shared/catalog/fulfillment/apis.ts';
import {
  applyCarrierProgression as applyCarrierProgressionCall,
  resendScanWebhook as resendScanWebhookCall,
  type SentWebhook,
  scanShipment as scanShipmentCall,
} from '../../shared/catalog/fulfillment/internal.ts';
import { Scan, scanWebhookId, shipmentLifeCycle, trackingStatusCodes } from '../../shared/catalog/fulfillment/shipments.ts';
import { allowedFrom, refusal, refuseTransition, rowFor } from '../../shared/catalog/life-cycle.ts';
import { KEPT_SCANS } from '../../shared/catalog/limits.ts';
import { Problem } from '../../shared/catalog/problems.ts';
import { Id } from '../../shared/catalog/shapes.ts';
import { lengthInWords } from '../../shared/domain/duration.ts';
import { instant } from '../../shared/domain/time.ts';
import { walkPages } from '../../shared/handlers/all-pages.ts';
import { requireObject } from '../../shared/handlers/require-object.ts';
import { defineDueWork } from '../../shared/work/due-work.ts';
import { handle, handleDue, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import {
  carrierServices,
  type Journey,
  journeys,
  type PlannedScan,
  published,
  type StoredShipment,
  shipments,
  webhookEndpoints,
} from './collections.ts';
import { withOwnLabel } from './own-label.ts';

/** Plays the next planned scan of a parcel; the key is the shipment's id. */
const plannedScanDue = defineDueWork('planned-scan');
/** Gives up a parcel that has had no scan for a long time; the key is the shipment's id. */
export const giveUpParcelDue = defineDueWork('give-up-parcel');

const Delivery = z.object({
  shipmentId: Id,
  /** Its members keep their order, because the signature covers the bytes. */
  body: z.custom<z.input<typeof TrackingUpdate>>((stored) => TrackingUpdate.safeParse(stored).success),
  /** Number of attempts so far. */
  attempts: z.int().min(0),
  /** A fault has withheld it already, so no other fault strikes it. */
  held: z.literal(true).optional(),
});
/** The delivery of one scan to its receiver. */
export type Delivery = z.output<typeof Delivery>;

/** Makes one attempt at a delivery; the key is its `webhook-id`. The payload keeps its stored order of members. */
export const deliverWebhookDue = defineDueWork(
  'deliver-webhook',
  z.custom<Delivery>((stored) => Delivery.safeParse(stored).success, 'It is not the delivery of a scan'),
);

export const scanShipment = handle(scanShipmentCall)(async ({ params: { id }, body }, { work, context }) => {
  const shipment = await requireObject(work, shipments, id);
  return published(await scanParcel(shipment, body, { work, context }));
});

export const playPlannedScan = handleDue(plannedScanDue)(async ({ key }, { work, context }) => {
  if (progressionOf(context).carrier === 'manual') return;
  const shipment = await work.get(shipments, key);
  const journey = await work.get(journeys, key);
  if (!shipment || !journey?.open) return;
  const next = await nextPlanned(work, { journey, shipment });
  if (!next) return;
  work.put(journeys, { ...journey, passed: next.position });
  await scanParcel(shipment, next.planned, { work, context });
});

/** Every scan restarts the wait. */
export const giveUpParcel = handleDue(giveUpParcelDue)(async ({ key }, { work, context }) => {
  const shipment = await work.get(shipments, key);
  if (!shipment || !isAllowed(shipment, 'lose')) return;
  await scanParcel(
    shipment,
    { scan: 'lose', message: `Not scanned for ${lengthInWords(work.figures.windowMs.carrierSilence)}` },
    { work, context },
  );
});

interface ReportedScan {
  readonly scan: z.output<typeof Scan>;
  readonly location?: string;
  readonly message?: string;
}

/** Moves a parcel, appends the scan to its history, and reports it by webhook. @throws Problem `invalid_state_transition` */
async function scanParcel(
  shipment: StoredShipment,
  { scan, location, message }: ReportedScan,
  { work, context }: Pick<Scope, 'work' | 'context'>,
): Promise<StoredShipment> {
  if (!isAllowed(shipment, scan)) throw scanRefusal(shipment, scan);
  const verb = verbOf(shipment, scan);
  const [status] = rowFor(shipmentLifeCycle, shipment, verb).to;
  if (status === undefined || status === 'pending') throw new Error(`The scan ${scan} leads to no scanned state.`);
  const event = { status, statusCode: trackingStatusCodes[status], occurredAt: nextScanTime(shipment, work.now), location, message };
  const events = [...shipment.events, event].slice(-KEPT_SCANS);
  const moved = work.transition(shipments, shipment, verb, { events, scanCount: scanCountOf(shipment) + 1 });
  announceNewestScan(moved, work);
  await continueJourney(moved, scan, { work, context });
  if (isAllowed(moved, 'lose')) work.schedule(giveUpParcelDue, moved.id, work.now + work.figures.windowMs.carrierSilence, {});
  else work.cancel(giveUpParcelDue, moved.id);
  return moved;
}

/** Goods that are delivered to the store of a collection are held there for the customer. */
const verbOf = ({ kind }: StoredShipment, scan: ReportedScan['scan']) =>
  kind === 'collection' && (scan === 'deliver' || scan === 'find') ? 'make-ready' : scan;

/** Whether the goods of a collection are, or were, in their store. On the way there, nothing holds them at a depot. */
const wasInStore = ({ kind, events }: StoredShipment): boolean =>
  kind === 'collection' && events.some(({ status }) => status === 'held-at-depot');

const isAllowed = (shipment: StoredShipment, scan: ReportedScan['scan']): boolean =>
  !wasInStore(shipment) &&
  !(shipment.kind === 'collection' && scan === 'hold') &&
  allowedFrom(shipmentLifeCycle, scan).includes(shipment.state) &&
  !(scan === 'find' && isNeverHandedOver(shipment));

/** A returned parcel that its customer never handed over cannot be found: the return is rejected, and its label is void. */
const isNeverHandedOver = ({ state, returnId, events }: StoredShipment): boolean =>
  state === 'lost' && returnId !== undefined && events.every(({ status }) => status === 'label-created' || status === 'lost');

/** The store reports the goods at its counter, so the carrier has no scan and no webhook for them. */
function atCounter(shipment: StoredShipment, action: string): Problem {
  const detail = `The goods of the shipment "${shipment.id}" are at the counter of a store, where no carrier scans them. Hand Over Collection and the clock move them.`;
  return refusal('shipment', shipment, action, detail, { allowedScans: [] });
}

/** The refusal lists the scans that the parcel can take now, for testers who send scans by hand. */
function scanRefusal(shipment: StoredShipment, scan: ReportedScan['scan']): Problem {
  const allowedScans = Scan.options.filter((one) => isAllowed(shipment, one));
  if (wasInStore(shipment)) return atCounter(shipment, scan);
  const why =
    scan === 'find' && isNeverHandedOver(shipment)
      ? `The customer never handed over the parcel "${shipment.id}" of the return "${shipment.returnId}", so it cannot be found.`
      : shipment.kind === 'collection' && scan === 'hold'
        ? `No depot holds the goods of the shipment "${shipment.id}" on their way to the store of their collection: deliver puts them on its counter.`
        : refuseTransition(shipmentLifeCycle, shipment, scan).message;
  const now = allowedScans.length > 0 ? `Allowed now: ${allowedScans.join(', ')}.` : 'No further scan is allowed.';
  return refusal(shipmentLifeCycle, shipment, scan, `${why} ${now}`, { allowedScans });
}

/** Scans of a parcel differ in time, so that a receiver can order them. */
function nextScanTime({ events }: StoredShipment, now: number): string {
  const last = events.at(-1);
  return instant(last ? Math.max(now, Date.parse(last.occurredAt) + 1) : now);
}

/** The carrier does not have a parcel without a label, so there is nothing to track. */
export const trackShipment = handle(trackShipmentApi)(async ({ params: { id } }, scope) =>
  withOwnLabel(await labelledParcel(id, scope.work, { action: 'track', words: 'it can be tracked' }), scope),
);

/** Replaces a waiting attempt at the same webhook. */
export const resendScanWebhook = handle(resendScanWebhookCall)(async ({ params: { id } }, { work }) => {
  const shipment = await labelledParcel(id, work, { action: 'resend', words: 'its webhook can be sent' });
  // The carrier reports the arrival; the store reports what follows.
  const isArrival = shipment.state === 'held-at-depot' && shipment.scanCount !== undefined;
  if (wasInStore(shipment) && !isArrival) throw atCounter(shipment, 'resend');
  const gone = await work.get(webhookEndpoints, carrierWebhook.path);
  if (gone)
    throw new Problem(
      'delivery_not_possible',
      `The receiver answered 410 at ${gone.goneSince}, so the carrier sends it no webhook. Reset the rehearsal first.`,
    );
  return announceNewestScan(shipment, work);
});

/** @throws Problem `not_found`, `invalid_state_transition` before its label */
async function labelledParcel(
  id: string,
  work: UnitOfWork,
  { action, words }: { readonly action: string; readonly words: string },
): Promise<StoredShipment> {
  const shipment = await requireObject(work, shipments, id);
  if (shipment.state !== 'pending') return shipment;
  const about = { allowedFrom: shipmentLifeCycle.states.filter((state) => state !== 'pending') };
  throw refusal('shipment', { id, state: shipment.state }, action, `The shipment "${id}" is pending: ${words} once it has a label.`, about);
}

type Mode = Progression['carrier'];

export async function beginJourney(shipment: StoredShipment, { work, context }: Pick<Scope, 'work' | 'context'>): Promise<void> {
  const labelledAt = instant(work.now);
  const mode = progressionOf(context).carrier;
  await planNext({ id: shipment.id, open: true, labelledAt, passed: 0 }, { work, shipment, mode: afterScan(mode) });
}

/** With the progression `immediate`, the next scan waits for the first attempt at the previous webhook, so that webhooks keep their order. */
const afterScan = (mode: Mode): Mode => (mode === 'immediate' ? 'manual' : mode);

/** Continues the journey of a parcel after a scan. A manual scan may be the next planned one. */
async function continueJourney(
  shipment: StoredShipment,
  scan: PlannedScan['scan'],
  { work, context }: Pick<Scope, 'work' | 'context'>,
): Promise<void> {
  const journey = await work.get(journeys, shipment.id);
  if (!journey) return;
  const next = (await planOf(work, shipment))[journey.passed];
  const passed = next?.scan === scan ? journey.passed + 1 : journey.passed;
  const mode = progressionOf(context).carrier;
  await planNext({ ...journey, passed, open: !hasEnded(shipment) }, { work, shipment, mode: afterScan(mode) });
}

/** Stores a journey with its next planned scan, and schedules the due work for it. @returns whether the time has changed */
export async function planNext(
  { version: _counted, scanAt: before, ...journey }: Omit<Journey, 'version'> & { readonly version?: number },
  { work, shipment, mode }: { work: UnitOfWork; shipment: StoredShipment; mode: Mode },
): Promise<boolean> {
  const next = journey.open ? await nextPlanned(work, { journey, shipment }) : undefined;
  const dueAt = next && (mode === 'immediate' ? work.now : Math.max(work.now, Date.parse(journey.labelledAt) + next.planned.afterMs));
  const scanAt = mode === 'manual' ? undefined : dueAt;
  work.put(journeys, { ...journey, scanAt });
  if (scanAt !== undefined) work.schedule(plannedScanDue, journey.id, scanAt, {});
  else if (before !== undefined) work.cancel(plannedScanDue, journey.id);
  return scanAt !== before;
}

/** The first planned scan that is not done and that the state of the parcel allows. Manual scans may have changed that state. */
async function nextPlanned(
  work: UnitOfWork,
  { journey, shipment }: { journey: Pick<Journey, 'passed'>; shipment: StoredShipment },
): Promise<{ readonly planned: PlannedScan; readonly position: number } | undefined> {
  const plan = await planOf(work, shipment);
  const position = plan.findIndex(({ scan }, at) => at >= journey.passed && isAllowed(shipment, scan));
  const planned = plan[position];
  return planned && { planned, position };
}

const planOf = async (work: UnitOfWork, { service }: StoredShipment): Promise<readonly PlannedScan[]> =>
  (await work.get(carrierServices, service))?.scans ?? [];

/** Whether no planned scan follows. A lost parcel may be found, but never by a planned scan. */
const hasEnded = (shipment: StoredShipment): boolean =>
  shipment.state === 'delivered' || shipment.state === 'returned-to-sender' || shipment.state === 'lost' || wasInStore(shipment);

/** Schedules the webhook for the newest scan of a parcel. Its `webhook-id` names parcel and scan, so every attempt has the same one. */
export function announceNewestScan(shipment: StoredShipment, work: UnitOfWork): z.output<typeof SentWebhook> {
  const { id, trackingNumber, events, estimatedDelivery } = shipment;
  const scan = events.at(-1);
  if (!scan) throw new Error(`The parcel ${id} has no scan.`);
  const body: Delivery['body'] = {
    type: 'shipment.tracking.updated',
    timestamp: scan.occurredAt,
    data: { shipmentId: id, ...scan, trackingNumber, estimatedDelivery },
  };
  const delivery: Delivery = { shipmentId: id, body, attempts: 0 };
  const webhookId = scanWebhookId(id, scanCountOf(shipment));
  work.schedule(deliverWebhookDue, webhookId, work.now, delivery);
  return { webhookId, scan: scan.status };
}

const scanCountOf = ({ scanCount, events }: StoredShipment): number => scanCount ?? events.length;

export const applyCarrierProgression = handle(applyCarrierProgressionCall)(async ({ body: { carrier: mode } }, { work }) => {
  let rescheduled = 0;
  for await (const journey of walkPages((cursor) => work.find(journeys, 'open', 'yes', { cursor }))) {
    const shipment = await work.get(shipments, journey.id);
    if (shipment && (await planNext(journey, { work, shipment, mode }))) rescheduled += 1;
  }
  return { rescheduled };
});
