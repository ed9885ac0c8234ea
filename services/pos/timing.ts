const MINUTE_MS = 60_000;

/** Rehearsal time after the last call on an unpaid transaction until it is voided. The source document does not specify it. */
export const IDLE_MS = 24 * 60 * MINUTE_MS;

/** Rehearsal time after which the till captures a paid sale. Authorisations live for 7 days. The source document does not specify it. */
export const CAPTURE_AT_TILL_MS = 24 * 60 * MINUTE_MS;

/** Rehearsal time until a transaction without a basket is given up. Until then its request may be repeated. */
export const OPENING_MS = 15 * MINUTE_MS;

/** Rehearsal time until unfinished work of a request is tried again. */
export const FIRST_RETRY_MS = 5_000;
const RETRIES_MS: readonly number[] = [FIRST_RETRY_MS, 30_000, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * 60 * MINUTE_MS, 6 * 60 * MINUTE_MS];
const LONGEST_RETRY_MS = 12 * 60 * MINUTE_MS;

/** Rehearsal time until another application that did not answer is called again, unless it is back earlier. There is no last retry. */
export const retryDelayMs = (tries: number): number => RETRIES_MS[tries] ?? LONGEST_RETRY_MS;

/** Wall time for an authorisation. Without an answer by then, its outcome is unknown. */
export const AUTHORIZE_TIMEOUT_MS = 6_000;

/** Wall time for any other call. */
export const CALL_TIMEOUT_MS = 3_000;
