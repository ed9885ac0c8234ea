const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Rehearsal time without a scan after which a parcel is lost. */
export const GIVE_UP_MS = 14 * DAY;

/** Rehearsal time between the attempts of one webhook, as the Standard Webhooks specification proposes. The first attempt is immediate. */
export const RETRY_AFTER_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
