import type { World } from '../../shared/domain/world.ts';
import type { WorldChanges } from '../../shared/store/ports/clock.ts';

/** Lets those who wait for something in a world look again when the world changed, whichever process changed it. */
export function createChanges(worlds: WorldChanges, changed: (world: World) => void) {
  const waiting = new Map<World, Set<() => void>>();
  const unwatch = worlds.watch((world) => {
    for (const wake of waiting.get(world) ?? []) wake();
    changed(world);
  });

  return {
    /** The next change from now on; it counts as one if nobody tells of any for a while. To be forgotten when nobody waits any more. */
    next(world: World, untoldMs: number): { readonly happened: Promise<void>; readonly forget: () => void } {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wakes = waiting.get(world) ?? new Set();
      waiting.set(world, wakes);
      const forget = (): void => {
        clearTimeout(timer);
        wakes.delete(forget);
        if (wakes.size === 0 && waiting.get(world) === wakes) waiting.delete(world);
        resolve();
      };
      const timer = setTimeout(forget, untoldMs);
      wakes.add(forget);
      return { happened: promise, forget };
    },
    stop: unwatch,
  };
}

export type Changes = ReturnType<typeof createChanges>;
