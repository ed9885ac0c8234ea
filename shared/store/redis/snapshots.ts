import { randomUUID } from 'node:crypto';
import type { SnapshotStore } from '../ports/snapshots.ts';
import type { RedisAccess } from './connection.ts';

/** Wall time in seconds after which Redis drops a content that was never listed, because its process died. */
const UNLISTED_S = 600;

export function createRedisSnapshots({ connection, keys: { snapshots: root } }: RedisAccess): SnapshotStore {
  return {
    keepSnapshot: async ({ name, head, content }, most) => {
      const id = randomUUID();
      await connection.idempotently((client) => client.set(`${root}:${id}`, Buffer.from(content), 'EX', UNLISTED_S));
      return (await connection.run('keepSnapshot', root, [name, id, head, most])) === 1;
    },
    snapshots: async () => {
      const heads = await connection.idempotently((client) => client.hgetall(`${root}:heads`));
      return new Map(Object.entries(heads).toSorted());
    },
    snapshot: async (name) => {
      const id = await connection.idempotently((client) => client.hget(`${root}:ids`, name));
      return id === null ? undefined : ((await connection.idempotently((client) => client.getBuffer(`${root}:${id}`))) ?? undefined);
    },
    removeSnapshot: async (name) => (await connection.run('removeSnapshot', root, [name, randomUUID()])) === 1,
  };
}
