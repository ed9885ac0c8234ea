import type { Application } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { OutboxBacklog, WorldsBacklog } from '../ports/backlog.ts';
import type { RedisAnnouncements } from './announcements.ts';
import type { RedisAccess } from './connection.ts';
import { readEntry } from './formats.ts';

/** Uses plain commands whose cost does not depend on the number of entries. The counts may be of slightly different instants. */
export async function outboxBacklog(
  application: Application,
  { connection, keys, announcements }: RedisAccess & { readonly announcements: RedisAnnouncements },
): Promise<OutboxBacklog> {
  const found = await Promise.all(
    (await announcements.announced(application)).map(async (world) => {
      const part = `${keys.world(world)}:${application}`;
      const events = await connection.idempotently((client) => client.zcard(`${part}:outbox`));
      const [oldest] = events > 0 ? await connection.idempotently((client) => client.zrange(`${part}:outbox`, '0', '0')) : [];
      const entry = oldest === undefined ? null : await connection.idempotently((client) => client.hget(`${part}:entries`, oldest));
      return { events, oldestAt: entry === null ? undefined : readEntry(entry).committedAt };
    }),
  );
  const ages = found.flatMap(({ oldestAt }) => oldestAt ?? []);
  return { events: found.reduce((sum, { events }) => sum + events, 0), ...(ages.length > 0 && { oldestAt: Math.min(...ages) }) };
}

export async function worldsBacklog({ connection, keys }: RedisAccess, worlds: readonly World[]): Promise<WorldsBacklog> {
  const found = await Promise.all(
    worlds.map(async (world) => {
      const root = keys.world(world);
      const now = Number(await connection.run('now', root, []));
      return connection.idempotently(async (client) => {
        const [queued, overdue, running, withheld, pending, parked] = await Promise.all([
          client.zcard(`${root}:queue`),
          client.zcount(`${root}:queue`, '-inf', now),
          client.zcard(`${root}:running`),
          client.zcard(`${root}:kept`),
          client.zcard(`${root}:pending`),
          client.zcard(`${root}:parked`),
        ]);
        // Withheld items are queued as well, for a future time.
        return { pending, overdue, running, scheduled: Math.max(0, queued - overdue - withheld), withheld, parked };
      });
    }),
  );
  const sum = (of: keyof Omit<WorldsBacklog, 'rehearsals'>): number => found.reduce((total, one) => total + one[of], 0);
  return {
    rehearsals: worlds.length,
    pending: sum('pending'),
    overdue: sum('overdue'),
    running: sum('running'),
    scheduled: sum('scheduled'),
    withheld: sum('withheld'),
    parked: sum('parked'),
  };
}
