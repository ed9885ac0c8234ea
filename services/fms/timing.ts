/** Rehearsal time after which due work takes over a request: longer than a request may take. */
export const TAKE_OVER_MS = 30_000;

/** Rehearsal time without a scan after which a failed delivery counts as returned to sender. */
export const GIVE_UP_MS = 7 * 24 * 60 * 60 * 1_000;

/** Time that a scan of the Carrier Platform has to arrive before a failed delivery is examined again. */
export const REPORT_WAIT_MS = 24 * 60 * 60 * 1_000;

/** Wall time for each call after a committed dispatch; slower calls are left to due work. */
export const HAND_OVER_TIMEOUT_MS = 3_000;
