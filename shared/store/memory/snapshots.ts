import type { KeptSnapshot, SnapshotStore } from '../ports/snapshots.ts';

export function createMemorySnapshots(): SnapshotStore {
  const kept = new Map<string, KeptSnapshot>();
  return {
    keepSnapshot: async (snapshot, most) => {
      if (!kept.has(snapshot.name) && kept.size >= most) return false;
      kept.set(snapshot.name, snapshot);
      return true;
    },
    snapshots: async () => new Map([...kept].toSorted().map(([name, { head }]) => [name, head])),
    snapshot: async (name) => kept.get(name)?.content,
    removeSnapshot: async (name) => kept.delete(name),
  };
}
