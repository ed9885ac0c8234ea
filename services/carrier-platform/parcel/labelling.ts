import type { z } from 'zod';
import { CARRIER_SILENCE_MS, type ParcelData, trackingStatusCodes } from '../../../shared/catalog/fulfillment/shipments.ts';
import { checkDigit } from '../../../shared/domain/barcode.ts';
import { digest } from '../../../shared/domain/ids.ts';
import { instant } from '../../../shared/domain/time.ts';
import { rehearsalOf } from '../../../shared/domain/world.ts';
import type { Scope } from '../../../shared/work/handler.ts';
import type { UnitOfWork } from '../../../shared/work/unit-of-work.ts';
import { carrierServices, type StoredShipment, shipments } from '../collections.ts';
import { giveUpParcelDue } from '../due-work.ts';
import { announceNewestScan, beginJourney } from './journey.ts';

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
  const labelToken = digest('label', await webhooks.secret(), context.world, pending.id).slice(0, 40);
  const labelled = work.transition(shipments, pending, 'label', {
    carrier,
    service,
    labelToken,
    labelStatus: 'ready',
    trackingNumber: await findFreeNumber(work, pending.id),
    label: { format: 'PDF', url: `/labels/${rehearsalOf(context.world)}/${labelToken}.pdf` },
    estimatedDelivery: await estimateDelivery(work, service),
    events: [
      { status: 'label-created', statusCode: trackingStatusCodes['label-created'], occurredAt: instant(work.now), message: 'Label made' },
    ],
  });
  announceNewestScan(labelled, work);
  work.schedule(giveUpParcelDue, labelled.id, work.now + CARRIER_SILENCE_MS, {});
  await beginJourney(labelled, { work, context });
  return labelled;
}

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
function trackingNumberOf(shipmentId: string, attempt = 0): string {
  const hash = BigInt(`0x${digest('tracking-number', shipmentId, String(attempt)).slice(0, 30)}`);
  const digits = String(hash % 10n ** BigInt(DIGITS)).padStart(DIGITS, '0');
  return `UC${digits}${checkDigit(digits)}`;
}
