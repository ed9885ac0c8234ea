import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { Heap } from '../../process/heap.ts';
import type { JournalLimits } from '../journal-limits.ts';
import type { WorldListener } from '../ports/due-work.ts';
import { OPERATION_KEPT_MS } from '../ports/plan.ts';
import { WorldGone } from '../ports/rehearsals.ts';
import { createMemoryJournal } from './journal.ts';
import type { Operations, RehearsalState, WorldState } from './state.ts';

/** The worlds and rehearsals in this process's memory, and the listeners to their changes. */
export function createMemoryEstate({
  heap,
  dropAfterMs,
  journalLimits,
}: {
  readonly heap: Heap;
  readonly dropAfterMs: number;
  readonly journalLimits: JournalLimits;
}) {
  const all = new Map<World, WorldState>();
  const listeners = new Set<WorldListener>();
  const settling = new Set<(world: World) => void>();
  return {
    newJournal: () => createMemoryJournal(journalLimits, heap.share),
    all,
    rehearsals: new Map<string, RehearsalState>(),
    janitor: createMemoryJanitor({ all, heap, dropAfterMs }),
    /** @throws WorldGone when the world was dropped */
    need(world: World): WorldState {
      const found = all.get(world);
      if (!found) throw new WorldGone(`The world ${world} is gone.`);
      return found;
    },
    changed(world: World, waitMs: Ms = 0): void {
      for (const listener of listeners) listener(world, waitMs);
    },
    watch(listener: WorldListener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async announceSettling(world: World): Promise<void> {
      for (const listener of settling) listener(world);
    },
    watchSettling(listener: (world: World) => void): () => void {
      settling.add(listener);
      return () => settling.delete(listener);
    },
  };
}

export type MemoryEstate = ReturnType<typeof createMemoryEstate>;

/** Longest pause between sweeps, in wall time. */
const LOOK_MS = 5_000;

/**
 * Replaced and removed worlds that are kept for the requests that still run in them. Beyond these limits, the oldest is dropped earlier.
 * A full heap keeps none.
 */
const MOST_DYING = 20;
const MOST_DYING_BYTES = 32 * 1_048_576;

const bytesOf = (world: WorldState | undefined): number => (world ? world.bytes + world.journal.contents().bytes : 0);

interface JanitorOptions {
  readonly all: Map<World, WorldState>;
  readonly heap: Heap;
  readonly dropAfterMs: number;
}

/** Drops replaced and removed worlds, and forgets old results of operations. It never reads living worlds. */
function createMemoryJanitor({ all, heap, dropAfterMs }: JanitorOptions) {
  /** Wall time of each world's removal, earliest first. */
  const dying = new Map<World, Ms>();
  /** Wall time of the last operation, earliest first. */
  const remembering = new Map<Operations, Ms>();
  let timer: NodeJS.Timeout | undefined;

  function drop(world: World): void {
    dying.delete(world);
    for (const { operations } of all.get(world)?.applications.values() ?? []) remembering.delete(operations);
    all.delete(world);
    heap.released();
  }

  const isTooMuch = (): boolean => {
    const bytes = [...dying.keys()].reduce((sum, world) => sum + bytesOf(all.get(world)), 0);
    return dying.size > MOST_DYING || (dying.size > 1 && bytes > MOST_DYING_BYTES) || heap.full() !== undefined;
  };

  const ignoreHeap = heap.whenFull(() => {
    for (const world of dying.keys()) drop(world);
  });

  function sweep(): void {
    timer = undefined;
    const now = Date.now();
    for (const [world, at] of dying) {
      if (now < at) break;
      drop(world);
    }
    for (const [operations, at] of remembering) {
      if (now < at + OPERATION_KEPT_MS) break;
      remembering.delete(operations);
      operations.clear();
    }
    lookAgain();
  }

  function lookAgain(): void {
    if (dying.size === 0 && remembering.size === 0) return;
    timer ??= setTimeout(sweep, Math.min(LOOK_MS, dropAfterMs)).unref();
  }

  return {
    dropLater(world: World): void {
      dying.set(world, Date.now() + dropAfterMs);
      for (const oldest of dying.keys()) {
        if (!isTooMuch()) break;
        drop(oldest);
      }
      lookAgain();
    },
    remembered(operations: Operations): void {
      remembering.delete(operations);
      remembering.set(operations, Date.now());
      lookAgain();
    },
    stop(): void {
      clearTimeout(timer);
      ignoreHeap();
    },
  };
}
