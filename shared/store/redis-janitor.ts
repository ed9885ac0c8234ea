import type { World } from './ports.ts';
import type { RedisConnection } from './redis-connection.ts';
import { partsOf, type RedisKeys, WORLD_KEYS } from './redis-formats.ts';
import { repeatedly } from './redis-sweep.ts';

/** How many worlds are dropped at most in one go. */
const AT_ONCE = 10;
const PIECE = 100;
/** Wall time after which a world is looked at again that is current, or is still being opened. */
export const LOOK_AGAIN_MS = 600_000;

/**
 * Drops worlds that nobody sees any more, in pieces, and their memory is freed in the background: others hardly notice. Every process
 * may do it; one that dies at it leaves the rest to the next.
 */
export function createJanitor({
  connection,
  keys,
  lookMs,
  onError,
}: {
  readonly connection: RedisConnection;
  readonly keys: RedisKeys;
  /** How often it looks, in wall time. */
  readonly lookMs: number;
  readonly onError: (error: Error) => void;
}) {
  let stopped = false;

  async function sweep(): Promise<void> {
    const due = await connection.idempotently((client) => client.zrangebyscore(keys.worlds, '-inf', Date.now(), 'LIMIT', 0, AT_ONCE));
    for (const world of due) {
      if (stopped) return;
      await drop(world as World);
    }
  }

  async function drop(world: World): Promise<void> {
    const { rehearsal, id } = partsOf(world);
    const key = keys.world(world);
    if ((await connection.run('retire', keys.rehearsal(rehearsal), [id])) === 0) {
      await connection.idempotently((client) => client.zadd(keys.worlds, Date.now() + LOOK_AGAIN_MS, world));
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
