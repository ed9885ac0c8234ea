import { applicationNames } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { RedisBackground } from './connection.ts';
import { partsOf, WORLD_KEYS } from './keys.ts';
import type { RedisLifetimes } from './lifetimes.ts';
import { repeatedly } from './sweep.ts';

const WORLDS_PER_READ = 10;
/** The janitor checks a world this wall time after it began to be opened or replaced. */
export const LOOK_AGAIN_MS = 600_000;

interface JanitorOptions extends RedisBackground {
  readonly lifetimes: RedisLifetimes;
  /** Pause between sweeps, in wall time. */
  readonly sweepMs: number;
}

/**
 * Drops replaced and removed worlds, one after the other, so that other commands are hardly delayed. Every process runs a janitor; if one
 * dies, another continues. It frees memory before it writes anything, and never reads current worlds.
 */
export function createJanitor({ connection, keys, lifetimes, sweepMs, onError }: JanitorOptions) {
  let stopped = false;

  async function sweep(): Promise<void> {
    for (let found = WORLDS_PER_READ; found === WORLDS_PER_READ && !stopped; ) {
      const reply = (await connection.run('droppable', keys.worlds, [WORLDS_PER_READ])) as readonly string[];
      found = reply.length / 2;
      for (let at = 0; at < reply.length && !stopped; at += 2) await drop(reply[at] as World, reply[at + 1] ?? '');
    }
  }

  /** @param since earliest wall time of the drop */
  async function drop(world: World, since: string): Promise<void> {
    const { rehearsal, id } = partsOf(world);
    if ((await connection.run('drop', keys.rehearsal(rehearsal), [id, ...WORLD_KEYS])) === 0) {
      await lifetimes.adopt(world);
      await connection.run('markCurrent', keys.worlds, [world, since]);
      return;
    }
    for (const application of applicationNames) {
      await connection.idempotently((client) => client.zrem(keys.announced(application), world));
    }
    await connection.idempotently((client) => client.zrem(keys.worlds, world));
  }

  const stopSweeping = repeatedly(sweepMs, sweep, { onError, atOnce: false });
  return {
    stop(): void {
      stopped = true;
      stopSweeping();
    },
  };
}
