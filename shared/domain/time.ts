/** Epoch milliseconds on the rehearsal's clock, unless a name says wall time. */
export type Ms = number;

/** An instant that no clock reaches: the last one that a `Date` can have. */
export const NEVER: Ms = 8_640_000_000_000_000;

/** Formats an instant as RFC 3339 in UTC with milliseconds. */
export const instant = (at: number): string => new Date(at).toISOString();
