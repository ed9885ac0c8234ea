/** `<rehearsal>~<ULID>`: one incarnation of a rehearsal. A reset opens a new one, so nothing late can write into it. */
export type World = `${string}~${string}`;

export const rehearsalOf = (world: World): string => world.slice(0, world.lastIndexOf('~'));
