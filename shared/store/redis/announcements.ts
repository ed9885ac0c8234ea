import type { Application } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { RedisAccess } from './connection.ts';

/** Wall time for which a process does not repeat an announcement. */
const ANNOUNCED_MS = 5_000;
/** Age on Redis's clock from which an announcement is withdrawn when the outbox is empty. */
const WITHDRAWN_MS = 30_000;

/**
 * The worlds in which an application may have unpublished events. The outboxes are in the slots of their worlds; reading all of them
 * every second would cost more than the publishing. So a process announces a world before it commits events there.
 */
export function createAnnouncements({ connection, keys }: RedisAccess) {
  const announced = new Set<string>();

  /** A plain command: every application asks once a second, and mostly there are none. */
  const announcedWorlds = async (application: Application) => {
    const found = await connection.idempotently((client) => client.zrange(keys.announced(application), '0', '-1', 'WITHSCORES'));
    return Array.from({ length: found.length / 2 }, (_, n) => {
      const [world, since = ''] = found.slice(2 * n);
      return { world: world as World, since };
    });
  };

  return {
    async announce(application: Application, world: World): Promise<void> {
      const name = `${application} ${world}`;
      if (announced.has(name)) return;
      await connection.run('announce', keys.announced(application), [world]);
      announced.add(name);
      setTimeout(() => announced.delete(name), ANNOUNCED_MS).unref();
    },

    /** Worlds in which the application may have unpublished events. */
    announced: async (application: Application): Promise<readonly World[]> =>
      (await announcedWorlds(application)).map(({ world }) => world),

    /** Worlds in which the application has unpublished events and no relay has the lease. */
    async unsent(application: Application): Promise<readonly World[]> {
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
