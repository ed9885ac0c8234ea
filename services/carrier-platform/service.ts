import type { Fixtures } from '../../fixtures/files.ts';
import { durationMs } from '../../shared/domain/duration.ts';
import type { Seed } from '../../shared/store/collections.ts';
import { defineService } from '../../shared/work/handler.ts';
import { putCollectionUnit } from './collection-units.ts';
import { carrierServices, journeys, shelfLabels, shipments, webhookEndpoints } from './collections.ts';
import { generateLabel, labelDocument, putShipment } from './labels.ts';
import { applyCarrierProgression, giveUpParcel, playPlannedScan, resendScanWebhook, scanShipment, trackShipment } from './scans.ts';
import { deliverWebhook } from './webhooks.ts';

export const service = defineService({
  application: 'carrier-platform',
  collections: [shipments, shelfLabels, journeys, carrierServices, webhookEndpoints],
  counters: [],
  apis: { 'generate-label-api': generateLabel, 'track-shipment-api': trackShipment, 'label-document': labelDocument },
  internal: {
    'put-shipment': putShipment,
    'put-collection-unit': putCollectionUnit,
    'scan-shipment': scanShipment,
    'resend-scan-webhook': resendScanWebhook,
    'apply-carrier-progression': applyCarrierProgression,
  },
  events: {},
  due: [playPlannedScan, giveUpParcel, deliverWebhook],
});

/** Seeds the services of the carrier, with their promise and their planned scans. */
export function seed({ carrierScans }: Fixtures): Seed {
  const rows = carrierScans.map(({ service: id, estimatedDelivery: { from, to }, scans }) => ({
    id,
    version: 1,
    estimate: { fromMs: durationMs(from), toMs: durationMs(to) },
    scans: scans.map(({ after, ...scan }) => ({ ...scan, afterMs: durationMs(after) })),
  }));
  return { objects: [{ of: carrierServices, rows }] };
}
