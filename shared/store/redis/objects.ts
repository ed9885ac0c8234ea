import type { Application } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import { WorldGone } from '../ports/directory.ts';
import type { Found, ObjectStore } from '../ports/objects.ts';
import type { RedisClient } from './client.ts';
import type { RedisAccess } from './connection.ts';
import { indexValue, readCounter, readObject } from './formats.ts';
import { PRESENT } from './keys.ts';
import { runInWorld } from './run-in-world.ts';

const KEYS_PER_READ = 1_000;

/**
 * Plain commands read single objects and counters, because a script costs Redis many times as much. A dropped world loses all its keys
 * atomically: an object or the field PRESENT shows that the world exists. Only when a hash is missing
 * must a second command check the world. The hash then gets its field, so that later reads need one command.
 */
export function createRedisObjects(application: Application, access: RedisAccess): ObjectStore {
  const { connection, keys: names } = access;
  const run = runInWorld(access);
  const read = <T>(world: World, command: (client: RedisClient, root: string) => Promise<T>): Promise<T> =>
    connection.idempotently((client) => command(client, names.world(world)));
  async function checkWorld(world: World, missing: string): Promise<void> {
    if ((await read(world, (client, root) => client.exists(root))) === 0) throw new WorldGone('This world is gone.');
    // Without the field, reads are slower and remain correct: a Redis that refuses writes still answers them.
    await run('markPresent', world, application, missing).catch(() => undefined);
  }
  return {
    object: async (world, collection, id) => {
      const [record, present] = await read(world, (client, root) => client.hmget(`${root}:${application}:o:${collection}`, id, PRESENT));
      if (record) return readObject(id, record);
      if (present === null) await checkWorld(world, `o:${collection}`);
      return undefined;
    },
    unique: async (world, collection, name, value) => (await run('unique', world, application, collection, name, value).then(readPage))[0],
    index: (world, collection, name, value, { after, limit, newestFirst }) =>
      run('index', world, application, collection, name, indexValue(value), after, limit, newestFirst ? 1 : 0).then(readPage),
    count: async (world, collection, name, values) =>
      (await run('count', world, application, collection, name, ...values.map(indexValue))) as number[],
    all: (world, collection, { after, limit, newestFirst }) =>
      run('all', world, application, collection, after, limit, newestFirst ? 1 : 0).then(readPage),
    counters: async (world, counter, keys) => {
      const pieces = Array.from({ length: Math.ceil(keys.length / KEYS_PER_READ) }, (_, n) =>
        keys.slice(n * KEYS_PER_READ, (n + 1) * KEYS_PER_READ),
      );
      const found = await Promise.all(
        pieces.map((piece) => read(world, (client, root) => client.hmget(`${root}:${application}:c:${counter}`, ...piece, PRESENT))),
      );
      if (found.flat().every((record) => record === null)) await checkWorld(world, `c:${counter}`);
      return found.flatMap((records) => records.slice(0, -1)).map(readCounter);
    },
  };
}

/** @param reply `[id, record, id, record, …]` */
function readPage(reply: unknown): readonly Found[] {
  const parts = reply as readonly string[];
  return Array.from({ length: parts.length / 2 }, (_, n) => readObject(parts[2 * n] ?? '', parts[2 * n + 1] ?? ''));
}
