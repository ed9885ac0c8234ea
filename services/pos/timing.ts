/** Rehearsal time after the last call on a transaction that is not paid until it is given up; our choice. */
export const IDLE_MS = 24 * 60 * 60 * 1_000;

/** Rehearsal time after which a transaction whose basket never came is given up: until then its request may be repeated. */
export const OPENING_MS = 15 * 60 * 1_000;

/** Rehearsal time until work that a request could not finish is tried again. */
export const AGAIN_MS = 5_000;

const DELAYS_MS: readonly number[] = [AGAIN_MS, 30_000, 5 * 60_000];
/** The longest of them. */
export const LAST_DELAY_MS = 30 * 60_000;

/** Rehearsal time until what another application does not answer is asked again: longer each time, up to half an hour, for good. */
export const delayAfter = (tries: number): number => DELAYS_MS[tries] ?? LAST_DELAY_MS;

/** Wall time for an authorisation: what is not answered by then has an unknown outcome. */
export const AUTHORISE_PATIENCE_MS = 6_000;

/** Wall time for each other call. */
export const PATIENCE_MS = 3_000;
