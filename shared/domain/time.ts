/** Epoch milliseconds, on the rehearsal's clock unless a name or comment mentions wall time. */
export type Ms = number;

/** An instant that no clock reaches: the last instant of a `Date`. */
export const NEVER: Ms = 8_640_000_000_000_000;

/** Tolerated difference between the rehearsal's time and an instant from another party's clock. */
export const CLOCK_TOLERANCE_MS: Ms = 5 * 60 * 1_000;

/** Cache of the last instants and their texts: a request and its events write the same few instants many times. */
const KEPT = 16;
const keptAt = new Float64Array(KEPT).fill(Number.NaN);
const keptText = new Array<string>(KEPT).fill('');

/** Formats an instant as RFC 3339 in UTC with milliseconds. */
export function instant(at: Ms): string {
  const place = at & (KEPT - 1);
  if (keptAt[place] !== at) {
    keptText[place] = new Date(at).toISOString();
    keptAt[place] = at;
  }
  return keptText[place] as string;
}
