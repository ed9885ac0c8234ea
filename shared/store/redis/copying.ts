import { Cluster } from 'ioredis';
import { GATEWAY, type Owner } from '../../catalog/applications.ts';
import type { World } from '../../domain/world.ts';
import type { WorldData, WorldSource } from '../ports/world-data.ts';
import { type RedisAccess, runInWorld } from './connection.ts';
import { WORLD_KEYS } from './keys.ts';
import { type FilledWorld, fieldsOfBeginning, openWorld } from './opening.ts';
import { belongsToWorld, type Command, exportWorld, lineageOf, onUnchangedWorld, seedOfCopy } from './world-data.ts';

/** Keys that are not copied here: records of the past, work in progress, and data of the rehearsal. Some are written in another way. */
const LEFT_OUT = /^(?:seed|keys|ops|opslog|operations|verdicts|runs|relays|hop|anonymous|moves|revoked|struck)/;

/** Fields of the world's hash that the copy begins with. */
const COPIED_FIELDS = [
  'order',
  'dueSeq',
  'outSeq',
  'owedSeq',
  'parkSeq',
  'faultSeq',
  'revision',
  'bytes',
  'progression',
  'eventsIndexed',
  'origin',
];

type Copied = Extract<WorldSource, { readonly copyOf: World }>;

/**
 * Copies the keys of a world within Redis, one command per key. A copied lease expires as usual. In a cluster, each rehearsal has its own
 * slot, and nodes cannot copy to each other: there the data pass through this process.
 */
export async function copyWorld(access: RedisAccess, { copyOf: from, seed: newSeed }: Copied, to: World): Promise<FilledWorld> {
  const { connection, keys } = access;
  const [source, target] = [keys.world(from), keys.world(to)];
  const withNewSeed = (seed: WorldData): WorldData => ({
    ...seed,
    beginning: { ...seed.beginning, seed: newSeed ?? seed.beginning?.seed },
  });
  if (connection.client instanceof Cluster) {
    const { seed, ...exported } = await exportWorld(access, from);
    return openWorld(connection, target, { ...exported, seed: withNewSeed(seed) });
  }
  const replies = await onUnchangedWorld(connection, source, (all) => {
    const names = [...all.filter(belongsToWorld), ...WORLD_KEYS.filter((name) => !LEFT_OUT.test(name))];
    return new Map<string, Command>([
      ...names.map((name) => [name, ['COPY', `${source}:${name}`, `${target}:${name}`, 'REPLACE']] as const),
      ['about ', ['HGETALL', source]],
      ['seed ', ['GET', `${source}:seed`]],
    ]);
  });
  const pairs = replies.get('about ') as readonly string[];
  const about = new Map(Array.from({ length: pairs.length / 2 }, (_, n) => [pairs[2 * n] ?? '', pairs[2 * n + 1] ?? '']));
  const seed = withNewSeed(seedOfCopy(replies.get('seed ') as string));
  const copied = [...replies.keys()].filter((name) => replies.get(name) === 1);
  // An earlier attempt may have copied a key that has disappeared since.
  const outdated = [...replies.keys()].filter((name) => replies.get(name) === 0).map((name) => `${target}:${name}`);
  const own = copied.filter((name) => name.includes(':'));
  await connection.idempotently(async (client) => {
    await client.set(`${target}:seed`, JSON.stringify(seed));
    if (outdated.length > 0) await client.unlink(...outdated);
    if (own.length > 0) await client.sadd(`${target}:keys`, ...own);
  });
  const run = runInWorld(access);
  const unsent = (await run('leaveOut', to, GATEWAY)) as Owner[];
  const now = Number(await run('now', from));
  const flows = (about.get('flowed') ?? about.get('flowing')) === '1';
  const fields = Object.fromEntries(COPIED_FIELDS.flatMap((name) => (about.has(name) ? [[name, about.get(name) ?? '']] : [])));
  return {
    now,
    fields: { ...fields, ...fieldsOfBeginning(seed), lineage: lineageOf(from, about), ...(!flows && { flowing: '0', clock: now }) },
    unsent,
  };
}
