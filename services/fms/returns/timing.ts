const DAY_MS = 24 * 60 * 60 * 1_000;

/** A return may be announced for this rehearsal time after its order is completed. */
export const RETURN_WINDOW_MS = 30 * DAY_MS;

/** Rehearsal time that an inspected return waits for the order of its exchange. */
export const EXCHANGE_WAIT_MS = 7 * DAY_MS;

/** Rehearsal time after which a return is given up whose parcel is lost or went back to the customer. */
export const GIVE_UP_MS = 7 * DAY_MS;
