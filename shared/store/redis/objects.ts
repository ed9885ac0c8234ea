import type { Application } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import { WorldGone } from '../ports/directory.ts';
import type { Found, ObjectStore } from '../ports/objects.ts';
import type { RedisClient } from './client.ts';
import type { RedisAccess } from './connection.ts';
import { indexValue, readCounter, readObject } from './formats.ts';
import { runInWorld } from './run-in-world.ts';

/** Maximum number of keys in one command. */
const PIECE = 1_000;

/**
 * Plain commands read single objects and counters, because a script costs Redis many times as much. Redis answers in the order of the
 * commands: a world that is there afterwards was there when it was read.
 */
export function createRedisObjects(application: Application, access: RedisAccess): ObjectStore {
  const { connection, keys: names } = access;
  const run = runInWorld(access);
  async function read<T>(world: World, command: (client: RedisClient, root: string) => Promise<T>): Promise<T> {
    const root = names.world(world);
    const [found, exists] = await connection.idempotently((client) => Promise.all([command(client, root), client.exists(root)]));
    if (exists === 0) throw new WorldGone('This world is gone.');
    return found;
  }
  return {
    object: async (world, collection, id) => {
      const record = await read(world, (client, root) => client.hget(`${root}:${application}:o:${collection}`, id));
      return record === null ? undefined : readObject(id, record);
    },
    unique: async (world, collection, name, value) => (await run('unique', world, application, collection, name, value).then(readPage))[0],
    index: (world, collection, name, value, { after, limit, newestFirst }) =>
      run('index', world, application, collection, name, indexValue(value), after, limit, newestFirst ? 1 : 0).then(readPage),
    count: async (world, collection, name, values) =>
      (await run('count', world, application, collection, name, ...values.map(indexValue))) as number[],
    all: (world, collection, { after, limit, newestFirst }) =>
      run('all', world, application, collection, after, limit, newestFirst ? 1 : 0).then(readPage),
    counters: async (world, counter, keys) => {
      if (keys.length === 0) return read(world, async () => []);
      const pieces = Array.from({ length: Math.ceil(keys.length / PIECE) }, (_, n) => keys.slice(n * PIECE, (n + 1) * PIECE));
      const found = await Promise.all(
        pieces.map((piece) => read(world, (client, root) => client.hmget(`${root}:${application}:c:${counter}`, ...piece))),
      );
      return found.flat().map(readCounter);
    },
  };
}

/** @param reply `[id, record, id, record, …]` */
function readPage(reply: unknown): readonly Found[] {
  const parts = reply as readonly string[];
  return Array.from({ length: parts.length / 2 }, (_, n) => readObject(parts[2 * n] ?? '', parts[2 * n + 1] ?? ''));
}
