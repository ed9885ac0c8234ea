import type { Application } from '../../catalog/applications.ts';
import { carriesEvent } from '../ports/due-work.ts';
import type { ApplicationDump, Snapshot, SnapshotStore } from '../ports/snapshots.ts';
import { dump } from './application-data.ts';
import type { MemoryEstate } from './estate.ts';
import { dueItem, nowOf, type WorldState } from './state.ts';

export function createMemorySnapshots({ need }: MemoryEstate): SnapshotStore {
  return { snapshot: async (world) => snapshotOf(need(world)), seed: async (world) => need(world).seed };
}

function snapshotOf(state: WorldState): Snapshot {
  const applications: Partial<Record<Application, ApplicationDump>> = {};
  for (const [application, data] of state.applications) applications[application] = dump(data);
  const now = nowOf(state);
  const due = [...state.due.records()]
    .filter(({ item }) => !carriesEvent(item.kind))
    .map(({ item }) => ({ ...dueItem(item), at: item.withheldBy === undefined ? item.at : Math.min(item.at, now) }))
    .sort((a, b) => a.at - b.at || a.seq - b.seq)
    .map(({ seq: _seq, attempts: _attempts, withheldBy: _withheldBy, awaits: _awaits, hop: _hop, ...item }) => item);
  return { now, applications, due };
}
