import { randomUUID } from 'node:crypto';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { WorldListener } from '../ports/due-work.ts';
import type { RedisBackground, RedisConnection } from './connection.ts';
import type { RedisKeys } from './keys.ts';
import { repeatedly } from './sweep.ts';

/** Pause between searches for changes without a message: Redis delivers messages only to processes that listen at that moment. */
const SWEEP_MS = 1_000;
/** Maximum number of worlds per search while messages arrive, so that the cost does not depend on the number of worlds. */
const WORLDS_PER_SEARCH = 5;
/** Replaces the wait in the message of a change that lets no due work begin. */
const QUIET = 'quiet';

/**
 * Notifies listeners of changed worlds: by messages, and by a periodic search for lost messages. The process publishes a pulse to
 * itself to check that messages arrive. While the pulse does not return, each search reads all worlds.
 */
export function createChanges({ connection, keys, onError }: RedisBackground) {
  const listeners = new Set<WorldListener>();
  /** Number of the last notified change, per world. */
  const notified = new Map<World, number>();
  const self = randomUUID();
  const pulse = { sent: 0, heard: -1 };
  let listening = false;
  let place = 0;
  let stopPolling: (() => void) | undefined;

  /** A gap in the numbers means a lost message. Its due work may already be due, so the wait is 0. */
  function notify(world: World, change: number, waitMs: Ms = 0): void {
    const isNext = notified.get(world) === change - 1;
    notified.set(world, change);
    for (const listener of listeners) listener(world, isNext ? waitMs : 0);
  }

  function forgetAllBut(worlds: readonly World[]): void {
    const there = new Set(worlds);
    for (const world of notified.keys()) if (!there.has(world)) notified.delete(world);
  }

  async function search(worlds: readonly World[]): Promise<void> {
    const counts = await Promise.all(worlds.map((world) => connection.idempotently((client) => client.hget(keys.world(world), 'changes'))));
    for (const [position, world] of worlds.entries()) {
      const count = Number(counts[position] ?? 0);
      if (count !== (notified.get(world) ?? 0)) notify(world, count);
    }
  }

  async function searchAll(): Promise<void> {
    const worlds = await allWorlds(connection, keys);
    forgetAllBut(worlds);
    await search(worlds);
  }

  async function searchSome(): Promise<void> {
    const some = await connection.idempotently((client) =>
      client.zrange(keys.worlds, String(place), String(place + WORLDS_PER_SEARCH - 1)),
    );
    await search(some as World[]);
    place = some.length < WORLDS_PER_SEARCH ? 0 : place + WORLDS_PER_SEARCH;
    if (place === 0) forgetAllBut(await allWorlds(connection, keys));
  }

  async function listen(): Promise<void> {
    const subscriber = await connection.subscriber();
    // Messages sent while the connection is down are lost.
    subscriber.on('close', () => {
      pulse.heard = -1;
    });
    subscriber.on('message', (channel: string, message: string) => {
      const [name = '', number, wait = '0'] = message.split(' ');
      if (channel === keys.changed) notify(keys.worldOf(name), Number(number), wait === QUIET ? Number.POSITIVE_INFINITY : Number(wait));
      else if (name === self) pulse.heard = Number(number);
    });
    try {
      await subscriber.subscribe(keys.changed, keys.pulse);
    } catch (error) {
      subscriber.disconnect();
      throw error;
    }
  }

  async function poll(): Promise<void> {
    if (!listening) await listen();
    listening = true;
    const messagesArrive = pulse.heard === pulse.sent;
    pulse.sent += 1;
    await connection.idempotently((client) => client.publish(keys.pulse, `${self} ${pulse.sent}`));
    await (messagesArrive ? searchSome() : searchAll());
  }

  return {
    watch(listener: WorldListener): () => void {
      listeners.add(listener);
      stopPolling ??= repeatedly(SWEEP_MS, poll, { onError, atOnce: true });
      return () => listeners.delete(listener);
    },
    stop(): void {
      stopPolling?.();
      listeners.clear();
    },
  };
}

export type RedisChanges = ReturnType<typeof createChanges>;

async function allWorlds(connection: RedisConnection, keys: RedisKeys): Promise<readonly World[]> {
  return (await connection.idempotently((client) => client.zrange(keys.worlds, '0', '-1'))) as World[];
}
