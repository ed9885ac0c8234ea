import type { EventDefinition, ObjectDefinition } from '../../catalog/define-object.ts';
import { EVENT_CONTENT_TYPE, sourceOf, TYPE_PREFIX } from '../../catalog/event-names.ts';
import { allEvents } from '../../catalog/events.ts';
import { objectExamples } from '../../catalog/examples.ts';
import { objects } from '../../catalog/objects.ts';
import type { Steps } from '../../domain/breathe.ts';
import type { JsonSchemas, Part } from '../json-schemas.ts';
import { inPascalCase, withTitles } from '../titles.ts';

/** Versions of the AsyncAPI bindings that the document uses. */
export const KAFKA_BINDING = '0.5.0';
export const HTTP_BINDING = '0.3.0';

/** A reference within the document: `ref('channels', 'order')`. */
export const ref = (...path: readonly string[]): Part => ({ $ref: `#/${path.join('/')}` });

/** The members that every event has. */
const CLOUD_EVENT: Part = {
  type: 'object',
  description: 'CloudEvents 1.0 in structured mode, with the extensions of the estate.',
  required: [
    'specversion',
    'id',
    'source',
    'type',
    'subject',
    'time',
    'datacontenttype',
    'dataschema',
    'partitionkey',
    'aggregateversion',
    'rehearsal',
    'world',
    'correlationid',
    'causationid',
    'classification',
    'data',
  ],
  properties: {
    specversion: { type: 'string', const: '1.0' },
    id: { type: 'string', pattern: '^evt_[0-9A-Z]{26}$', description: 'Id of the event. Repeated deliveries have the same one.' },
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
    rehearsal: { type: 'string', description: 'Name of the rehearsal.' },
    world: { type: 'string', description: 'The current world of the rehearsal. A reset opens a new one.' },
    correlationid: { type: 'string', description: 'Correlation id of the request that started the chain of calls and events.' },
    causationid: { type: 'string', description: 'Id of the request or event that caused this one.' },
    traceparent: { type: 'string', description: 'W3C Trace Context of the cause, while tracing is on.' },
    classification: { type: 'string', enum: ['created', 'updated', 'transitioned'] },
    data: {
      type: 'object',
      required: ['object'],
      properties: {
        object: { type: 'object', description: 'The whole object after the change.' },
        previousState: { type: 'string', description: 'The state before the change, if the object has states and existed before.' },
      },
    },
  },
};

/** Headers of a record. Its value has the same data. */
const RECORD_HEADERS: Part = {
  type: 'object',
  required: ['id', 'world', 'rehearsal', 'content-type'],
  properties: {
    id: { type: 'string', description: 'Id of the event.' },
    world: { type: 'string' },
    rehearsal: { type: 'string' },
    'content-type': { type: 'string', const: EVENT_CONTENT_TYPE },
    ce_type: { type: 'string', description: 'Type of the event.' },
    fault: { type: 'string', description: 'Name of the fault that changed the event for clients, if one did.' },
    hop: {
      type: 'string',
      description: 'Id of the request or event whose handler made the event. `GET /_control/journal/{requestId}` reads it.',
    },
    traceparent: { type: 'string', description: 'W3C Trace Context of the send operation, while tracing is on.' },
  },
};

/** The schema that the payload of every event extends, by the name of its component. */
export const EVENT_SCHEMAS: Part = { CloudEvent: CLOUD_EVENT };

/** The schemas that every event on Kafka has, by the name of their component. */
export const RECORD_SCHEMAS: Part = { ...EVENT_SCHEMAS, RecordHeaders: RECORD_HEADERS };

/** One message per event, by the event's name. */
export function* eventMessages(schemas: JsonSchemas): Steps<Part> {
  const messages: Record<string, Part> = {};
  for (const event of allEvents) {
    messages[event.name] = eventMessage(event, schemas);
    yield;
  }
  return messages;
}

/** The object that an event carries. @throws Error when the catalog does not have it */
export function objectOf({ object, name }: EventDefinition): ObjectDefinition {
  const definition = objects.find(({ type }) => type === object);
  if (!definition) throw new Error(`The event ${name} carries a ${object}, which is not in the catalog.`);
  return definition;
}

function eventMessage(event: EventDefinition, schemas: JsonSchemas): Part {
  const { name, meaning, detail } = event;
  const example = exampleOf(event, objectOf(event));
  return {
    name: `${TYPE_PREFIX}${name}`,
    title: name,
    summary: `${meaning}.`,
    ...(detail !== undefined && { description: detail }),
    contentType: EVENT_CONTENT_TYPE,
    correlationId: { location: '$message.payload#/correlationid' },
    headers: ref('components', 'schemas', 'RecordHeaders'),
    payload: eventPayload(event, (schema, io) => schemas.of(schema, io)),
    bindings: { kafka: { key: { type: 'string', description: 'partitionkey: the object’s id.' }, bindingVersion: KAFKA_BINDING } },
    examples: example && [example],
  };
}

/** The schema of an event. It extends `CloudEvent` of `EVENT_SCHEMAS`. @param schemaOf collects the named schemas of the document */
export function eventPayload(event: EventDefinition, schemaOf: JsonSchemas['of']): Part {
  const { name, object } = event;
  const { owner, schema, lifeCycle } = objectOf(event);
  const payload = {
    allOf: [ref('components', 'schemas', 'CloudEvent')],
    type: 'object',
    properties: {
      source: { type: 'string', const: sourceOf(owner) },
      type: { type: 'string', const: `${TYPE_PREFIX}${name}` },
      subject: { type: 'string', pattern: `^${object}[/]` },
      dataschema: { type: 'string', const: `urn:uc:schema:${name}:1` },
      ...(!isAdditional(event) && { classification: { type: 'string', const: event.classification } }),
      data: {
        type: 'object',
        required: ['object'],
        properties: {
          object: schemaOf(schema, 'output'),
          ...(lifeCycle && { previousState: { title: `${inPascalCase(object)}PreviousState`, type: 'string', enum: lifeCycle.states } }),
        },
      },
    },
  };
  return withTitles(payload, `${inPascalCase(name)}Event`);
}

const isAdditional = ({ name }: EventDefinition): boolean => name.startsWith('ext.');

const WORLD = 'default~01KAHTXB00W0RLD00000000000';
const REHEARSAL = 'default';
const REQUEST_ID = 'req_01KAHTXB5W0G4J8Q2Z6R9M3N7P';
const EVENT_ID = 'evt_01KAHTXB5W0G4J8Q2Z6R9M3N7P';
const AT = '2026-03-01T10:00:00.000Z';

/** An example of an event, built from the example of its object and a row of the life cycle that emits it. */
function exampleOf(event: EventDefinition, { owner, lifeCycle }: ObjectDefinition): Part | undefined {
  const found = objectExamples.find(({ definition }) => definition.type === event.object);
  if (!found) return undefined;
  const row = lifeCycle?.rows.find(({ events }) => events.includes(event.name));
  const isNew = row?.from.includes(null) ?? false;
  const previousState = isNew ? undefined : (row?.from[0] ?? found.object['state']);
  const state = row?.to[0] ?? previousState;
  const id = String(found.object['id']);
  const version = isNew ? 1 : 2;
  const object = { ...found.object, ...found.changes[event.name], state, version, createdAt: AT, updatedAt: AT };
  return {
    name: event.name,
    headers: {
      id: EVENT_ID,
      world: WORLD,
      rehearsal: REHEARSAL,
      'content-type': EVENT_CONTENT_TYPE,
      ce_type: `${TYPE_PREFIX}${event.name}`,
    },
    payload: {
      specversion: '1.0',
      id: EVENT_ID,
      source: sourceOf(owner),
      type: `${TYPE_PREFIX}${event.name}`,
      subject: `${event.object}/${id}`,
      time: AT,
      datacontenttype: 'application/json',
      dataschema: `urn:uc:schema:${event.name}:1`,
      partitionkey: id,
      aggregateversion: version,
      rehearsal: REHEARSAL,
      world: WORLD,
      correlationid: REQUEST_ID,
      causationid: REQUEST_ID,
      classification: event.classification,
      data: { object, previousState },
    },
  };
}
