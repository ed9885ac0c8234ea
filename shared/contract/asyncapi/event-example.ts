import type { EventDefinition, ObjectDefinition } from '../../catalog/define-object.ts';
import { objectExamples } from '../../catalog/event-examples.ts';
import { EVENT_CONTENT_TYPE, TYPE_PREFIX } from '../../catalog/event-names.ts';
import type { Part } from '../json-schemas.ts';

const WORLD = 'default~01KAHTXB00W0RLD00000000000';
const REHEARSAL = 'default';
const REQUEST_ID = 'req_01KAHTXB5W0G4J8Q2Z6R9M3N7P';
const EVENT_ID = 'evt_01KAHTXB5W0G4J8Q2Z6R9M3N7P';
const AT = '2026-03-01T10:00:00.000Z';

/** An example of an event, built from the example of its object and a row of the life cycle that emits it. */
export function exampleOf(event: EventDefinition, { owner, lifeCycle }: ObjectDefinition): Part | undefined {
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
      source: `urn:uc:app:${owner}`,
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
