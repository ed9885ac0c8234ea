/** Rehearsal time after which due work takes over a request: longer than a request may take. */
export const TAKE_OVER_MS = 30_000;

/** Rehearsal time between offers for dispatch while payment is not captured. The last repeats: a refunded payment may be paid again. */
export const OFFER_AGAIN_MS: readonly number[] = [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000];
