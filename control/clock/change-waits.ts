import type { Ms } from '../../shared/domain/time.ts';
import type { World } from '../../shared/domain/world.ts';
import type { WorldChanges } from '../../shared/store/ports/due-work.ts';

/** Disposed when the wait for the change ends. */
export interface NextChange extends Disposable {
  readonly happened: Promise<void>;
}

/** Waits of a world that a change wakes together. Each of them reads the world. */
const WOKEN_TOGETHER = 20;
/** Wall time before the next ones are woken, so that requests to the world are answered in between. */
const APART_MS: Ms = 10;

/** Wakes operations that wait for a change of a world, in any process. @param onWork due work may begin after this wall time */
export function createChangeWaits(worlds: WorldChanges, onWork: (world: World, waitMs: Ms) => void) {
  const waiting = new Map<World, Set<() => void>>();
  /** The waits that a change wakes later, first come first served. */
  const later = new Map<World, Set<() => void>>();

  function wakeSome(world: World): void {
    const left = [...(later.get(world) ?? [])];
    for (const wake of left.slice(0, WOKEN_TOGETHER)) wake();
    if (left.length > WOKEN_TOGETHER) setTimeout(wakeSome, APART_MS, world);
    else later.delete(world);
  }

  const unwatch = worlds.watch((world, waitMs) => {
    const isWaking = later.has(world);
    const wakes = waiting.get(world) ?? [];
    later.set(world, new Set([...(later.get(world) ?? []), ...wakes]));
    if (!isWaking) wakeSome(world);
    if (Number.isFinite(waitMs)) onWork(world, waitMs);
  });

  /** The next change from now on. @param pollMs wall time after which the wait ends even without a notification */
  function next(world: World, pollMs: Ms): NextChange {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wakes = waiting.get(world) ?? new Set();
    waiting.set(world, wakes);
    const wake = (): void => {
      clearTimeout(timer);
      wakes.delete(wake);
      later.get(world)?.delete(wake);
      if (wakes.size === 0 && waiting.get(world) === wakes) waiting.delete(world);
      resolve();
    };
    const timer = setTimeout(wake, pollMs);
    wakes.add(wake);
    return { happened: promise, [Symbol.dispose]: wake };
  }

  return { next, stop: unwatch };
}

export type ChangeWaits = ReturnType<typeof createChangeWaits>;
