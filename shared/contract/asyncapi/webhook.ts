import { type Application, applications } from '../../catalog/applications.ts';
import { carrierWebhook } from '../../catalog/fulfillment/apis.ts';
import type { JsonSchemas, Part } from '../json-schemas.ts';
import { SIGNATURE } from '../openapi/security.ts';
import { HTTP_BINDING, ref } from './references.ts';

/** Name of the webhook's channel and message. */
export const WEBHOOK = 'carrier-webhook';

export const WEBHOOK_CHANNEL: Part = {
  address: carrierWebhook.path,
  title: carrierWebhook.name,
  description: 'Signed HTTP requests, delivered at least once. A 2xx ends one delivery, a 410 ends all deliveries.',
  servers: [ref('servers', 'gateway')],
  messages: { [WEBHOOK]: ref('components', 'messages', WEBHOOK) },
};

export function webhookMessage(schemas: JsonSchemas): Part {
  return {
    name: 'shipment.tracking.updated',
    title: carrierWebhook.name,
    summary: 'A parcel was scanned. The id names parcel and scan and is the same for every attempt. Repeated and older scans move nothing.',
    contentType: 'application/json',
    headers: {
      type: 'object',
      required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
      properties: {
        'webhook-id': { type: 'string', description: 'The same for every attempt of one delivery.' },
        'webhook-timestamp': {
          type: 'string',
          pattern: '^\\d{1,12}$',
          description: 'Time of the attempt on the rehearsal’s clock, in seconds since the epoch.',
        },
        'webhook-signature': { type: 'string', description: SIGNATURE },
      },
    },
    payload: schemas.of(carrierWebhook.request, 'input'),
    bindings: { http: { bindingVersion: HTTP_BINDING } },
    examples: [
      {
        name: 'in-transit',
        headers: {
          'webhook-id': 'shp_01KAHTXB5W0G4J8Q2Z6R9M3N7P.3',
          'webhook-timestamp': '1772380800',
          'webhook-signature': 'v1,pUqUVSfsyLRWFAC9cHHrXcWkbgZIQLu8EXFiNYJ1pyE=',
        },
        payload: {
          type: 'shipment.tracking.updated',
          timestamp: '2026-03-01T16:00:00.000Z',
          data: {
            shipmentId: 'shp_01KAHTXB5W0G4J8Q2Z6R9M3N7P',
            status: 'in-transit',
            statusCode: 'in_transit',
            occurredAt: '2026-03-01T15:59:00.000Z',
            location: 'Athlone',
            message: 'Left the depot',
          },
        },
      },
    ],
  };
}

export function webhookOperations(schemas: JsonSchemas): Part {
  const operation = (application: Application, action: 'send' | 'receive'): Part => ({
    action,
    title: `${applications[application].title} ${action}s`,
    channel: ref('channels', WEBHOOK),
    messages: [ref('channels', WEBHOOK, 'messages', WEBHOOK)],
    security: [ref('components', 'securitySchemes', 'signature')],
    bindings: { http: { method: carrierWebhook.method, query: schemas.of(carrierWebhook.query, 'input'), bindingVersion: HTTP_BINDING } },
  });
  return { 'carrier-platform-sends-webhooks': operation('carrier-platform', 'send'), 'fms-receives-webhooks': operation('fms', 'receive') };
}
