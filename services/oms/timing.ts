// These are times of the rehearsal clock, except where a comment names the wall clock.

/** Time until an unconfirmed draft is cancelled. */
export const DRAFT_LIFETIME_MS = 24 * 60 * 60 * 1_000;

/** Time from the loss of an authorisation until a confirmed order is cancelled, unless it is covered again. */
export const UNCOVERED_LIFETIME_MS = 24 * 60 * 60 * 1_000;

/** Time from the creation of an order until expired authorisations are no longer renewed. */
export const RENEWAL_PERIOD_MS = 30 * 24 * 60 * 60 * 1_000;

/** Time until due work takes over from a request. Longer than any request may take. */
export const TAKE_OVER_MS = 30_000;

/** Time until due work that found a pending action or a lost reservation runs again. */
export const RECHECK_MS = 60_000;

/** Time until routing is tried again after a failure. */
export const ROUTING_RETRY_MS = 5_000;

/** Time from each refused capture to the next attempt. After the last attempt the order is cancelled. */
export const CAPTURE_RETRY_DELAYS_MS: readonly number[] = [60_000, 5 * 60_000, 30 * 60_000];

/** Wall-clock timeout of calls whose answer only completes a view. */
export const VIEW_TIMEOUT_MS = 2_000;

/** Wall-clock timeout of calls whose answer decides the outcome. */
export const DECIDE_TIMEOUT_MS = 5_000;

/** Lifetime of an unconfirmed replacement reservation. It is confirmed immediately or expires. */
export const NEW_HOLD_TTL_SECONDS = 300;
