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
export const localDay = (at: Ms, timeZone: string): string => formatterOf(timeZone).format(at).replaceAll('-', '');

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
