import { type Application, applications, type Domain, domains, topicOf } from '../catalog/applications.ts';
import type { EventDefinition, ObjectDefinition, Subscription } from '../catalog/define-object.ts';
import { objectExamples } from '../catalog/event-examples.ts';
import { EVENT_CONTENT_TYPE, TYPE_PREFIX } from '../catalog/event-names.ts';
import { allEvents } from '../catalog/events.ts';
import { requestExamples } from '../catalog/examples.ts';
import { carrierWebhook } from '../catalog/fulfillment/apis.ts';
import { objects } from '../catalog/objects.ts';
import { JsonSchemas, type Part } from './json-schemas.ts';
import { SIGNATURE } from './openapi.ts';

const DESCRIPTION = `Every change of a business object is an event: of the name that the source document gives it, else
\`ext.<object>-changed\`. Events are CloudEvents 1.0 in structured mode, one topic per business domain, keyed by the object's id:
order is kept per object and nowhere else. Delivery is at least once: a consumer drops an \`id\` that it knows, and one that copies
state also drops an \`aggregateversion\` lower than the newest it has seen.

An estate in a single process keeps its events in memory: \`GET /_sim/events\` lists them in the order in which they were published.
Members may be added; read what you know.`;

const KAFKA_BINDING = '0.5.0';
const HTTP_BINDING = '0.3.0';
const WEBHOOK = 'carrier-webhook';

/** The events of the estate, and the signed webhook of the carrier, as AsyncAPI 3, derived from the catalog. */
export function estateAsyncApi(version: string): Part {
  const schemas = new JsonSchemas('draft-7');
  const messages = { ...eventMessages(schemas), [WEBHOOK]: webhookMessage(schemas) };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Unified commerce estate: events',
      version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: EVENT_CONTENT_TYPE,
    servers: {
      kafka: {
        host: '{broker}',
        protocol: 'kafka',
        description: 'The broker of an estate that runs on Kafka.',
        variables: { broker: { default: 'localhost:9092', description: 'Host and port of a broker.' } },
      },
      gateway: {
        host: '{gateway}',
        protocol: 'http',
        description: 'The gateway, through which webhooks come in.',
        variables: { gateway: { default: 'localhost:8080', description: 'Host and port of the gateway.' } },
      },
    },
    channels: { ...Object.fromEntries(domains.map((domain) => [domain, topic(domain)])), [WEBHOOK]: WEBHOOK_CHANNEL },
    operations: { ...eventOperations(), ...webhookOperations(schemas) },
    components: {
      messages,
      schemas: { CloudEvent: CLOUD_EVENT, ...schemas.all() },
      securitySchemes: {
        signature: { type: 'httpApiKey', in: 'header', name: 'webhook-signature', description: SIGNATURE },
      },
    },
  };
}

const ref = (...path: readonly string[]): Part => ({ $ref: `#/${path.join('/')}` });

const definitionOf = ({ object, name }: EventDefinition): ObjectDefinition => {
  const definition = objects.find(({ type }) => type === object);
  if (!definition) throw new Error(`${name} is about ${object}, which the catalog does not have.`);
  return definition;
};

const eventsOf = (domain: Domain): readonly EventDefinition[] => allEvents.filter((event) => definitionOf(event).domain === domain);

/** What every event has, whatever it is about. */
const CLOUD_EVENT: Part = {
  type: 'object',
  description: 'CloudEvents 1.0 in structured mode, with the extensions of the estate.',
  required: [
    ...['specversion', 'id', 'source', 'type', 'subject', 'time', 'datacontenttype', 'dataschema', 'partitionkey', 'aggregateversion'],
    ...['rehearsal', 'world', 'correlationid', 'causationid', 'classification', 'data'],
  ],
  properties: {
    specversion: { type: 'string', const: '1.0' },
    id: { type: 'string', pattern: '^evt_[0-9A-Z]{26}$', description: 'Of the event: the same however often it comes.' },
    source: { type: 'string', format: 'uri', description: 'The application that owns the object.' },
    type: { type: 'string', description: `The event's name behind ${TYPE_PREFIX}` },
    subject: { type: 'string', description: '<object>/<id>' },
    time: { type: 'string', format: 'date-time', description: 'On the rehearsal’s clock.' },
    datacontenttype: { type: 'string', const: 'application/json' },
    dataschema: { type: 'string', format: 'uri' },
    partitionkey: { type: 'string', description: 'The object’s id, and the key of the record.' },
    aggregateversion: {
      type: 'integer',
      minimum: 1,
      description: 'The object’s version after the change: 1, 2, 3 … without a gap. Two events of one change share it.',
    },
    rehearsal: { type: 'string', description: 'The isolated world to which it belongs, by name.' },
    world: { type: 'string', description: 'That world’s present incarnation: another one after a reset.' },
    correlationid: { type: 'string', description: 'Of the request with which it began.' },
    causationid: { type: 'string', description: 'The request or event that caused it.' },
    traceparent: { type: 'string', description: 'W3C Trace Context of what caused it, when somebody traces.' },
    classification: { type: 'string', enum: ['created', 'updated', 'transitioned'] },
    data: {
      type: 'object',
      required: ['object'],
      properties: {
        object: { type: 'object', description: 'The whole object after the change.' },
        previousState: { type: 'string', description: 'Its state before the change, if it has states and was there.' },
      },
    },
  },
};

/** The headers of a record; the record's value says the same. */
const RECORD_HEADERS: Part = {
  type: 'object',
  required: ['id', 'world', 'rehearsal', 'content-type'],
  properties: {
    id: { type: 'string', description: 'Id of the event.' },
    world: { type: 'string' },
    rehearsal: { type: 'string' },
    'content-type': { type: 'string', const: EVENT_CONTENT_TYPE },
    traceparent: { type: 'string', description: 'W3C Trace Context of its sending, when somebody traces.' },
  },
};

function eventMessages(schemas: JsonSchemas): Part {
  return Object.fromEntries(allEvents.map((event) => [event.name, eventMessage(event, schemas)]));
}

function eventMessage(event: EventDefinition, schemas: JsonSchemas): Part {
  const { name, meaning, object } = event;
  const { owner, schema, lifeCycle } = definitionOf(event);
  return {
    name: `${TYPE_PREFIX}${name}`,
    title: name,
    summary: `${meaning}.`,
    contentType: EVENT_CONTENT_TYPE,
    correlationId: { location: '$message.payload#/correlationid' },
    headers: RECORD_HEADERS,
    payload: {
      allOf: [ref('components', 'schemas', 'CloudEvent')],
      type: 'object',
      properties: {
        source: { type: 'string', const: `urn:uc:app:${owner}` },
        type: { type: 'string', const: `${TYPE_PREFIX}${name}` },
        subject: { type: 'string', pattern: `^${object}/` },
        dataschema: { type: 'string', const: `urn:uc:schema:${name}:1` },
        ...(!isAdditional(event) && { classification: { type: 'string', const: event.classification } }),
        data: {
          type: 'object',
          required: ['object'],
          properties: {
            object: schemas.of(schema, 'output'),
            ...(lifeCycle && { previousState: { type: 'string', enum: lifeCycle.states } }),
          },
        },
      },
    },
    bindings: {
      kafka: { key: { type: 'string', description: 'partitionkey: the object’s id.' }, bindingVersion: KAFKA_BINDING },
    },
    ...(exampleOf(event) && { examples: [exampleOf(event)] }),
  };
}

const isAdditional = ({ name }: EventDefinition): boolean => name.startsWith('ext.');

function exampleOf(event: EventDefinition): Part | undefined {
  const found = objectExamples.find(({ definition }) => definition.type === event.object);
  if (!found) return undefined;
  const { owner, lifeCycle } = definitionOf(event);
  const row = lifeCycle?.rows.find(({ events }) => events.includes(event.name));
  const born = row?.from.includes(null) ?? false;
  const before = born ? undefined : (row?.from[0] ?? found.object['state']);
  const at = '2026-03-01T10:00:00.000Z';
  const version = born ? 1 : 2;
  const state = row?.to[0] ?? before;
  const id = String(found.object['id']);
  const object = {
    ...{ ...found.object, ...found.changes[event.name] },
    ...(state !== undefined && { state }),
    ...{ version, createdAt: at, updatedAt: at },
  };
  const [world, correlationid] = ['default~01KAHTXB00W0RLD00000000000', 'req_01KAHTXB5W0G4J8Q2Z6R9M3N7P'];
  const eventId = 'evt_01KAHTXB5W0G4J8Q2Z6R9M3N7P';
  return {
    name: event.name,
    headers: { id: eventId, world, rehearsal: 'default', 'content-type': EVENT_CONTENT_TYPE },
    payload: {
      ...{ specversion: '1.0', id: eventId, source: `urn:uc:app:${owner}`, type: `${TYPE_PREFIX}${event.name}` },
      ...{ subject: `${event.object}/${id}`, time: at, datacontenttype: 'application/json' },
      ...{ dataschema: `urn:uc:schema:${event.name}:1`, partitionkey: id, aggregateversion: version },
      ...{ rehearsal: 'default', world, correlationid, causationid: correlationid, classification: event.classification },
      data: { object, ...(before !== undefined && { previousState: before }) },
    },
  };
}

function topic(domain: Domain): Part {
  const address = topicOf(domain);
  const owned = objects.filter((object) => object.domain === domain).map(({ type }) => type);
  return {
    address,
    title: address,
    description: owned.length > 0 ? `Changes of ${owned.join(', ')}.` : 'Its objects have no events so far.',
    servers: [ref('servers', 'kafka')],
    messages: Object.fromEntries(eventsOf(domain).map(({ name }) => [name, ref('components', 'messages', name)])),
    bindings: { kafka: { topic: address, bindingVersion: KAFKA_BINDING } },
  };
}

/** Who sends what where: the owner of an object its events, a subscriber what the catalog lists it for. */
function eventOperations(): Part {
  return Object.fromEntries(domains.flatMap((domain) => [...sending(domain), ...receiving(domain)]));
}

const messageRefs = (domain: Domain, events: readonly EventDefinition[]): Part[] =>
  events.map(({ name }) => ref('channels', domain, 'messages', name));

function sending(domain: Domain): [string, Part][] {
  const byOwner = Map.groupBy(eventsOf(domain), (event) => definitionOf(event).owner);
  return [...byOwner].map(([owner, events]) => [
    `${owner}-sends-${domain}-events`,
    {
      action: 'send',
      title: `${applications[owner].title} sends`,
      summary: `Of the objects that the ${applications[owner].title} owns.`,
      channel: ref('channels', domain),
      messages: messageRefs(domain, events),
    },
  ]);
}

function receiving(domain: Domain): [string, Part][] {
  const subscriptions = eventsOf(domain).flatMap((event) => (event.subscribers ?? []).map((subscription) => ({ event, subscription })));
  const bySubscriber = Map.groupBy(subscriptions, ({ subscription }) => subscription.application);
  return [...bySubscriber].map(([application, heard]) => [
    `${application}-receives-${domain}-events`,
    {
      action: 'receive',
      title: `${applications[application].title} receives`,
      description: heard
        .map(({ event, subscription }) => `- \`${event.name}\`: ${subscription.purpose}. ${MODES[subscription.mode]}`)
        .join('\n'),
      channel: ref('channels', domain),
      messages: messageRefs(
        domain,
        heard.map(({ event }) => event),
      ),
    },
  ]);
}

const MODES: Readonly<Record<Subscription['mode'], string>> = {
  each: 'It reacts once to each.',
  latest: 'It copies the newest and skips what is older.',
};

function webhookMessage(schemas: JsonSchemas): Part {
  const body = requestExamples[carrierWebhook.id];
  const [id, timestamp] = ['shp_01KAHTXB5W0G4J8Q2Z6R9M3N7P.3', '1772380800'];
  return {
    name: 'shipment.tracking.updated',
    title: carrierWebhook.name,
    summary: 'A parcel was scanned. The id names parcel and scan and is the same for every attempt; repeated and older scans move nothing.',
    contentType: 'application/json',
    headers: {
      type: 'object',
      required: ['webhook-id', 'webhook-timestamp', 'webhook-signature'],
      properties: {
        'webhook-id': { type: 'string', description: 'The same for every attempt of one delivery.' },
        'webhook-timestamp': {
          type: 'string',
          pattern: '^\\d{1,12}$',
          description: 'Seconds since the epoch, of the attempt, on the rehearsal’s clock.',
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
          'webhook-id': id,
          'webhook-timestamp': timestamp,
          'webhook-signature': 'v1,pUqUVSfsyLRWFAC9cHHrXcWkbgZIQLu8EXFiNYJ1pyE=',
        },
        payload: body,
      },
    ],
  };
}

const WEBHOOK_CHANNEL: Part = {
  address: carrierWebhook.path,
  title: carrierWebhook.name,
  description: 'Signed HTTP requests, at least once: only a 2xx ends a delivery, 410 ends all of them.',
  servers: [ref('servers', 'gateway')],
  messages: { [WEBHOOK]: ref('components', 'messages', WEBHOOK) },
};

function webhookOperations(schemas: JsonSchemas): Part {
  const between = (application: Application, action: 'send' | 'receive'): Part => ({
    action,
    title: `${applications[application].title} ${action}s`,
    channel: ref('channels', WEBHOOK),
    messages: [ref('channels', WEBHOOK, 'messages', WEBHOOK)],
    security: [ref('components', 'securitySchemes', 'signature')],
    bindings: { http: { method: carrierWebhook.method, query: schemas.of(carrierWebhook.query, 'input'), bindingVersion: HTTP_BINDING } },
  });
  return {
    'carrier-platform-sends-webhooks': between('carrier-platform', 'send'),
    'fms-receives-webhooks': between('fms', 'receive'),
  };
}
