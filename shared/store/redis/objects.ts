import type { Application } from '../../catalog/applications.ts';
import type { Found, ObjectStore } from '../ports/objects.ts';
import type { RedisAccess } from './connection.ts';
import { indexValue, readCounter, readObject } from './formats.ts';
import { runInWorld } from './run-in-world.ts';

/** Maximum number of keys in one command. */
const PIECE = 1_000;

export function createRedisObjects(application: Application, access: RedisAccess): ObjectStore {
  const run = runInWorld(access);
  return {
    object: async (world, collection, id) => (await run('object', world, application, collection, id).then(readPage))[0],
    unique: async (world, collection, name, value) => (await run('unique', world, application, collection, name, value).then(readPage))[0],
    index: (world, collection, name, value, { after, limit, newestFirst }) =>
      run('index', world, application, collection, name, indexValue(value), after, limit, newestFirst ? 1 : 0).then(readPage),
    count: async (world, collection, name, values) =>
      (await run('count', world, application, collection, name, ...values.map(indexValue))) as number[],
    all: (world, collection, { after, limit, newestFirst }) =>
      run('all', world, application, collection, after, limit, newestFirst ? 1 : 0).then(readPage),
    counters: async (world, counter, keys) => {
      const pieces = Array.from({ length: Math.max(1, Math.ceil(keys.length / PIECE)) }, (_, n) => keys.slice(n * PIECE, (n + 1) * PIECE));
      const found = await Promise.all(pieces.map((piece) => run('counters', world, application, counter, ...piece)));
      return (found.flat() as (string | null)[]).map(readCounter);
    },
  };
}

/** @param reply `[id, record, id, record, …]` */
function readPage(reply: unknown): readonly Found[] {
  const parts = reply as readonly string[];
  return Array.from({ length: parts.length / 2 }, (_, n) => readObject(parts[2 * n] ?? '', parts[2 * n + 1] ?? ''));
}
