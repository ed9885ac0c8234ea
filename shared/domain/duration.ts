import { parse } from 'tinyduration';
import { shortened } from './text.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Matches the whole text: each unit once and in order, a minus sign only at the start, a fraction only in the last unit. */
const WRITTEN =
  /^-?P(?=[\dT])(?!.*[.,]\d+[A-Z].*\d)(?:\d+(?:[.,]\d+)?W)?(?:\d+(?:[.,]\d+)?D)?(?:T(?=\d)(?:\d+(?:[.,]\d+)?H)?(?:\d+(?:[.,]\d+)?M)?(?:\d+(?:[.,]\d+)?S)?)?$/;

/**
 * Milliseconds of `P2D`, `PT15M`, `-P30D`; a day has 24 hours.
 * @throws RangeError for other text, and for years and months, whose length varies
 */
export function durationMs(text: string): number {
  const duration = WRITTEN.test(text) ? parsed(text) : undefined;
  if (!duration) {
    throw new RangeError(`"${shortened(text, LONGEST_SHOWN)}" is not a duration in weeks, days, hours, minutes and seconds.`);
  }
  const { weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0 } = duration;
  const length = (weeks * 7 + days) * DAY + hours * HOUR + minutes * MINUTE + seconds * SECOND;
  return Math.round(duration.negative ? -length : length);
}

/** Milliseconds of a duration that is compared with another one, before its own check is known. @returns NaN for other text */
export function comparableMs(text: string): number {
  try {
    return durationMs(text);
  } catch {
    return Number.NaN;
  }
}

/** Characters of a text in an error. */
const LONGEST_SHOWN = 100;

function parsed(text: string): ReturnType<typeof parse> | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Shortest idle time, so that a client has time for its next request. */
const SHORTEST_IDLE = SECOND;
const LONGEST_IDLE = 366 * DAY;

/** Milliseconds of a rehearsal's idle time. @throws RangeError with a sentence for other text, or out of range */
export function idleExpiryMs(text: string): number {
  const ms = durationMs(text);
  if (ms >= SHORTEST_IDLE && ms <= LONGEST_IDLE) return ms;
  throw new RangeError(`"${text}" is not from PT1S to P366D.`);
}

export function isIdleExpiry(text: string): boolean {
  try {
    return idleExpiryMs(text) > 0;
  } catch {
    return false;
  }
}

const UNITS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const;

/** A length in its largest whole unit: `30 days`, `36 hours`, `15 minutes`, `90 seconds`. */
export function lengthInWords(ms: number): string {
  const [name, size] = UNITS.find(([, unit]) => ms % unit === 0) ?? ['second', SECOND];
  const count = ms / size;
  return count === 1 ? `1 ${name}` : `${count} ${name}s`;
}
