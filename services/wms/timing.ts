/** Rehearsal time after which due work takes over what a request began: longer than a request may take. */
export const TAKE_OVER_MS = 30_000;

/**
 * Rehearsal time after which a warehouse that works by itself offers a packed order for dispatch once more, when its money was not
 * captured yet; after the last of these it goes on at that interval, since what was paid back may be paid again any day.
 */
export const OFFER_AGAIN_MS: readonly number[] = [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000];
