/**
 * `<rehearsal>~<ULID>`: the data of a rehearsal between two resets. A reset opens a new world, so that late writes for the old one cannot
 * reach it.
 */
export type World = `${string}~${string}`;

export const rehearsalOf = (world: World): string => world.slice(0, world.lastIndexOf('~'));

export const idOf = (world: World): string => world.slice(world.lastIndexOf('~') + 1);
