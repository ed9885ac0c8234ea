import type { Application } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { RedisConnection } from './connection.ts';
import type { RedisKeys } from './formats.ts';

/** How long an announcement is good for in the process that made it. A commit has ended by then, or soon after. */
const ANNOUNCED_MS = 5_000;
/** From this age on, by Redis's clock, an announcement of a world that has nothing to send is withdrawn. */
const WITHDRAWN_MS = 30_000;

/**
 * In which worlds an application may have unsent events. Outboxes are in the slots of their worlds, and to look into all of them every
 * second would cost more than all that is sent; so a process announces, before it commits events, in which world.
 */
export function createAnnouncements({ connection, keys }: { readonly connection: RedisConnection; readonly keys: RedisKeys }) {
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

    /** Worlds in which it may have events that are not on the bus yet. */
    announced: async (application: Application): Promise<readonly World[]> =>
      (await announcedWorlds(application)).map(({ world }) => world),

    /** Worlds in which it has events that nobody carries. */
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
