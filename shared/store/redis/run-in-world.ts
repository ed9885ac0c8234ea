import type { World } from '../../domain/world.ts';
import type { Argument, RedisAccess } from './connection.ts';
import type { ScriptName } from './scripts.ts';

/** Runs a script on the keys of a world. */
export type RunInWorld = (name: ScriptName, world: World, ...args: readonly Argument[]) => Promise<unknown>;

export const runInWorld =
  ({ connection, keys }: RedisAccess): RunInWorld =>
  (name, world, ...args) =>
    connection.run(name, keys.world(world), args);
