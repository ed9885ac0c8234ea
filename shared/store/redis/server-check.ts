import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from './client.ts';
import { RedisRefused, refusedFor } from './refused.ts';
import { repeating } from './repeating.ts';

const OLDEST_MAJOR = 7;

/** @throws RedisRefused when a server would lose data or lacks a feature that the store needs */
export async function checkServers(client: RedisClient, where: string): Promise<void> {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client];
  for (const node of nodes) {
    const info = await infoOf(node, where);
    checkServer(info, where);
    if (info('redis_mode') === 'cluster' && !(client instanceof Cluster)) {
      throw new RedisRefused(`The Redis at ${where} is a node of a cluster: write its address as cluster:redis://…`);
    }
  }
}

async function infoOf(node: Redis, where: string): Promise<(field: string) => string> {
  try {
    const info = await repeating(() => node.info());
    return (field) => new RegExp(`^${field}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? '';
  } catch (error) {
    throw (
      refusedFor(error as Error, where) ??
      new RedisRefused(`The configuration of the Redis at ${where} is unknown: ${(error as Error).message}`)
    );
  }
}

/** @throws RedisRefused when data would be lost, or a feature that the store needs is missing */
export function checkServer(info: (field: string) => string, where: string): void {
  const version = info('redis_version');
  if (!(Number.parseInt(version, 10) >= OLDEST_MAJOR)) {
    throw new RedisRefused(`The Redis at ${where} is version ${version || 'unknown'}; ${OLDEST_MAJOR}.0 or newer is needed.`);
  }
  const policy = info('maxmemory_policy');
  if (policy !== 'noeviction') {
    throw new RedisRefused(
      `The Redis at ${where} discards data when its memory is full (maxmemory-policy ${policy || 'unknown'}): set it to noeviction.`,
    );
  }
  if (info('role') === 'slave') throw new RedisRefused(`The Redis at ${where} is a replica: give the address of its primary.`);
}
