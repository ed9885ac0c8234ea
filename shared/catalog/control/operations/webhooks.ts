import { z } from 'zod';
import { Instant, queryInteger } from '../../shapes.ts';
import { defineOperation } from '../define-operation.ts';
import { isKeptFor, KEPT_ATTEMPTS, KEPT_DELIVERIES, MOST_WEBHOOKS, webhookTypes } from '../webhooks.ts';

const Timestamp = z.enum(['wall', 'rehearsal']);
const Secret = z.string().describe('Signs the deliveries: whsec_ and base64. Only this answer contains it.');

export const Webhook = z.object({
  name: z.string(),
  url: z.string(),
  types: z.array(z.string()),
  timestamp: Timestamp,
  state: z.enum(['active', 'disabled']).describe('disabled: the receiver answered 410. Register the webhook again to enable it.'),
  createdAt: Instant.describe('Wall time.'),
  oldSecretUntil: Instant.optional().describe('Wall time until which deliveries have a second signature, with the old secret.'),
  deliveries: z.int().describe('Number of deliveries so far.'),
  waiting: z.int().describe('Deliveries that were not accepted yet.'),
});

export const WebhookDelivery = z.object({
  id: z.string().describe('Counts the deliveries of the webhook.'),
  event: z.object({ id: z.string(), type: z.string(), subject: z.string(), order: z.int(), correlationId: z.string() }),
  state: z
    .enum(['waiting', 'delivered', 'parked', 'cancelled'])
    .describe(
      'parked: the receiver did not accept any attempt; redrive-parked and redeliver-webhook try again. cancelled: the receiver answered 410.',
    ),
  attempts: z
    .array(
      z.object({
        at: Instant.describe('The rehearsal’s clock.'),
        startedAt: Instant.describe('Wall time.'),
        durationMs: z.number().describe('Wall time.'),
        status: z.int().describe('0: no answer.'),
        answer: z.string().optional().describe('The first bytes of the answer, redacted.'),
        error: z.string().optional().describe('Why no answer came.'),
        requestId: z.string().describe('Its hop in the journal.'),
      }),
    )
    .describe(`Oldest first; the latest ${KEPT_ATTEMPTS}.`),
  nextAttemptAt: Instant.optional().describe(
    'The rehearsal’s clock. Absent: no attempt is planned, or an earlier delivery about the same object comes first.',
  ),
  withheldBy: z.string().optional().describe('The fault that withholds it.'),
});

export const putWebhook = defineOperation({
  id: 'put-webhook',
  summary: `Registers a receiver: every later event of these types is sent to it as a signed webhook (Standard Webhooks), in order per object. Replaces a webhook of the same name, which keeps its secret. A reset keeps the registration. At most ${MOST_WEBHOOKS}.`,
  method: 'PUT',
  path: '/_control/webhooks/{name}',
  request: z.strictObject({
    url: z.string().max(2_000).meta({ format: 'uri', description: 'Address of the receiver. OUTBOUND_ALLOW must permit it.' }),
    types: z
      .array(z.string().max(120))
      .min(1)
      .max(100)
      .default(['*'])
      .meta({ items: { type: 'string', enum: webhookTypes }, description: 'Names of events; ext.* names the additional ones, * all.' }),
    timestamp: Timestamp.default('wall').describe('Clock of webhook-timestamp. Libraries compare it with the wall clock.'),
  }),
  response: Webhook.extend({ secret: Secret.optional().describe('Signs the deliveries. Absent when the webhook is registered already.') }),
  problems: ['outbound_refused', 'too_many_webhooks'],
});

export const listWebhooks = defineOperation({
  id: 'list-webhooks',
  summary: 'Lists the registered webhooks of the rehearsal.',
  path: '/_control/webhooks',
  response: z.object({ items: z.array(Webhook) }),
});

export const readWebhook = defineOperation({
  id: 'read-webhook',
  summary: 'Reads a registered webhook.',
  path: '/_control/webhooks/{name}',
  response: Webhook,
  problems: ['not_found'],
});

export const deleteWebhook = defineOperation({
  id: 'delete-webhook',
  summary: 'Deletes a registered webhook and its outstanding deliveries.',
  method: 'DELETE',
  path: '/_control/webhooks/{name}',
  response: z.null(),
  status: 204,
  problems: ['not_found'],
});

export const rotateWebhookSecret = defineOperation({
  id: 'rotate-webhook-secret',
  summary: 'Makes a new secret. Until the old one ends, each delivery is signed with both.',
  method: 'POST',
  path: '/_control/webhooks/{name}/secret',
  request: z.strictObject({
    keepOldFor: z
      .string()
      .max(64)
      .refine(isKeptFor, 'This must be a duration such as PT24H, at most P30D.')
      .default('PT24H')
      .meta({ format: 'duration', description: 'Wall time until the old secret ends. PT0S ends it now.' }),
  }),
  response: Webhook.extend({ secret: Secret }),
  problems: ['not_found'],
});

export const listWebhookDeliveries = defineOperation({
  id: 'list-webhook-deliveries',
  summary: `Lists the deliveries of a webhook with their attempts, newest first. The latest ${KEPT_DELIVERIES} are kept.`,
  path: '/_control/webhooks/{name}/deliveries',
  query: z.strictObject({
    before: queryInteger(1, Number.MAX_SAFE_INTEGER).optional().describe('The member `next` of the previous answer.'),
    limit: queryInteger(1, 200).default(50).describe('Maximum number of deliveries in an answer.'),
  }),
  response: z.object({
    items: z.array(WebhookDelivery),
    next: z.int().optional().describe('Value of `before` for the next page. Absent when there are no older deliveries.'),
  }),
  problems: ['not_found'],
});

export const redeliverWebhook = defineOperation({
  id: 'redeliver-webhook',
  summary: 'Makes another attempt at a delivery now, with the same webhook-id.',
  method: 'POST',
  path: '/_control/webhooks/{name}/deliveries/{id}/redeliver',
  response: WebhookDelivery,
  status: 202,
  problems: ['not_found', 'delivery_not_possible'],
});

export const webhooksOperations = [
  putWebhook,
  listWebhooks,
  readWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  listWebhookDeliveries,
  redeliverWebhook,
] as const;
