import type { Ms } from './time.ts';

/** A formatter takes longer to make than to use. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  formatters.set(timeZone, made);
  return made;
}

/** The day of an instant in a time zone: `20260301`. */
export const localDay = (at: Ms, timeZone: string): string => localDate(at, timeZone).replaceAll('-', '');

/** The day of an instant in a time zone: `2026-03-01`. */
export const localDate = (at: Ms, timeZone: string): string => formatterOf(timeZone).format(at);

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The day that follows a day after so many days. @param day `2026-03-01` */
export const dayAfter = (day: string, days: number): string => new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-GB', { timeZone, hourCycle: 'h23', hour: '2-digit', minute: '2-digit', second: '2-digit' });
  clocks.set(timeZone, made);
  return made;
}

/** The lead of the clocks of a time zone over UTC, in milliseconds. */
const offsetAt = (at: Ms, timeZone: string): number =>
  Date.parse(`${localDate(at, timeZone)}T${clockOf(timeZone).format(at)}Z`) - Math.floor(at / 1_000) * 1_000;

/**
 * The instant when the clocks of a time zone show a time of a day. A time that the clocks skip is as much later as they skip; a time
 * that they show twice is the first one.
 * @param day `2026-03-01`
 * @param minutes since midnight
 */
export function instantAt(day: string, minutes: number, timeZone: string): Ms {
  const shown = Date.parse(day) + minutes * 60_000;
  const before = offsetAt(shown - DAY_MS, timeZone);
  return offsetAt(shown - before, timeZone) === before ? shown - before : laterOffset(shown, before, timeZone);
}

/** The clocks have changed since the day before. */
function laterOffset(shown: number, before: number, timeZone: string): Ms {
  const after = offsetAt(shown - before, timeZone);
  const at = shown - after;
  // A skipped time is shown by neither offset.
  return offsetAt(at, timeZone) === after ? at : shown - before;
}

/** Whether the IANA database has a time zone. It refuses offsets such as +09:00. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Z]/i.test(name)) return false;
  try {
    formatterOf(name);
    return true;
  } catch {
    return false;
  }
}
