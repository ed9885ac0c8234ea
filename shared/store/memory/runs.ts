import type { Ms } from '../../domain/time.ts';
import type { RunRecord, RunStore } from '../ports/runs.ts';

interface Entry {
  readonly run: RunRecord;
  /** Wall time; undefined: the run has ended. */
  readonly heldUntil: Ms | undefined;
}

export function createMemoryRuns(): RunStore {
  const entries = new Map<string, Entry>();

  function put(run: RunRecord, leaseMs: Ms | undefined): void {
    entries.set(run.id, { run, heldUntil: leaseMs === undefined ? undefined : Date.now() + leaseMs });
  }

  const isHeld = ({ heldUntil = 0 }: Entry): boolean => Date.now() < heldUntil;

  return {
    addRun: async (run, leaseMs) => {
      if (!entries.has(run.id)) put(run, leaseMs);
    },
    updateRun: async (run, leaseMs) => {
      const found = entries.get(run.id);
      if (found?.heldUntil === undefined || run.version !== found.run.version + 1) return false;
      put(run, leaseMs);
      return true;
    },
    renewRun: async (id, leaseMs) => {
      const found = entries.get(id);
      if (found?.heldUntil === undefined) return false;
      entries.set(id, { ...found, heldUntil: Date.now() + leaseMs });
      return true;
    },
    runs: async () =>
      [...entries.values()].map((entry) => {
        const { body: _body, ...run } = entry.run;
        return { ...run, held: isHeld(entry) };
      }),
    run: async (id) => {
      const found = entries.get(id);
      return found && { ...found.run, held: isHeld(found) };
    },
    removeRun: async (id) => entries.delete(id),
  };
}
