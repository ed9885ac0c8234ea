import { randomUUID } from 'node:crypto';
import type { World } from '../../domain/world.ts';
import { allWorlds } from './all-worlds.ts';
import type { RedisPart } from './connection.ts';
import { repeatedly } from './sweep.ts';

/** How often it is looked for changes whose message was lost: Redis tells only who listens at that moment. */
const SWEEP_MS = 1_000;
/** Into so many worlds each look goes while messages arrive: it costs the same however many there are. */
const AT_ONCE = 5;

/**
 * Tells listeners of worlds that changed: by message at once, and by looking. A pulse of its own tells whether messages arrive; while
 * it does not come back, each look goes into all worlds.
 */
export function createChanges({ connection, keys, onError }: RedisPart) {
  const listeners = new Set<(world: World) => void>();
  /** The number of the last change that was told, per world. */
  const told = new Map<World, number>();
  const self = randomUUID();
  const pulse = { sent: 0, heard: -1 };
  let listening = false;
  let place = 0;
  let rest: (() => void) | undefined;

  function tell(world: World, change: number): void {
    told.set(world, change);
    for (const listener of listeners) listener(world);
  }

  function forgetAllBut(worlds: readonly World[]): void {
    const there = new Set(worlds);
    for (const world of told.keys()) if (!there.has(world)) told.delete(world);
  }

  async function lookInto(worlds: readonly World[]): Promise<void> {
    const counts = await Promise.all(worlds.map((world) => connection.idempotently((client) => client.hget(keys.world(world), 'changes'))));
    for (const [position, world] of worlds.entries()) {
      const count = Number(counts[position] ?? 0);
      if (count !== (told.get(world) ?? 0)) tell(world, count);
    }
  }

  async function lookIntoAll(): Promise<void> {
    const worlds = await allWorlds(connection, keys);
    forgetAllBut(worlds);
    await lookInto(worlds);
  }

  async function lookIntoSome(): Promise<void> {
    const some = await connection.idempotently((client) => client.zrange(keys.worlds, String(place), String(place + AT_ONCE - 1)));
    await lookInto(some as World[]);
    place = some.length < AT_ONCE ? 0 : place + AT_ONCE;
    if (place === 0) forgetAllBut(await allWorlds(connection, keys));
  }

  async function listen(): Promise<void> {
    const subscriber = await connection.subscriber();
    // What was said until the connection stands again, nobody here has heard.
    subscriber.on('close', () => {
      pulse.heard = -1;
    });
    subscriber.on('message', (channel: string, message: string) => {
      const at = message.lastIndexOf(' ');
      const [name, number] = [message.slice(0, at), Number(message.slice(at + 1))];
      if (channel === keys.changed) tell(keys.worldOf(name), number);
      else if (name === self) pulse.heard = number;
    });
    try {
      await subscriber.subscribe(keys.changed, keys.pulse);
    } catch (error) {
      subscriber.disconnect();
      throw error;
    }
  }

  async function look(): Promise<void> {
    if (!listening) await listen();
    listening = true;
    const messagesArrive = pulse.heard === pulse.sent;
    pulse.sent += 1;
    await connection.idempotently((client) => client.publish(keys.pulse, `${self} ${pulse.sent}`));
    await (messagesArrive ? lookIntoSome() : lookIntoAll());
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
