const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long after its completion goods of an order may be announced to come back. */
export const RETURN_WINDOW_MS = 30 * DAY_MS;

/** Rehearsal time that an inspected return waits for the order that it is exchanged for. */
export const EXCHANGE_WAIT_MS = 7 * DAY_MS;

/** Rehearsal time after which nobody waits any more for a return whose parcel is lost, or back with its customer. */
export const GIVE_UP_MS = 7 * DAY_MS;

/** Rehearsal time after which due work takes over what a request began: longer than a request may take. */
export const TAKE_OVER_MS = 30_000;
