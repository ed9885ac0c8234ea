import type { Owner } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { Found, ObjectStore, PageRequest } from '../ports/objects.ts';
import { WorldGone } from '../ports/rehearsals.ts';
import { type RedisAccess, runInWorld } from './connection.ts';
import { indexValue, piecesOf, readCounter, readObject, valueArguments } from './formats.ts';
import { PRESENT } from './keys.ts';

/** A read as the script `read` takes it: the only declaration of its members for both sides. */
type Read =
  | { readonly of: 'object'; readonly collection: string; readonly id: string }
  | { readonly of: 'unique'; readonly collection: string; readonly name: string; readonly value: string }
  | ({ readonly of: 'index'; readonly collection: string; readonly name: string; readonly value: string } & PageRequest)
  | ({ readonly of: 'all'; readonly collection: string } & PageRequest)
  | { readonly of: 'counters'; readonly counter: string; readonly keys: readonly string[] };

/** A record; `[id, record, id, record, …]`; a record per key. */
type Reply = string | null | Fields;
type Fields = readonly (string | null)[];

/** The reads of a world that wait for the end of the current step. */
interface Gathered {
  readonly reads: Read[];
  readonly replies: Promise<readonly Reply[]>;
}

const KEYS_PER_READ = 1_000;
const READS_PER_SCRIPT = 100;

/**
 * Reads that an application begins in one step, such as in a `Promise.all`, go to Redis as one script, and see the same moment. A
 * single read of an object or of counters is a plain command, because a script costs Redis many times as much. A dropped world loses all
 * its keys atomically: an object or the field PRESENT shows that the world exists. Only when a hash is missing must a second command
 * check the world. The hash then gets its field, so that later reads need one command.
 */
export function createRedisObjects(application: Owner, { connection, keys: names }: RedisAccess): ObjectStore {
  const run = runInWorld({ connection, keys: names });
  const gathered = new Map<World, Gathered>();

  async function read(world: World, one: Read): Promise<Reply | undefined> {
    const known = gathered.get(world);
    if (known) {
      const place = known.reads.push(one) - 1;
      return (await known.replies)[place];
    }
    const reads = [one];
    // A microtask: the step that begins the reads ends before it.
    const replies = Promise.resolve().then(() => {
      gathered.delete(world);
      return send(world, reads);
    });
    gathered.set(world, { reads, replies });
    return (await replies)[0];
  }

  async function send(world: World, reads: readonly Read[]): Promise<readonly Reply[]> {
    const [first] = reads;
    if (reads.length === 1 && first?.of === 'object') {
      return [(await fields(world, `o:${first.collection}`, [first.id]))[0] ?? null];
    }
    if (reads.length === 1 && first?.of === 'counters') return [await fields(world, `c:${first.counter}`, first.keys)];
    const pieces = piecesOf(reads, READS_PER_SCRIPT).map(
      (piece) => run('read', world, application, ...valueArguments(() => piece)) as Promise<readonly Reply[]>,
    );
    return (await Promise.all(pieces)).flat();
  }

  /** @throws WorldGone */
  async function fields(world: World, hash: string, of: readonly string[]): Promise<Fields> {
    const found = await connection.idempotently((client) => client.hmget(`${names.world(world)}:${application}:${hash}`, ...of, PRESENT));
    if (found.every((record) => record === null)) await checkWorld(world, hash);
    return found.slice(0, -1);
  }

  async function checkWorld(world: World, missing: string): Promise<void> {
    if ((await connection.idempotently((client) => client.exists(names.world(world)))) === 0) throw new WorldGone('This world is gone.');
    // Without the field, reads are slower and remain correct: a Redis that refuses writes still answers them.
    await run('markPresent', world, application, missing).catch(() => undefined);
  }

  return {
    object: async (world, collection, id) => {
      const record = await read(world, { of: 'object', collection, id });
      return typeof record === 'string' ? readObject(id, record) : undefined;
    },
    unique: async (world, collection, name, value) => readPage(await read(world, { of: 'unique', collection, name, value }))[0],
    index: async (world, collection, name, value, { after, limit, newestFirst }) =>
      readPage(await read(world, { of: 'index', collection, name, value: indexValue(value), after, limit, newestFirst })),
    count: async (world, collection, name, values) =>
      (await run('count', world, application, collection, name, ...values.map(indexValue))) as number[],
    all: async (world, collection, { after, limit, newestFirst }) =>
      readPage(await read(world, { of: 'all', collection, after, limit, newestFirst })),
    counters: async (world, counter, keys) => {
      if (keys.length <= KEYS_PER_READ) return ((await read(world, { of: 'counters', counter, keys })) as Fields).map(readCounter);
      const pieces = piecesOf(keys, KEYS_PER_READ).map((piece) => fields(world, `c:${counter}`, piece));
      return (await Promise.all(pieces)).flat().map(readCounter);
    },
  };
}

function readPage(reply: Reply | undefined): readonly Found[] {
  const parts = reply as readonly string[];
  return Array.from({ length: parts.length / 2 }, (_, n) => readObject(parts[2 * n] ?? '', parts[2 * n + 1] ?? ''));
}
