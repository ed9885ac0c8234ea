/**
 * `<rehearsal>~<ULID>`: the data of a rehearsal between two resets. A reset opens a new world, so that late writes for the old one cannot
 * reach it.
 */
export type World = `${string}~${string}`;

export const rehearsalOf = (world: World): string => world.slice(0, world.lastIndexOf('~'));

export const idOf = (world: World): string => world.slice(world.lastIndexOf('~') + 1);

/** How the ids of a world are made. */
interface IdOrigin {
  readonly world: World;
  /** Chosen by the creator of the rehearsal. */
  readonly seed?: string;
  /** `idSource` of the world that this one continues. */
  readonly lineage?: string;
}

/**
 * What ids and idempotency keys derive from: the world, or the seed, so that they repeat in each world with this seed. A world that
 * continues another one makes the ids and keys that the other would have made. So work that began there is repeated here under its keys.
 */
export const idSource = ({ lineage, seed, world }: IdOrigin): string => lineage ?? (seed === undefined ? world : `seed:${seed}`);
