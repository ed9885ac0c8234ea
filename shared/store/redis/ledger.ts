import { randomUUID } from 'node:crypto';
import { type Application, applicationNames, type Owner } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import { dueKey } from '../ports/due-work.ts';
import type { EventWork, Ledger, LedgerStore, Redriven, WorldsBacklog } from '../ports/ledger.ts';
import type { OutboxBacklog } from '../ports/outbox.ts';
import { deliveryAgain, type OutboxEntry } from '../ports/outbox.ts';
import type { RedisAnnouncements } from './announcements.ts';
import { type Argument, type RedisAccess, runInWorld } from './connection.ts';
import { dueRest, listed, piecesOf, readDue, readEntry, readParked } from './formats.ts';

/** Parked work that one script makes due. */
const REDRIVEN_AT_ONCE = 200;

export function createRedisLedger(access: RedisAccess): LedgerStore {
  const run = runInWorld(access);
  return {
    ledger: async (world, limit = Number.POSITIVE_INFINITY) =>
      readLedger(await run('ledger', world, Number.isFinite(limit) ? limit : ''), limit),
    scheduled: async (world, names) => ((await run('scheduled', world, ...names)) as readonly string[]).map(readDue),
    eventWork: async (world, eventId) => readEventWork(await run('eventWork', world, eventId, ...applicationNames)),
    redrive: async (world, again) => {
      const all: Redriven[] = [];
      for (const some of piecesOf(again, REDRIVEN_AT_ONCE)) {
        const driven = String(await run('redrive', world, randomUUID(), ...listed(some, redrivenArguments)));
        all.push(...some.filter((_one, position) => driven[position] === '1'));
      }
      return all;
    },
  };
}

function readEventWork(reply: unknown): EventWork {
  const [unsent, due, pending, parkings] = reply as [unsent: string, due: string, pending: Application[], parkings: string[]];
  const withheld = due === '' ? undefined : readDue(due);
  return {
    entry: unsent === '' ? (withheld?.payload as OutboxEntry | undefined) : readEntry(unsent),
    withheldBy: withheld?.withheldBy,
    pending,
    parked: Array.from({ length: parkings.length / 2 }, (_, n) => {
      const application = parkings[2 * n] as Application;
      return { application, error: readParked('', parkings[2 * n + 1] ?? '').error };
    }),
  };
}

/** Kind, key, and the due work that retries a delivery. */
function redrivenArguments(again: Redriven): readonly Argument[] {
  if (again.what === 'due') return [again.what, again.key, '', ''];
  const item = deliveryAgain(again.key, again.event);
  return [again.what, again.key, dueKey(item.application, item.kind, item.key), dueRest(item)];
}

function readLedger(reply: unknown, limit: number): Ledger {
  const [unsent, pending, running, parked, parkings, withheld, awaiting, counts, next] = reply as [
    ...lists: [string[], string[], string[], string[], string[], string[], string[]],
    counts: number[],
    next: string,
  ];
  const [unsentCount = 0, pendingCount = 0, runningCount = 0, parkedCount = 0, withheldCount = 0] = counts;
  return {
    unsent: unsent.slice(0, limit),
    pending,
    running,
    parked: parked.map((member, position) => readParked(member, parkings[position] ?? '')),
    withheld: withheld.map(readDue),
    awaiting: awaiting.map(readDue),
    counts: { unsent: unsentCount, pending: pendingCount, running: runningCount, parked: parkedCount, withheld: withheldCount },
    next: next === '' ? undefined : readDue(next),
  };
}

/** Uses plain commands whose cost does not depend on the number of entries. The counts may be of slightly different instants. */
export async function outboxBacklog(
  application: Owner,
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
