import type { Progression, ProgressionInput } from '../../catalog/control/progression.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { Beginning, WorldSource } from './world-data.ts';

/** The size of a world. The store keeps each number up to date, so that reading them costs the same for every world. */
interface WorldContents {
  readonly objects: number;
  readonly events: number;
  /** Journal records. */
  readonly journal: number;
  /** Approximately: the text of objects, events, kept answers and journal, without the overhead of the store. */
  readonly bytes: number;
}

/** The lifetime of a rehearsal, in wall time. */
export interface Lifetime {
  readonly lastUsedAt: Ms;
  /** The end unless the rehearsal is used first; null: it is kept until it is deleted. */
  readonly endsAt: Ms | null;
}

/** Notes of the maker of a rehearsal, such as who it is. A reset keeps them. */
export type Labels = Readonly<Record<string, string>>;

export interface RehearsalRecord extends Lifetime {
  readonly rehearsal: string;
  readonly labels?: Labels | undefined;
  /** Absent when the rehearsal cannot be read; `trouble` has the reason. */
  readonly current?: { readonly world: World; readonly createdAt: string; readonly now: Ms; readonly contents: WorldContents };
  readonly trouble?: string;
}

export interface NewRehearsal {
  /** Makes the data of its world, or names the world to copy. It is called only when there is room for the rehearsal. */
  readonly from: () => WorldSource;
  readonly credentials: RehearsalCredentials;
  readonly labels?: Labels | undefined;
  /** Wall time without use after which the rehearsal ends; null: it is kept. */
  readonly idleMs: Ms | null;
  /** Limit of the number of rehearsals, this one included. */
  readonly most: number;
}

type CreatedRehearsal =
  | { readonly is: 'created'; readonly world: World }
  | { readonly is: 'exists' }
  /** `longestIdle`: among the rehearsals that are not kept. */
  | { readonly is: 'too-many'; readonly longestIdle?: Lifetime & { readonly rehearsal: string } };

export interface RehearsalStore {
  /** Sorted by creation. An unreadable rehearsal is listed with the known part of its record. */
  list(): Promise<readonly RehearsalRecord[]>;
  /** As `list` shows it. Reading does not count as use. @returns undefined when the rehearsal does not exist */
  record(rehearsal: string): Promise<RehearsalRecord | undefined>;
  /** One of several concurrent calls creates the rehearsal. Concurrent calls never exceed the limit together. */
  create(rehearsal: string, created: NewRehearsal): Promise<CreatedRehearsal>;
  /**
   * Opens a new world, then switches the rehearsal to it. The old world is dropped after a minute. Credentials and lifetime stay;
   * the call counts as use.
   * @param only the world is replaced only while the rehearsal has these credentials, because a later rehearsal of its name has others; or while it has this world
   * @returns undefined when the rehearsal does not exist (any more)
   */
  replace(rehearsal: string, from: WorldSource, only?: RehearsalCredentials | World): Promise<World | undefined>;
  /** Replaces the rehearsal's world, or creates the rehearsal without a limit. A rehearsal created here is kept until it is removed. */
  open(rehearsal: string, from: WorldSource, credentials: RehearsalCredentials): Promise<World>;
  /**
   * Removes the rehearsal. Its credentials answer 401 from then on.
   * @param only the rehearsal is removed only while this is its world: a later rehearsal may have got the name @returns whether it was removed
   */
  remove(rehearsal: string, only?: World): Promise<boolean>;
  /** Notes that a rehearsal is used now. @returns its `idleMs`; null also when it does not exist */
  use(rehearsal: string): Promise<Ms | null>;
  /** Removes the rehearsals that have ended, and reads only these. One process at a time does this. @returns their names */
  expire(): Promise<readonly string[]>;
}

export interface ProgressionStore {
  /** Sets the given members in one step and keeps the others. @returns the whole progression */
  setProgression(world: World, input: ProgressionInput): Promise<Progression>;
}

/** HMACs of the credentials bound to a rehearsal. The secrets themselves are in the answer of its creation only. */
export interface RehearsalCredentials {
  readonly bearer: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
  /** HMAC for the rehearsal's OAuth client. Absent: no client can authenticate. */
  readonly clientSecret?: string;
}

/** Whether these are the credentials of one rehearsal. A reset keeps them, and a later rehearsal of the same name has others. */
export const isSameRehearsal = (one: RehearsalCredentials, other: RehearsalCredentials): boolean => one.bearer === other.bearer;

/** Whether a rehearsal has these credentials, or this world. */
export const isMeant = (
  found: { readonly world: World | undefined; readonly credentials: RehearsalCredentials | undefined },
  only: RehearsalCredentials | World,
): boolean => (typeof only === 'string' ? found.world === only : found.credentials?.bearer === only.bearer);

/** The part of a rehearsal that the gateway, the consumers and the relay need. One read gets it. */
export interface WorldView extends Beginning {
  readonly rehearsal: string;
  readonly world: World;
  /** `idSource` of the world that this one continues. */
  readonly lineage?: string;
  readonly now: Ms;
  readonly flowing: boolean;
  /** How often the clock was moved by an advance. */
  readonly moves: number;
  /** Revision of the fault rules; 0 = none. */
  readonly faults: number;
  /** The last commit that changed reference data. Absent: none has. */
  readonly reference?: string;
  /** Size of the text of objects, events and kept answers, as `WorldContents` counts it, without the journal. */
  readonly bytes: number;
  /** Automatic progressions of this rehearsal; absent while they are the default. */
  readonly progression?: Progression;
  /** Absent: no fault has made access tokens expire. */
  readonly tokenExpiry?: TokenExpiry;
  readonly credentials: RehearsalCredentials;
}

/** A fault made all access tokens of earlier generations expire. The first tokens of a world have the generation 0. */
export interface TokenExpiry {
  readonly generation: number;
  /** Instant of the rehearsal's clock. */
  readonly at: Ms;
}

export interface Directory {
  resolve(rehearsal: string): Promise<WorldView | undefined>;
  /** @returns undefined after a reset or deletion of the world */
  current(world: World): Promise<WorldView | undefined>;
  /** Counts within a world: 1 for the first call with a name, then 2. An unanswered call may skip a number. @throws WorldGone */
  nextNumber(world: World, name: string): Promise<number>;
}

/** An access token that is refused from now on. */
export interface Revocation {
  readonly world: World;
  readonly id: string;
  /** Its end on the rehearsal's clock. Afterwards the store may forget the revocation. */
  readonly endsAt: Ms;
}

export interface RevocationStore {
  /** Revoking twice, or in a dropped world, changes nothing. */
  revokeToken(revocation: Revocation): Promise<void>;
  isTokenRevoked(revocation: Pick<Revocation, 'world' | 'id'>): Promise<boolean>;
  /** Begins a generation of tokens. Does nothing in a dropped world, or in a world that has reached the generation. */
  expireTokens(world: World, expiry: TokenExpiry): Promise<void>;
}

/** Thrown when a request names a dropped world: its rehearsal was reset or deleted more than a minute ago. */
export class WorldGone extends Error {
  override readonly name = 'WorldGone';
}
