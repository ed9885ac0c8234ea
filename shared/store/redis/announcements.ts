import type { Owner } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { RedisAccess } from './connection.ts';

/** A process does not repeat an announcement within this wall time. */
const ANNOUNCED_MS = 5_000;
/** An announcement of this age, on Redis's clock, is removed if the outbox is empty. */
const WITHDRAWN_MS = 30_000;

/**
 * Lists the worlds that may have unpublished events of an application. The outboxes are in the slots of their worlds, and reading all
 * of them every second would cost more than publishing. So a process announces a world before it commits events there.
 */
export function createAnnouncements({ connection, keys }: RedisAccess) {
  const announced = new Set<string>();

  /** A plain command, because every application reads the list once a second and mostly finds it empty. */
  const announcedWorlds = async (application: Owner) => {
    const found = await connection.idempotently((client) => client.zrange(keys.announced(application), '0', '-1', 'WITHSCORES'));
    return Array.from({ length: found.length / 2 }, (_, n) => {
      const [world, since = ''] = found.slice(2 * n);
      return { world: world as World, since };
    });
  };

  return {
    async announce(application: Owner, world: World): Promise<void> {
      const name = `${application} ${world}`;
      if (announced.has(name)) return;
      await connection.run('announce', keys.announced(application), [world]);
      announced.add(name);
      setTimeout(() => announced.delete(name), ANNOUNCED_MS).unref();
    },

    /** Worlds that may have unpublished events of the application. */
    announced: async (application: Owner): Promise<readonly World[]> => (await announcedWorlds(application)).map(({ world }) => world),

    /** Worlds with unpublished events of the application that no relay has leased. */
    async unsent(application: Owner): Promise<readonly World[]> {
      const key = keys.announced(application);
      const found = await Promise.all(
        (await announcedWorlds(application)).map(async ({ world, since }) => {
          const state = await connection.run('unsent', keys.world(world), [application, since, WITHDRAWN_MS]);
          if (state === 'outdated') await connection.run('withdraw', key, [world, since]);
          return state === 'free' ? [world] : [];
        }),
      );
      return found.flat();
    },
  };
}

export type RedisAnnouncements = ReturnType<typeof createAnnouncements>;
