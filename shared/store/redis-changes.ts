import type { World } from './ports.ts';
import type { RedisPart } from './redis-connection.ts';
import { repeatedly } from './redis-sweep.ts';
import { allWorlds } from './redis-worlds.ts';

/** How often it is looked for changes whose message was lost: Redis tells only who listens at that moment. */
const SWEEP_MS = 1_000;

/** Tells listeners of worlds that changed: by message at once, and by looking now and then. */
export function createChanges({ connection, keys, onError }: RedisPart) {
  const listeners = new Set<(world: World) => void>();
  /** The number of the last change that was told, per world. */
  const told = new Map<World, number>();
  let listening = false;
  let rest: (() => void) | undefined;

  function tell(world: World, change: number): void {
    told.set(world, change);
    for (const listener of listeners) listener(world);
  }

  async function sweep(): Promise<void> {
    const worlds = await allWorlds(connection, keys);
    const counts = await Promise.all(worlds.map((world) => connection.idempotently((client) => client.hget(keys.world(world), 'changes'))));
    const there = new Set(worlds);
    for (const world of told.keys()) if (!there.has(world)) told.delete(world);
    for (const [position, world] of worlds.entries()) {
      const count = Number(counts[position] ?? 0);
      if (count !== (told.get(world) ?? 0)) tell(world, count);
    }
  }

  async function listen(): Promise<void> {
    const subscriber = await connection.subscriber();
    subscriber.on('message', (_channel: string, message: string) => {
      const at = message.lastIndexOf(' ');
      tell(keys.worldOf(message.slice(0, at)), Number(message.slice(at + 1)));
    });
    await subscriber.subscribe(keys.changed);
  }

  async function look(): Promise<void> {
    if (!listening) await listen();
    listening = true;
    await sweep();
  }

  return {
    watch(listener: (world: World) => void): () => void {
      listeners.add(listener);
      rest ??= repeatedly(SWEEP_MS, look, { onError, atOnce: true });
      return () => listeners.delete(listener);
    },
    stop(): void {
      rest?.();
      listeners.clear();
    },
  };
}

export type RedisChanges = ReturnType<typeof createChanges>;
