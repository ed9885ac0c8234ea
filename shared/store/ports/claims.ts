import type { Ms } from '../../domain/time.ts';
import type { World } from '../../domain/world.ts';

/** An expired claim without an outcome is kept for this rehearsal time. */
export const CLAIM_KEPT_MS = 24 * 60 * 60 * 1_000;
/** Most outdated claims that each new claim removes. */
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
