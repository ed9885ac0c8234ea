import { randomUUID } from 'node:crypto';
import { type Application, applicationNames } from '../../catalog/applications.ts';
import { deliveryAgain } from '../delivery-again.ts';
import { dueKey } from '../ports/due-work.ts';
import type { EventWork, Ledger, LedgerStore, Redriven } from '../ports/ledger.ts';
import type { OutboxEntry } from '../ports/outbox.ts';
import { type Argument, type RedisAccess, runInWorld } from './connection.ts';
import { dueRest, listed, readDue, readEntry, readParked } from './formats.ts';

export function createRedisLedger(access: RedisAccess): LedgerStore {
  const run = runInWorld(access);
  return {
    ledger: async (world, limit = Number.POSITIVE_INFINITY) =>
      readLedger(await run('ledger', world, Number.isFinite(limit) ? limit : ''), limit),
    eventWork: async (world, eventId) => readEventWork(await run('eventWork', world, eventId, ...applicationNames)),
    redrive: async (world, again) => {
      const driven = String(await run('redrive', world, randomUUID(), ...listed(again, redrivenArguments)));
      return again.filter((_one, position) => driven[position] === '1');
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
