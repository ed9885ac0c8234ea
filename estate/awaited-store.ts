import { Problem } from '../shared/catalog/problems.ts';
import type { Logger } from '../shared/process/logger.ts';
import type { WorldListener } from '../shared/store/ports/clock.ts';
import type { ControlStore, StoreAdapter, Worlds } from '../shared/store/ports/estate-store.ts';

const RETRY_MS = 1_000;
const NOT_YET = 'It is not connected yet.';

export interface AwaitedStoreOptions {
  /** @throws Error whose message is the reason */
  readonly connect: () => Promise<StoreAdapter>;
  readonly log: Logger;
}

/** A store that connects in the background and retries. Until it succeeds, requests are refused with the reason. */
export function awaitStore({ connect, log }: AwaitedStoreOptions): StoreAdapter {
  let store: StoreAdapter | undefined;
  let reason = NOT_YET;
  let closing = false;
  const watchers = new Map<WorldListener, () => void>();

  const requireStore = (): StoreAdapter => {
    if (store) return store;
    const remedy = reason === NOT_YET ? '' : ' Start it, or correct or remove REDIS_URL.';
    throw new Problem('dependency_unavailable', `The store cannot be used. ${reason}${remedy}`, { dependency: 'store', retryAfter: 1 });
  };

  async function connectUntilSuccess(): Promise<void> {
    while (!closing) {
      try {
        const connected = await connect();
        if (closing) return await connected.close();
        store = connected;
        for (const listener of watchers.keys()) watchers.set(listener, connected.worlds.watch(listener));
        return;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        if (message !== reason)
          log.warn({ waitingFor: 'redis' }, `${message} The estate waits for it: start it, or correct or remove REDIS_URL.`);
        reason = message;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
  }
  const connecting = connectUntilSuccess();

  const control = createProxy<ControlStore>(() => requireStore().control, {
    journal: (world, entry) => store?.control.journal(world, entry),
    expectHops: (world) => store?.control.expectHops(world),
  });
  const worlds = createProxy<Worlds>(() => requireStore().worlds, {
    watch: (listener) => {
      watchers.set(listener, store?.worlds.watch(listener) ?? (() => undefined));
      return () => {
        watchers.get(listener)?.();
        watchers.delete(listener);
      };
    },
  });
  return {
    store: (application) => createProxy(() => requireStore().store(application), { application }),
    control,
    worlds,
    state: () => store?.state() ?? { ready: false, waitingFor: `redis: ${reason}` },
    close: async () => {
      closing = true;
      await store?.close();
      if (!store) await connecting;
    },
  };
}

/** Stands in for an object that does not exist yet: forwards to `real`, rejects while `real` throws, answers `own` members itself. */
function createProxy<T extends object>(real: () => T, own: Partial<T>): T {
  const methods = new Map<string | symbol, unknown>(Object.entries(own));
  return new Proxy({} as T, {
    get: (_target, name) => {
      // Without this, `await` would take the object for a promise.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      if (!methods.has(name)) {
        methods.set(name, async (...args: unknown[]) => (Reflect.get(real(), name) as (...args: unknown[]) => unknown)(...args));
      }
      return methods.get(name);
    },
  });
}
