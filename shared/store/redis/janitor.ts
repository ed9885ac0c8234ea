import { applicationNames } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { RedisConnection } from './connection.ts';
import { partsOf, type RedisKeys, WORLD_KEYS } from './formats.ts';
import type { RedisLifetimes } from './lifetimes.ts';
import { repeatedly } from './sweep.ts';

/** How many worlds are asked for at a time. */
const AT_ONCE = 10;
const PIECE = 100;
/** Wall time after which it is looked at what became of a world that was being opened, or was to be left. */
export const LOOK_AGAIN_MS = 600_000;

/**
 * Drops worlds that nobody sees any more, in pieces, and their memory is freed in the background: others hardly notice. Every process
 * may do it; one that dies at it leaves the rest to the next. It writes nothing new before it has made room, and does not look at worlds
 * that are current.
 */
export function createJanitor({
  connection,
  keys,
  lifetimes,
  lookMs,
  onError,
}: {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
  readonly lifetimes: RedisLifetimes;
  /** How often it looks, in wall time. */
  readonly lookMs: number;
  readonly onError: (error: Error) => void;
}) {
  let stopped = false;
  let adopted = false;

  async function sweep(): Promise<void> {
    if (!adopted) await adopt();
    adopted = true;
    for (let found = AT_ONCE; found === AT_ONCE && !stopped; ) {
      const reply = (await connection.run('droppable', keys.worlds, [AT_ONCE])) as readonly string[];
      found = reply.length / 2;
      for (let at = 0; at < reply.length && !stopped; at += 2) await drop(reply[at] as World, reply[at + 1] ?? '');
    }
  }

  /** What an older version has opened gets a lifetime, so that it is listed and counted like all others. */
  async function adopt(): Promise<void> {
    for (const world of await connection.idempotently((client) => client.zrange(keys.worlds, '0', '-1'))) {
      if (await isCurrent(world as World)) await lifetimes.adopt(world as World);
    }
  }

  async function isCurrent(world: World): Promise<boolean> {
    const { rehearsal, id } = partsOf(world);
    return (await connection.idempotently((client) => client.hget(keys.rehearsal(rehearsal), 'ulid'))) === id;
  }

  /** @param since from when on it might be dropped */
  async function drop(world: World, since: string): Promise<void> {
    const { rehearsal, id } = partsOf(world);
    const key = keys.world(world);
    if ((await connection.run('retire', keys.rehearsal(rehearsal), [id])) === 0) {
      await lifetimes.adopt(world);
      await connection.run('rest', keys.worlds, [world, since]);
      return;
    }
    let cursor = '0';
    do {
      const [next, names] = await connection.idempotently((client) => client.sscan(`${key}:keys`, cursor, 'COUNT', PIECE));
      for (let from = 0; from < names.length; from += PIECE) {
        const some = names.slice(from, from + PIECE).map((name) => `${key}:${name}`);
        await connection.idempotently((client) => client.unlink(...some));
      }
      cursor = next;
    } while (cursor !== '0');
    await connection.idempotently((client) => client.unlink(...WORLD_KEYS.map((name) => `${key}:${name}`)));
    for (const application of applicationNames) {
      await connection.idempotently((client) => client.zrem(keys.announced(application), world));
    }
    await connection.idempotently((client) => client.zrem(keys.worlds, world));
  }

  const rest = repeatedly(lookMs, sweep, { onError, atOnce: false });
  return {
    stop(): void {
      stopped = true;
      rest();
    },
  };
}
