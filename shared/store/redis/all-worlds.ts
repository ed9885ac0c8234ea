import type { World } from '../../domain/world.ts';
import type { RedisConnection } from './connection.ts';
import type { RedisKeys } from './keys.ts';

export async function allWorlds(connection: RedisConnection, keys: RedisKeys): Promise<readonly World[]> {
  return (await connection.idempotently((client) => client.zrange(keys.worlds, '0', '-1'))) as World[];
}
