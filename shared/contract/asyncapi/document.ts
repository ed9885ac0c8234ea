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

An estate in a single process keeps its events in memory: \`GET /_sim/events\` lists them in order of publication.
Events may gain members: ignore those you do not know.`;

const SERVERS: Part = {
  kafka: {
    host: '{broker}',
    protocol: 'kafka',
    description: 'The broker of an estate that runs on Kafka.',
    variables: { broker: { default: 'localhost:9092', description: 'Host and port of a broker.' } },
  },
  gateway: {
    host: '{gateway}',
    protocol: 'http',
    description: 'The gateway, which receives webhooks.',
    variables: { gateway: { default: 'localhost:8080', description: 'Host and port of the gateway.' } },
  },
};

/** The events of the estate and the signed webhook of the carrier as AsyncAPI 3, derived from the catalog. */
export function estateAsyncApi(version: string): Part {
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
    servers: SERVERS,
    channels: { ...topicChannels(), [WEBHOOK]: WEBHOOK_CHANNEL },
    operations,
    components: {
      messages,
      schemas: { ...EVENT_SCHEMAS, ...schemas.all() },
      securitySchemes: {
        signature: { type: 'httpApiKey', in: 'header', name: 'webhook-signature', description: SIGNATURE },
      },
    },
  };
}
