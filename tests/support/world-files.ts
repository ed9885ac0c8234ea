import { readFile, writeFile } from 'node:fs/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Redis } from 'ioredis';

/** Files of worlds in Redis, as releases wrote them: a line of JSON per key, compressed. `fixtures/worlds/README.md` explains them. */
const FOLDER = new URL('../../fixtures/worlds/', import.meta.url);

const fileOf = (name: string): URL => new URL(`${name}.jsonl.gz`, FOLDER);

type Entry = readonly [key: string, type: string, value: unknown];

const PREFIX = 'estate:';

/** Writes all rehearsals of a Redis to a file, without the snapshots, which are bytes. Nobody else may use the Redis. */
export async function keepWorlds(redis: Redis, name: string): Promise<void> {
  const others = [`${PREFIX}{.runs}`, `${PREFIX}{.snapshots}`, `${PREFIX}{.rehearsals}:sweep`];
  const keys = (await redis.keys(`${PREFIX}*`)).filter((key) => !others.some((other) => key.startsWith(other))).sort();
  const lines: string[] = [];
  for (const key of keys) {
    const type = await redis.type(key);
    lines.push(JSON.stringify([key, type, await contentOf(redis, key, type)] satisfies Entry));
  }
  await writeFile(fileOf(name), gzipSync(`${lines.join('\n')}\n`, { level: 9 }));
}

/** The text of a snapshot that a release took. */
export const snapshotText = async (name: string): Promise<string> =>
  gunzipSync(await readFile(new URL(`${name}.snapshot.json.gz`, FOLDER))).toString();

function contentOf(redis: Redis, key: string, type: string): Promise<unknown> {
  if (type === 'string') return redis.get(key);
  if (type === 'hash') return redis.hgetall(key);
  if (type === 'set') return redis.smembers(key);
  if (type === 'list') return redis.lrange(key, 0, -1);
  if (type === 'zset') return redis.zrange(key, '0', '-1', 'WITHSCORES');
  if (type === 'stream') return redis.xrange(key, '-', '+');
  throw new Error(`${key} is a ${type}.`);
}

/** Fills an empty Redis with the worlds of a file. */
export async function openWorlds(redis: Redis, name: string): Promise<void> {
  const text = gunzipSync(await readFile(fileOf(name))).toString();
  for (const line of text.trimEnd().split('\n')) await put(redis, JSON.parse(line) as Entry);
  // The rehearsals would have ended since.
  for (const rehearsal of await redis.zrange(`${PREFIX}{.rehearsals}:ends`, '0', '-1')) {
    await redis.zadd(`${PREFIX}{.rehearsals}:ends`, 'inf', rehearsal);
    await redis.hset(`${PREFIX}{.rehearsals}:idle`, rehearsal, 'kept');
  }
}

async function put(redis: Redis, [key, type, value]: Entry): Promise<void> {
  if (type === 'string') await redis.set(key, value as string);
  else if (type === 'hash') await redis.hset(key, value as Record<string, string>);
  else if (type === 'set') await redis.sadd(key, ...(value as string[]));
  else if (type === 'list') await redis.rpush(key, ...(value as string[]));
  else if (type === 'zset') for (const [member, score] of pairs(value as string[])) await redis.zadd(key, score, member);
  else for (const [id, fields] of value as [string, string[]][]) await redis.xadd(key, id, ...fields);
}

const pairs = (all: readonly string[]): [string, string][] =>
  Array.from({ length: all.length / 2 }, (_, place) => [all[2 * place] ?? '', all[2 * place + 1] ?? '']);
