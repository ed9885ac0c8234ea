import { type Application, applications, type Domain, domains, topicOf } from '../../catalog/applications.ts';
import type { EventDefinition } from '../../catalog/define-object.ts';
import { EVENT_CONTENT_TYPE } from '../../catalog/event-names.ts';
import { allEvents } from '../../catalog/events.ts';
import { carrierWebhook } from '../../catalog/fulfillment/apis.ts';
import { objects } from '../../catalog/objects.ts';
import { inOneTurn, type Steps } from '../../domain/breathe.ts';
import { JsonSchemas, type Part } from '../json-schemas.ts';
import { SIGNATURE } from '../openapi/components.ts';
import { schemasWithTitles, withTitles } from '../titles.ts';
import { eventMessages, HTTP_BINDING, KAFKA_BINDING, objectOf, RECORD_SCHEMAS, ref } from './event-messages.ts';

const DESCRIPTION = `Every change of a business object is an event, named as in the source document or else \`ext.<object>-changed\`.
Events are CloudEvents 1.0 in structured mode. Each business domain has one topic, keyed by the object's id: order is kept per object
only. Delivery is at least once. A consumer drops an \`id\` that it has seen. A consumer that copies state also drops an
\`aggregateversion\` lower than the newest one it has seen.

\`GET /_control/events\` lists the events of a rehearsal in order of publication. Without a broker, this is the only way to read them.
Events may gain members: ignore those you do not know.`;

/**
 * The place where an estate publishes its events: in memory, or at these brokers. The list is empty when the process that serves the
 * document does not have it.
 */
export type EventServers = 'memory' | { readonly kafka: readonly string[]; readonly isSecure?: boolean; readonly prefix?: string };

function serversOf(events: EventServers, gateway: string): Part {
  const server = {
    host: '{gateway}',
    protocol: 'http',
    variables: { gateway: { default: gateway, description: 'Host and port of the gateway.' } },
  };
  if (events === 'memory') {
    const description = 'The gateway receives webhooks. This estate has no broker: `GET /_control/events` lists its events.';
    return { gateway: { ...server, description } };
  }
  const [first] = events.kafka;
  const known = first === undefined ? {} : { default: first, enum: events.kafka };
  return {
    kafka: {
      host: '{broker}',
      protocol: events.isSecure ? 'kafka-secure' : 'kafka',
      description: 'The brokers of this estate, with the addresses that its applications use.',
      variables: { broker: { ...known, description: 'Host and port of a broker.' } },
    },
    gateway: { ...server, description: 'The gateway, which receives webhooks.' },
  };
}

/**
 * The events of the estate and the signed webhook of the carrier as AsyncAPI 3, derived from the catalog.
 * @param gateway host and port of the gateway
 */
export const estateAsyncApi = (version: string, events: EventServers, gateway?: string): Part =>
  inOneTurn(asyncApiInSteps(version, events, gateway));

/** As `estateAsyncApi`, with a step for each event. */
export function* asyncApiInSteps(version: string, events: EventServers, gateway = 'localhost:8080'): Steps<Part> {
  const schemas = new JsonSchemas('draft-7');
  const messages = { ...(yield* eventMessages(schemas)), [WEBHOOK]: webhookMessage(schemas) };
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
    servers: serversOf(events, gateway),
    channels: {
      ...(events === 'memory' ? topicChannels('gateway', '') : topicChannels('kafka', events.prefix ?? '')),
      [WEBHOOK]: WEBHOOK_CHANNEL,
    },
    operations,
    components: {
      messages,
      schemas: schemasWithTitles({ ...RECORD_SCHEMAS, ...schemas.all() }),
      securitySchemes: { signature: { type: 'httpApiKey', in: 'header', name: 'webhook-signature', description: SIGNATURE } },
    },
  };
}

const eventsOf = (domain: Domain): readonly EventDefinition[] => allEvents.filter((event) => objectOf(event).domain === domain);

/**
 * A channel per domain: its event topic.
 * @param server the name of the server with these channels
 * @param prefix begins the name of each topic
 */
const topicChannels = (server: string, prefix: string): Part =>
  Object.fromEntries(domains.map((domain) => [domain, topicChannel(domain, { server, prefix })]));

function topicChannel(domain: Domain, { server, prefix }: { readonly server: string; readonly prefix: string }): Part {
  const address = `${prefix}${topicOf(domain)}`;
  const owned = objects.filter((object) => object.domain === domain).map(({ type }) => type);
  return {
    address,
    title: address,
    description: owned.length > 0 ? `Changes of ${owned.join(', ')}.` : 'The domain has no events yet.',
    servers: [ref('servers', server)],
    messages: Object.fromEntries(eventsOf(domain).map(({ name }) => [name, ref('components', 'messages', name)])),
    bindings: { kafka: { topic: address, bindingVersion: KAFKA_BINDING } },
  };
}

/** Operations per topic: owners of objects send their events, applications receive the events that the catalog subscribes them to. */
const topicOperations = (): Part => Object.fromEntries(domains.flatMap((domain) => [...sending(domain), ...receiving(domain)]));

function sending(domain: Domain): [string, Part][] {
  const byOwner = Map.groupBy(eventsOf(domain), (event) => objectOf(event).owner);
  return [...byOwner].map(([owner, events]) => [
    `${owner}-sends-${domain}-events`,
    {
      action: 'send',
      title: `${applications[owner].title} sends`,
      summary: `Events of the objects that the ${applications[owner].title} owns.`,
      channel: ref('channels', domain),
      messages: messageRefs(domain, events),
    },
  ]);
}

function receiving(domain: Domain): [string, Part][] {
  const subscriptions = eventsOf(domain).flatMap((event) => (event.subscribers ?? []).map((subscription) => ({ event, subscription })));
  const bySubscriber = Map.groupBy(subscriptions, ({ subscription }) => subscription.application);
  return [...bySubscriber].map(([application, received]) => [
    `${application}-receives-${domain}-events`,
    {
      action: 'receive',
      title: `${applications[application].title} receives`,
      description: received
        .map(({ event, subscription }) => `- \`${event.name}\`: ${subscription.purpose}. Reacts once to each event.`)
        .join('\n'),
      channel: ref('channels', domain),
      messages: messageRefs(
        domain,
        received.map(({ event }) => event),
      ),
    },
  ]);
}

const messageRefs = (domain: Domain, events: readonly EventDefinition[]): Part[] =>
  events.map(({ name }) => ref('channels', domain, 'messages', name));

/** Name of the webhook's channel and message. */
const WEBHOOK = 'carrier-webhook';

const WEBHOOK_CHANNEL: Part = {
  address: carrierWebhook.path,
  title: carrierWebhook.name,
  description: 'Signed HTTP requests, delivered at least once. A 2xx ends one delivery, a 410 ends all deliveries.',
  servers: [ref('servers', 'gateway')],
  messages: { [WEBHOOK]: ref('components', 'messages', WEBHOOK) },
};

function webhookMessage(schemas: JsonSchemas): Part {
  return {
    name: 'shipment.tracking.updated',
    title: carrierWebhook.name,
    summary: 'A parcel was scanned. The id names parcel and scan and is the same for every attempt. Repeated and older scans move nothing.',
    contentType: 'application/json',
    headers: {
      title: 'CarrierWebhookHeaders',
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
    payload: withTitles(schemas.of(carrierWebhook.request, 'input'), 'CarrierWebhook'),
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

function webhookOperations(schemas: JsonSchemas): Part {
  const operation = (application: Application, action: 'send' | 'receive'): Part => ({
    action,
    title: `${applications[application].title} ${action}s`,
    channel: ref('channels', WEBHOOK),
    messages: [ref('channels', WEBHOOK, 'messages', WEBHOOK)],
    security: [ref('components', 'securitySchemes', 'signature')],
    bindings: {
      http: {
        method: carrierWebhook.method,
        query: withTitles(schemas.of(carrierWebhook.query, 'input'), 'CarrierWebhookQuery'),
        bindingVersion: HTTP_BINDING,
      },
    },
  });
  return { 'carrier-platform-sends-webhooks': operation('carrier-platform', 'send'), 'fms-receives-webhooks': operation('fms', 'receive') };
}
