import { EVENT_CONTENT_TYPE, TYPE_PREFIX } from '../../catalog/event-names.ts';
import type { Part } from '../json-schemas.ts';

/** The members that every event has. */
export const CLOUD_EVENT: Part = {
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
export const RECORD_HEADERS: Part = {
  type: 'object',
  required: ['id', 'world', 'rehearsal', 'content-type'],
  properties: {
    id: { type: 'string', description: 'Id of the event.' },
    world: { type: 'string' },
    rehearsal: { type: 'string' },
    'content-type': { type: 'string', const: EVENT_CONTENT_TYPE },
    ce_type: { type: 'string', description: 'Type of the event. Records of an older release do not have it.' },
    traceparent: { type: 'string', description: 'W3C Trace Context of the send operation, while tracing is on.' },
  },
};
