import { randomUUID } from 'node:crypto';
import type { World } from '../../domain/world.ts';
import { type FaultControl, type FaultStore, MOST_FAULTS } from '../ports/faults.ts';
import { type Argument, type RedisAccess, runInWorld } from './connection.ts';
import { unword, word } from './formats.ts';

export function createRedisFaults(access: RedisAccess): FaultStore {
  const { connection, keys } = access;
  const run = runInWorld(access);
  const strike = async (world: World, counted: 'hits' | 'chances', fault: string, limit: Argument): Promise<number | undefined> => {
    const count = await run('strike', world, randomUUID(), counted, word(fault), limit);
    return count === '' ? undefined : Number(count);
  };
  return {
    faults: async (world) => {
      const [revision, ...rest] = (await run('faults', world)) as string[];
      const rules = Array.from({ length: rest.length / 3 }, (_, n) => {
        const [name = '', json = '', hits] = rest.slice(3 * n);
        return { name: unword(name), json, hits: Number(hits) };
      });
      return { revision: Number(revision), rules };
    },
    hit: (world, fault, limit) => strike(world, 'hits', fault, limit ?? ''),
    chance: async (world, fault) => (await strike(world, 'chances', fault, '')) ?? 0,
    hits: async (world, fault) => Number(await connection.idempotently((client) => client.hget(`${keys.world(world)}:hits`, word(fault)))),
  };
}

export function createRedisFaultControl(access: RedisAccess): FaultControl {
  const run = runInWorld(access);
  return {
    setFault: async (world, name, json) => (await run('setFault', world, randomUUID(), word(name), json, MOST_FAULTS)) === '1',
    removeFault: async (world, name) => (await run('removeFault', world, randomUUID(), name === undefined ? '' : word(name))) === '1',
  };
}
