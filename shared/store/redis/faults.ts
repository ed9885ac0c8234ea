import { randomUUID } from 'node:crypto';
import { MOST_STRUCK } from '../../catalog/control/faults.ts';
import type { World } from '../../domain/world.ts';
import { type FaultControl, type FaultStore, MOST_FAULTS } from '../ports/faults.ts';
import { type Argument, type RedisAccess, runInWorld } from './connection.ts';
import { unword, word } from './formats.ts';

export function createRedisFaults(access: RedisAccess): FaultStore {
  const { connection, keys } = access;
  const run = runInWorld(access);
  const strike = async (
    world: World,
    { counted, fault, struck = '', limit = '' }: { counted: 'hits' | 'chances'; fault: string; struck?: string; limit?: Argument },
  ): Promise<number | undefined> => {
    const count = await run('strike', world, randomUUID(), counted, word(fault), limit, struck, MOST_STRUCK);
    return count === '' ? undefined : Number(count);
  };
  return {
    faults: async (world) => {
      const [revision, ...rest] = (await run('faults', world)) as string[];
      const rules = Array.from({ length: rest.length / 4 }, (_, n) => {
        const [name = '', json = '', hits, struck = ''] = rest.slice(4 * n);
        return { name: unword(name), json, hits: Number(hits), struck: struck.split('\n').slice(0, -1) };
      });
      return { revision: Number(revision), rules };
    },
    hit: (world, fault, struck, limit) => strike(world, { counted: 'hits', fault, struck, limit }),
    chance: async (world, fault) => (await strike(world, { counted: 'chances', fault })) ?? 0,
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
