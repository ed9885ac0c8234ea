import { LOGS, type LogStore } from '../ports/logs.ts';
import type { MemoryEstate } from './estate.ts';

export function createMemoryLogs({ need, changed }: MemoryEstate): LogStore {
  return {
    addEntry: async (world, log, json) => {
      const { logs } = need(world);
      const { most, isAnnounced } = LOGS[log];
      const number = (logs[log].at(-1)?.number ?? 0) + 1;
      logs[log] = [...logs[log], { number, json }].slice(-most);
      if (isAnnounced) changed(world, Number.POSITIVE_INFINITY);
      return number;
    },
    entries: async (world, log, { before = Number.POSITIVE_INFINITY, limit }) =>
      need(world)
        .logs[log].filter(({ number }) => number < before)
        .toReversed()
        .slice(0, limit),
  };
}
