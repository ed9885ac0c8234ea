/** Rehearsal time after the last call on a transaction that is not paid until it is given up; our choice. */
export const IDLE_MS = 24 * 60 * 60 * 1_000;

/** Rehearsal time after which a transaction whose basket never came is given up: until then its request may be repeated. */
export const OPENING_MS = 15 * 60 * 1_000;

/** Rehearsal time until work that a request could not finish is tried again. */
export const AGAIN_MS = 5_000;

/** Rehearsal time between attempts to submit a sale while the OMS is down; the last one for good. */
export const SUBMIT_AGAIN_MS: readonly number[] = [AGAIN_MS, 30_000, 5 * 60_000, 30 * 60_000];

/** Wall time for an authorisation: what is not answered by then has an unknown outcome. */
export const AUTHORISE_PATIENCE_MS = 6_000;

/** Wall time for each other call. */
export const PATIENCE_MS = 3_000;
