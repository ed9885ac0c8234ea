import { isDeepStrictEqual } from 'node:util';
import type { EstateEvent } from '../../shared/events/envelope.ts';
import { findings, type InvariantResult } from './invariant.ts';
import type { Breathe } from './slices.ts';
import type { WorldRecords } from './world-records.ts';

export async function replay({ of, events, objects }: WorldRecords, breathe: Breathe): Promise<InvariantResult> {
  const { check, result } = findings('replay', 'The last event of each object equals the stored object');
  const last = new Map<string, EstateEvent>();
  for (const event of events) {
    const before = last.get(event.subject);
    if (!before || event.aggregateversion >= before.aggregateversion) last.set(event.subject, event);
  }
  for (const [type, { definition }] of Object.entries(objects)) {
    for (const object of of<{ id: string }>(type)) {
      await breathe();
      const event = last.get(`${type}/${object.id}`);
      if (!event) continue;
      const published: unknown = JSON.parse(JSON.stringify(definition.schema.parse(object)));
      check(
        isDeepStrictEqual(event.data.object, published),
        `${type}/${object.id}: its last event, version ${event.aggregateversion}, differs from the stored object`,
      );
    }
  }
  return result();
}
