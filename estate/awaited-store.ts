import { Problem } from '../shared/catalog/problems.ts';
import type { World } from '../shared/domain/world.ts';
import type { Logger } from '../shared/process/logger.ts';
import type { Simulation, StoreAdapter, Worlds } from '../shared/store/ports/estate-store.ts';

const PAUSE_MS = 1_000;

export interface AwaitedStoreOptions {
  /** Connects; what it throws says why it cannot be. */
  readonly connect: () => Promise<StoreAdapter>;
  readonly log: Logger;
}

/**
 * A store to which a connection is being made, for as long as it takes. A process with such a store listens at once: whoever asks for
 * something in the meantime is told that the store is not there yet, and why.
 */
export function awaitStore({ connect, log }: AwaitedStoreOptions): StoreAdapter {
  let store: StoreAdapter | undefined;
  let why = 'not connected yet';
  let closing = false;
  const watching = new Map<(world: World) => void, () => void>();

  const there = (): StoreAdapter => {
    if (store) return store;
    throw new Problem('dependency_unavailable', `The store cannot be used: ${why}`, { dependency: 'store', retryAfter: 1 });
  };

  async function connecting(): Promise<void> {
    while (!closing) {
      try {
        const connected = await connect();
        if (closing) return await connected.close();
        store = connected;
        for (const listener of watching.keys()) watching.set(listener, connected.worlds.watch(listener));
        return;
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (reason !== why) log.warn({ waitingFor: 'redis' }, reason);
        why = reason;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
  }
  const connected = connecting();

  const simulation = later<Simulation>(() => there().simulation, { journal: (world, entry) => store?.simulation.journal(world, entry) });
  const worlds = later<Worlds>(() => there().worlds, {
    watch: (listener) => {
      watching.set(listener, store?.worlds.watch(listener) ?? (() => undefined));
      return () => {
        watching.get(listener)?.();
        watching.delete(listener);
      };
    },
  });
  return {
    store: (application) => later(() => there().store(application), { application }),
    simulation,
    worlds,
    state: () => store?.state() ?? { ready: false, waitingFor: `redis: ${why}` },
    close: async () => {
      closing = true;
      await store?.close();
      if (!store) await connected;
    },
  };
}

/** An object with the methods of another that is not there yet: called before, they reject. What answers at once is `own`. */
function later<T extends object>(real: () => T, own: Partial<T>): T {
  const methods = new Map<string | symbol, unknown>(Object.entries(own));
  return new Proxy({} as T, {
    get: (_target, name) => {
      // A promise that resolves to this object must not take it for another promise.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      if (!methods.has(name)) {
        methods.set(name, async (...args: unknown[]) => (Reflect.get(real(), name) as (...args: unknown[]) => unknown)(...args));
      }
      return methods.get(name);
    },
  });
}
