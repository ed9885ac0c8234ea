/** Rehearsal time after which a draft that nobody confirmed is cancelled. */
export const DRAFT_LIFETIME_MS = 24 * 60 * 60 * 1_000;

/** Rehearsal time that a confirmed order has to be covered again when an authorisation of it is lost; then it is cancelled. */
export const UNCOVERED_LIFETIME_MS = 24 * 60 * 60 * 1_000;

/** Rehearsal time after which due work takes over what a request began: longer than a request may take. */
export const TAKE_OVER_MS = 30_000;

/** Rehearsal time after which due work that met a verb under way looks again. */
export const LOOK_AGAIN_MS = 60_000;

/** Rehearsal time after which due work asks the Payment Hub again that does not say. */
export const PAYMENTS_AGAIN_MS = 30 * 60_000;

/** Rehearsal time after which an order that could not be routed is tried again. */
export const ROUTE_AGAIN_MS = 5_000;

/** Rehearsal time after a failed capture until the next one; after the last one the order is cancelled. */
export const CAPTURE_AGAIN_MS: readonly number[] = [60_000, 5 * 60_000, 30 * 60_000];

/** Wall time for the payments that a reader would like to see but can do without. */
export const VIEW_TIMEOUT_MS = 2_000;

/** Wall time for the payments without which nothing can be decided. */
export const DECIDE_TIMEOUT_MS = 5_000;

/** How long a hold that replaces a lost one lives unconfirmed: it is confirmed at once, or given up and ends by itself. */
export const NEW_HOLD_TTL_SECONDS = 300;
