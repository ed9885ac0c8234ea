import { isDeepStrictEqual } from 'node:util';
import type { EstateEvent } from '../../../shared/events/envelope.ts';
import { findings, type InvariantResult } from './invariant.ts';
import type { WorldRecords } from './world-records.ts';

export function replay({ of, events, objects }: WorldRecords): InvariantResult {
  const { check, result } = findings('replay', 'Replaying an object’s events gives what is stored');
  const last = new Map<string, EstateEvent>();
  for (const event of events) {
    const before = last.get(event.subject);
    if (!before || event.aggregateversion >= before.aggregateversion) last.set(event.subject, event);
  }
  for (const [type, { definition }] of Object.entries(objects)) {
    for (const object of of<{ id: string }>(type)) {
      const event = last.get(`${type}/${object.id}`);
      if (!event) continue;
      const published: unknown = JSON.parse(JSON.stringify(definition.schema.parse(object)));
      check(
        isDeepStrictEqual(event.data.object, published),
        `${type}/${object.id}: its last event, version ${event.aggregateversion}, says something else than what is stored`,
      );
    }
  }
  return result();
}
