import type { z } from 'zod';
import type { InputOf } from '../../shared/catalog/define.ts';
import { generateLabel as generateLabelApi, labelDocument as labelDocumentApi } from '../../shared/catalog/fulfillment/apis.ts';
import { getShipmentData, putShipment as putShipmentCall } from '../../shared/catalog/fulfillment/internal.ts';
import { type ParcelData, STORE_COUNTER, shipmentLifeCycle, trackingStatusCodes } from '../../shared/catalog/fulfillment/shipments.ts';
import { isAgain } from '../../shared/catalog/life-cycle.ts';
import { notFound } from '../../shared/catalog/problems.ts';
import { addressToken, labelAddress, originOf } from '../../shared/control/world-addresses.ts';
import { checkDigit } from '../../shared/domain/barcode.ts';
import { digest } from '../../shared/domain/ids.ts';
import { instant } from '../../shared/domain/time.ts';
import { refuseOtherContent } from '../../shared/handlers/repeats.ts';
import { again, handle, type Scope } from '../../shared/work/handler.ts';
import type { UnitOfWork } from '../../shared/work/unit-of-work.ts';
import { carrierServices, published, type StoredShipment, shelfLabels, shipments } from './collections.ts';
import { withOwnLabel } from './own-label.ts';
import { announceNewestScan, beginJourney, giveUpParcelDue } from './scans.ts';

type Body = InputOf<typeof generateLabelApi>['body'];

export const generateLabel = handle(generateLabelApi)(async ({ params: { id }, body }, scope) => {
  const shipment = (await scope.work.get(shipments, id)) ?? (await registerFromFms(id, scope));
  if (isAgain(shipmentLifeCycle, shipment, 'label')) {
    refuseOtherLabel(shipment, body);
    return again(await withOwnLabel(shipment, scope));
  }
  return published(await labelParcel(shipment, body, scope));
});

/** @throws Problem `conflicting_repeat` when the label is from another carrier or service */
function refuseOtherLabel({ id, carrier, service }: StoredShipment, asked: Body): void {
  const { carrier: otherCarrier, service: otherService } = asked;
  refuseOtherContent(
    { carrier: otherCarrier, service: otherService },
    { carrier, service },
    { objectType: 'shipment', id, what: 'has its label' },
  );
}

/**
 * Registers a parcel whose registration has not arrived yet, with data that is read from the FMS. The FMS itself registers a parcel before
 * it requests the label, so an unknown parcel in its request is refused.
 * @throws Problem `not_found`
 */
async function registerFromFms(id: string, { work, call, context }: Scope): Promise<StoredShipment> {
  if (context.chain.includes('fms')) throw notFound('shipment', id);
  return registerParcel(work, await call(getShipmentData, { params: { id } }));
}

/** Registers a parcel once. A repeat changes nothing, because the parcel may be in transit. */
export const putShipment = handle(putShipmentCall)(async ({ params: { id }, body }, { work }) =>
  published((await work.get(shipments, id)) ?? registerParcel(work, { ...body, id })),
);

/** Registers a parcel. It gets its tracking number with its label. */
export const registerParcel = (work: UnitOfWork, parcel: z.output<typeof ParcelData>): StoredShipment =>
  work.create(shipments, 'register', { ...parcel, labelStatus: 'none', events: [] });

/** Gives a pending parcel its tracking number and its label, begins its journey, and reports the label by webhook. */
export async function labelParcel(
  pending: StoredShipment,
  chosen: { readonly carrier?: string; readonly service?: StoredShipment['service'] },
  { work, webhooks, context }: Scope,
): Promise<StoredShipment> {
  const { carrier = pending.carrier, service = pending.service } = chosen;
  const labelToken = await addressToken(originOf({ webhooks, context }), 'label', pending.id);
  const labelled = work.transition(shipments, pending, 'label', {
    carrier,
    service,
    labelToken,
    labelStatus: 'ready',
    trackingNumber: await findFreeNumber(work, pending.id),
    label: { format: 'PDF', url: labelAddress(context.world, labelToken) },
    ...(isCarried(pending) && { estimatedDelivery: await estimateDelivery(work, service) }),
    events: [
      { status: 'label-created', statusCode: trackingStatusCodes['label-created'], occurredAt: instant(work.now), message: 'Label made' },
    ],
  });
  // The store has the goods: no carrier moves or loses them.
  if (!isCarried(pending)) return labelled;
  announceNewestScan(labelled, work);
  work.schedule(giveUpParcelDue, labelled.id, work.now + work.figures.windowMs.carrierSilence, {});
  await beginJourney(labelled, { work, context });
  return labelled;
}

/** Whether a carrier moves it. The goods of a collection may lie in their store from the beginning. */
const isCarried = ({ carrier, kind }: StoredShipment): boolean => kind === undefined || carrier !== STORE_COUNTER;

async function findFreeNumber(work: UnitOfWork, shipmentId: string): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const candidate = trackingNumberOf(shipmentId, attempt);
    if (!(await work.findUnique(shipments, 'trackingNumber', candidate))) return candidate;
  }
}

async function estimateDelivery(work: UnitOfWork, service: StoredShipment['service']): Promise<StoredShipment['estimatedDelivery']> {
  const promised = (await work.get(carrierServices, service))?.estimate;
  return promised && { from: instant(work.now + promised.fromMs), to: instant(work.now + promised.toMs) };
}

const DIGITS = 13;

/** `UC`, 13 digits and their GS1 check digit: Code 128 encodes digits in pairs. @param attempt raised when a number is taken */
function trackingNumberOf(shipmentId: string, attempt: number): string {
  const hash = BigInt(`0x${digest('tracking-number', shipmentId, String(attempt)).slice(0, 30)}`);
  const digits = String(hash % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0');
  return `UC${digits}${checkDigit(digits)}`;
}

const FILE = /^([0-9a-f]+)\.pdf$/;

/** The document is drawn on demand from the parcel. Goods at a counter have the label of the store, which changes with their last day. */
export const labelDocument = handle(labelDocumentApi)(async ({ params: { file } }, { work }) => {
  const [, token] = FILE.exec(file) ?? [];
  const shipment = token === undefined ? undefined : await work.findUnique(shipments, 'labelToken', token);
  const made = shipment?.events.find(({ status }) => status === 'label-created');
  if (!shipment?.trackingNumber || !made) throw notFound('label', file);
  // The drawing libraries are large. Loaded with the first label, they do not delay the start.
  const { drawLabel, drawShelfLabel } = await import('./label-document.ts');
  const content = { ...shipment, trackingNumber: shipment.trackingNumber, labelledAt: made.occurredAt };
  const shelf = await work.get(shelfLabels, shipment.id);
  const document = await (shelf ? drawShelfLabel({ ...content, shelf: shelf.label }) : drawLabel(content));
  return document.toString('base64');
});
