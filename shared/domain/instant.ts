/** RFC 3339: date, time and offset, letters in either case, any number of fractional digits. */
const RFC_3339 = /^(\d{4}-\d{2}-\d{2})t(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:z|([+-])(\d{2}):(\d{2}))$/i;

const MINUTE = 60_000;
/** The years 1 to 9999, which RFC 3339 can write with four digits. */
const EARLIEST = Date.parse('0001-01-01T00:00:00.000Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The instant of an RFC 3339 text in epoch milliseconds. Digits beyond milliseconds are dropped. The epoch does not count leap seconds: a leap
 * second becomes the last millisecond of its minute, so that it sorts before later instants.
 * @returns undefined when the text is not an RFC 3339 instant in the years 1 to 9999 of UTC
 */
export function parseInstant(text: string): number | undefined {
  const [, date, hours, minutes, seconds, fraction = '', sign, offsetHours = '00', offsetMinutes = '00'] = RFC_3339.exec(text) ?? [];
  if (date === undefined || Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined;
  const isLeap = seconds === '60';
  const milliseconds = isLeap ? '59.999' : `${seconds}.${fraction.padEnd(3, '0').slice(0, 3)}`;
  const local = Date.parse(`${date}T${hours}:${minutes}:${milliseconds}Z`);
  // Date.parse accepts 30 February as 1 or 2 March, and 24:00 as the next day.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(`${date}T${hours}`)) return undefined;
  const ahead = (Number(offsetHours) * 60 + Number(offsetMinutes)) * MINUTE;
  const at = sign === '-' ? local + ahead : local - ahead;
  if (at < EARLIEST || at > LATEST || (isLeap && !canBeLeap(at))) return undefined;
  return at;
}

/** Leap seconds occur only at the end of a month of UTC. */
const canBeLeap = (at: number): boolean => new Date(at + 1).toISOString().endsWith('-01T00:00:00.000Z');

/** Compares two instants by time, for sorting. Below 0 when the first one is earlier. */
export const compareInstants = (one: string, other: string): number => Date.parse(one) - Date.parse(other);
