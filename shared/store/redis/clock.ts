import { randomUUID } from 'node:crypto';
import { type ClockStatus, type ClockStore, dueKey } from '../ports/due-work.ts';
import { type RedisAccess, runInWorld } from './connection.ts';
import { parkedError, readDue, word } from './formats.ts';
import type { RedisLifetimes } from './lifetimes.ts';

interface RedisClockOptions extends RedisAccess {
  readonly lifetimes: Pick<RedisLifetimes, 'all'>;
}

export function createRedisClock({ lifetimes, ...access }: RedisClockOptions): ClockStore {
  const { connection, keys } = access;
  const run = runInWorld(access);
  return {
    status: async (world) => readStatus(await run('status', world)),
    setClock: async (world, { now, flowing }, driver) =>
      (await run('setClock', world, randomUUID(), now, flowing ? 1 : 0, driverWord(driver))) === '1',
    leaseClock: async (world, token, ms) => (await run('leaseClock', world, word(token), ms)) === 1,
    renewClock: async (world, token, ms) => (await run('renewClock', world, word(token), ms)) === 1,
    releaseClock: async (world, token) => {
      await run('releaseClock', world, word(token));
    },
    leaseNext: async (world, { upTo, token, leaseMs, driver }) => {
      const limit = Number.isFinite(upTo) ? upTo : '+inf';
      const record = String(await run('leaseNext', world, randomUUID(), limit, word(token), leaseMs, driverWord(driver)));
      return record === '' ? undefined : readDue(record);
    },
    requeue: async (world, item, token, then) => {
      const key = dueKey(item.application, item.kind, item.key);
      const args = 'parked' in then ? ['', '', parkedError(then.parked)] : [then.at, then.attempts, ''];
      await run('requeue', world, key, word(token), ...args, then.awaits ?? '');
    },
    noteReturn: async (application) => {
      const rehearsals = await lifetimes.all();
      await Promise.all(rehearsals.map(({ rehearsal }) => connection.run('noteReturn', keys.rehearsal(rehearsal), [application])));
    },
  };
}

const driverWord = (driver: string | undefined): string => (driver === undefined ? '' : word(driver));

function readStatus(reply: unknown): ClockStatus | undefined {
  const [now, flowing, advancing, running, next] = reply as readonly string[];
  if (now === undefined) return undefined;
  return {
    now: Number(now),
    flowing: flowing === '1',
    advancing: advancing === '1',
    running: Number(running),
    next: next ? readDue(next) : undefined,
  };
}
