import { randomUUID } from 'node:crypto';
import type { RunRecord, RunStore } from '../ports/runs.ts';
import type { Argument, RedisAccess } from './connection.ts';
import type { ScriptName } from './scripts.ts';

export function createRedisRuns({ connection, keys }: RedisAccess): RunStore {
  const run = (name: ScriptName, ...args: readonly Argument[]): Promise<unknown> => connection.run(name, keys.runs, args);
  const recordOf = ({ id, version, head, body }: RunRecord): readonly Argument[] => [id, version, head, body];

  return {
    addRun: async (record, leaseMs) => {
      await run('addRun', ...recordOf(record), leaseMs);
    },
    updateRun: async (record, leaseMs) => (await run('updateRun', ...recordOf(record), leaseMs ?? '')) === 1,
    renewRun: async (id, leaseMs) => (await run('renewRun', id, leaseMs)) === 1,
    runs: async () => {
      const found = (await run('runs')) as readonly (readonly string[])[];
      return found.map(([id = '', version, head = '', held]) => ({ id, version: Number(version), head, held: held === '1' }));
    },
    run: async (id) => {
      const [version, head = '', held, body = ''] = (await run('run', id)) as readonly string[];
      return version === undefined ? undefined : { id, version: Number(version), head, body, held: held === '1' };
    },
    removeRun: async (id) => (await run('removeRun', id, randomUUID())) === 1,
  };
}
