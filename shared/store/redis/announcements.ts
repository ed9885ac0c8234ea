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

  const announcedWorlds = async (application: Application) => {
    const reply = (await connection.run('announced', keys.announced(application), [WITHDRAWN_MS])) as readonly string[];
    return Array.from({ length: reply.length / 3 }, (_, n) => {
      const [world, since = '', isOld] = reply.slice(3 * n);
      return { world: world as World, since, isOld: isOld === '1' };
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
        (await announcedWorlds(application)).map(async ({ world, since, isOld }) => {
          const state = await connection.run('unsent', keys.world(world), [application]);
          if (state === 'nothing' && isOld) await connection.run('withdraw', key, [world, since]);
          return state === 'free' ? [world] : [];
        }),
      );
      return found.flat();
    },
  };
}

export type RedisAnnouncements = ReturnType<typeof createAnnouncements>;
