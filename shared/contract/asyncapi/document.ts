import { EVENT_CONTENT_TYPE } from '../../catalog/event-names.ts';
import { JsonSchemas, type Part } from '../json-schemas.ts';
import { SIGNATURE } from '../openapi/security.ts';
import { EVENT_SCHEMAS, eventMessages } from './event-messages.ts';
import { topicChannels, topicOperations } from './topics.ts';
import { WEBHOOK, WEBHOOK_CHANNEL, webhookMessage, webhookOperations } from './webhook.ts';

const DESCRIPTION = `Every change of a business object is an event, named as in the source document or else \`ext.<object>-changed\`.
Events are CloudEvents 1.0 in structured mode. Each business domain has one topic, keyed by the object's id: order is kept per object
only. Delivery is at least once. A consumer drops an \`id\` that it has seen. A consumer that copies state also drops an
\`aggregateversion\` lower than the newest one it has seen.

\`GET /_control/events\` lists the events of a rehearsal in order of publication. Without a broker, this is the only way to them.
Events may gain members: ignore those you do not know.`;

/**
 * The place where an estate publishes its events: in memory, or at these brokers. The list is empty when the process that serves the
 * document does not have it.
 */
export type EventServers = 'memory' | { readonly kafka: readonly string[]; readonly isSecure?: boolean; readonly prefix?: string };

const GATEWAY_HOST: Part = {
  host: '{gateway}',
  protocol: 'http',
  variables: { gateway: { default: 'localhost:8080', description: 'Host and port of the gateway.' } },
};

function serversOf(events: EventServers): Part {
  if (events === 'memory') {
    const description = 'The gateway receives webhooks. This estate has no broker: `GET /_control/events` lists its events.';
    return { gateway: { ...GATEWAY_HOST, description } };
  }
  const [first] = events.kafka;
  const known = first === undefined ? {} : { default: first, enum: events.kafka };
  return {
    kafka: {
      host: '{broker}',
      protocol: events.isSecure ? 'kafka-secure' : 'kafka',
      description: 'The brokers of this estate, as its applications reach them.',
      variables: { broker: { ...known, description: 'Host and port of a broker.' } },
    },
    gateway: { ...GATEWAY_HOST, description: 'The gateway, which receives webhooks.' },
  };
}

/** The events of the estate and the signed webhook of the carrier as AsyncAPI 3, derived from the catalog. */
export function estateAsyncApi(version: string, events: EventServers): Part {
  const schemas = new JsonSchemas('draft-7');
  const messages = { ...eventMessages(schemas), [WEBHOOK]: webhookMessage(schemas) };
  const operations = { ...topicOperations(), ...webhookOperations(schemas) };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Unified commerce estate: events',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: EVENT_CONTENT_TYPE,
    servers: serversOf(events),
    channels: {
      ...(events === 'memory' ? topicChannels('gateway', '') : topicChannels('kafka', events.prefix ?? '')),
      [WEBHOOK]: WEBHOOK_CHANNEL,
    },
    operations,
    components: {
      messages,
      schemas: { ...EVENT_SCHEMAS, ...schemas.all() },
      securitySchemes: { signature: { type: 'httpApiKey', in: 'header', name: 'webhook-signature', description: SIGNATURE } },
    },
  };
}
