import type { Fixtures } from '../../fixtures/files.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { generateLabel } from './apis/generate-label.ts';
import { labelDocument } from './apis/label-document.ts';
import { trackShipment } from './apis/track-shipment.ts';
import { carrierServices, journeys, shipments, webhookEndpoints } from './collections.ts';
import { deliverWebhook } from './due/deliver-webhook.ts';
import { giveUpParcel } from './due/give-up-parcel.ts';
import { playPlannedScan } from './due/planned-scan.ts';
import { applyCarrierProgression } from './internal/apply-carrier-progression.ts';
import { putShipment } from './internal/put-shipment.ts';
import { scanShipment } from './internal/scan-shipment.ts';

export const service = defineService({
  application: 'carrier-platform',
  collections: [shipments, journeys, carrierServices, webhookEndpoints],
  counters: [],
  apis: { 'generate-label-api': generateLabel, 'track-shipment-api': trackShipment, 'label-document': labelDocument },
  internal: { 'put-shipment': putShipment, 'scan-shipment': scanShipment, 'apply-carrier-progression': applyCarrierProgression },
  events: {},
  due: [playPlannedScan, giveUpParcel, deliverWebhook],
});

/** Seeds the services of the carrier, with their promise and their planned scans. */
export function seed({ carrierScans }: Fixtures, _now: number): Seed {
  const rows = carrierScans.map(({ service: id, estimatedDelivery: { from, to }, scans }) => ({
    id,
    version: 1,
    estimate: { fromMs: durationMs(from), toMs: durationMs(to) },
    scans: scans.map(({ after, ...scan }) => ({ ...scan, afterMs: durationMs(after) })),
  }));
  return { objects: [{ of: carrierServices, rows }] };
}
