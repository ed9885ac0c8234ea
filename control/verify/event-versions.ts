import { findings, type InvariantResult } from './invariant.ts';
import type { Breathe } from './slices.ts';
import type { WorldRecords } from './world-records.ts';

export async function eventVersions({ of, events, seed, objects }: WorldRecords, breathe: Breathe): Promise<InvariantResult> {
  const { check, result } = findings('event-versions', 'The event versions of each object run from 1 to its stored version without a gap');
  const versions = new Map<string, Set<number>>();
  for (const { subject, aggregateversion } of events) versions.set(subject, (versions.get(subject) ?? new Set()).add(aggregateversion));
  for (const [type, at] of Object.entries(objects)) {
    const seeded = new Map((seed.applications[at.application]?.objects[at.collection] ?? []).map(({ id, version }) => [id, version]));
    for (const object of of<{ id: string; version: number }>(type)) {
      await breathe();
      const subject = `${type}/${object.id}`;
      const first = (seeded.get(object.id) ?? 0) + 1;
      const seen = versions.get(subject) ?? new Set<number>();
      const missing = Array.from({ length: Math.max(0, object.version - first + 1) }, (_, index) => first + index).filter(
        (version) => !seen.has(version),
      );
      check(missing.length === 0, `${subject}: no event for version ${missing.join(', ')}`);
      check(
        [...seen].every((version) => version >= first && version <= object.version),
        `${subject}: events beyond version ${object.version}`,
      );
      versions.delete(subject);
    }
  }
  for (const subject of versions.keys()) check(false, `${subject}: events of an object that does not exist`);
  return result();
}
