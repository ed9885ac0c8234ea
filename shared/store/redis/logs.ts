import { randomUUID } from 'node:crypto';
import { LOGS, type LogStore } from '../ports/logs.ts';
import type { RunInWorld } from './connection.ts';

export function createRedisLogs(run: RunInWorld): LogStore {
  return {
    addEntry: async (world, log, json) => {
      const { most, isAnnounced } = LOGS[log];
      return Number(await run('addEntry', world, randomUUID(), log, json, most, isAnnounced ? 1 : 0));
    },
    entries: async (world, log, { before, limit }) => {
      const [newest, entries] = (await run('entries', world, log, before ?? '', limit)) as readonly [number, readonly string[]];
      return entries.map((json, place) => ({ number: newest - place, json }));
    },
  };
}
