import type { Application } from '../../catalog/applications.ts';
import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';
import type { PlannedDue } from './due-work.ts';
import type { Batch, OutboxEntry } from './outbox.ts';

/** The lease that a unit of work needs when it commits. Its last commit ends the lease. */
export type Fence =
  | { readonly kind: 'claim'; readonly key: string; readonly token: string }
  | { readonly kind: 'delivery'; readonly key: string }
  | { readonly kind: 'due'; readonly key: string; readonly token: string };

export type PlannedEvent = OutboxEntry & { readonly subscribers: readonly Application[] };

export interface IndexChange {
  readonly collection: string;
  readonly name: string;
  readonly id: string;
  /** The new value; null removes the object from the index. */
  readonly value: string | null;
  /** The value under which the object is indexed until now. */
  readonly was: string | null;
}

/** Default limit of the text of objects, events and kept answers of a world. */
export const WORLD_BYTES = 128 * 1024 * 1024;

/** The gateway refuses requests at the limit; applications may continue up to this factor, so that started work is finished. */
export const ROOM_FOR_STARTED_WORK = 1.25;

/** The result of an operation is kept for at least this wall time, so that a repeat gets the same answer. */
export const OPERATION_KEPT_MS = 60_000;

/** The content of one commit. An adapter checks everything first and then writes everything; it never decodes an object's JSON. */
export interface Plan {
  /** Unique per attempt to commit. A repeat gets the first result. */
  readonly operation: string;
  readonly last: boolean;
  readonly now: Ms;
  readonly fence?: Fence;
  readonly expect: readonly { readonly collection: string; readonly id: string; readonly version: number }[];
  readonly put: readonly {
    readonly collection: string;
    readonly id: string;
    /** The version that was read; 0 = new. */
    readonly read: number;
    readonly version: number;
    readonly json: string;
  }[];
  readonly unique: readonly IndexChange[];
  readonly index: readonly IndexChange[];
  /** Summed per counter, key and field. */
  readonly move: readonly { readonly counter: string; readonly key: string; readonly field: string; readonly by: number }[];
  /** A move must not make the weighted sum of the fields negative. A move that raises it is always allowed. */
  readonly guard: readonly { readonly counter: string; readonly key: string; readonly terms: Readonly<Record<string, 1 | -1>> }[];
  readonly events: readonly PlannedEvent[];
  readonly due: readonly PlannedDue[];
  /** Whether the commit changes reference data. The view of the world then names this commit. */
  readonly changesReference?: boolean;
  /** Whether this commit met the `If-Match` precondition of the request, which is recorded in the fencing claim. */
  readonly preconditionHeld?: boolean;
  /** The answer to keep under the fencing claim. A last commit without an outcome releases the claim. */
  readonly outcome?: { readonly json: string; readonly keepUntil: Ms };
  /** The relay that publishes what this commit and earlier ones left in the outbox, unless another relay has leased it. */
  readonly relay?: {
    readonly token: string;
    /** Events of the relay's lease that it has not begun to send. With these, the commit hands the outbox over again. */
    readonly holds?: readonly OutboxEntry[] | undefined;
  };
}

export type Committed =
  /** `batch`: the outbox is leased to the relay that the plan names. A repeat of the commit does not hand it over again. */
  | { readonly ok: true; readonly seq: number; readonly batch?: Batch }
  /**
   * `full`: too many events wait for the bus. Only requests get it; deliveries and due work are always admitted. `space`: the world is
   * larger than its limit; `growsWorld` defines the refused commits. `at` is its size.
   */
  | { readonly ok: false; readonly why: 'version' | 'unique' | 'guard' | 'held' | 'world' | 'full' | 'space'; readonly at: string };

/** Whether a commit adds text to its world. An event that a fault withheld was counted before. */
export const growsWorld = ({ put, events }: Pick<Plan, 'put' | 'events'>): boolean =>
  put.length > 0 || events.some(({ struck }) => !struck);

export interface CommitStore {
  /** When due work that awaited an application commits without awaiting it again, all work that awaits it becomes due. */
  commit(world: World, plan: Plan): Promise<Committed>;
}

/**
 * A claim is kept for this wall time after its lease, however far the clock of the rehearsal jumps, and a claim without an outcome for this
 * rehearsal time after its first instant. An outcome has its own expiry on the clock of the rehearsal.
 */
export const CLAIM_KEPT_MS = 24 * 60 * 60 * 1_000;
/** Maximum number of outdated claims that each new claim removes. */
export const CLAIMS_FORGOTTEN = 100;

/** The approximate size of an ended claim without its outcome. A client may make any number of claims. */
export const CLAIM_BYTES = 200;

export type Claim =
  /**
   * `since`: rehearsal time of the first claim. `preconditionHeld`: a commit met `If-Match`. Both stay when another request takes over the
   * lease.
   */
  | { readonly is: 'ours'; readonly token: string; readonly since: Ms; readonly preconditionHeld: boolean }
  /** `leftMs`: remaining wall time of the lease. */
  | { readonly is: 'running'; readonly leftMs: Ms }
  /** The key belongs to another request: it runs, has an outcome, or has committed something that only its repeat may finish. */
  | { readonly is: 'other-body' }
  | { readonly is: 'done'; readonly json: string };

export interface ClaimRequest {
  readonly key: string;
  /** Digest of the request's content, because a key is for one request. */
  readonly fingerprint: string;
  /** Rehearsal time. */
  readonly now: Ms;
  /** Wall time after which another request may take over an unfinished claim. */
  readonly leaseMs: Ms;
}

/** Claims idempotency keys, so that each request takes effect once. */
export interface ClaimStore {
  claim(world: World, request: ClaimRequest): Promise<Claim>;
  /** Releases an unfinished claim. A kept outcome stays. */
  release(world: World, key: string, token: string): Promise<void>;
}
