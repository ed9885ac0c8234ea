import { z } from 'zod';
import { dayAfter, instantAt, localDate } from '../../domain/local-day.ts';
import { instant, type Ms } from '../../domain/time.ts';
import { Instant } from '../shapes.ts';
import { TimeZone } from '../time-zone.ts';

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

const HOURS = /^(?:[01]\d|2[0-3]):[0-5]\d-(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

const Hours = z
  .array(z.string().regex(HOURS, 'This must be two times of a day, such as 09:30-18:00.'))
  .max(4)
  .default([])
  .describe('Opening times of the day, in order. Empty: it is closed.');

/** The opening hours of a store, in its time zone. */
export const OpeningHours = z
  .strictObject({ mon: Hours, tue: Hours, wed: Hours, thu: Hours, fri: Hours, sat: Hours, sun: Hours })
  .meta({ id: 'OpeningHours', description: 'Opening hours by weekday, in the time zone of the store.' });
export type OpeningHours = z.output<typeof OpeningHours>;

const CLOSED_DAY = 'This must be a day such as 2026-12-24 or, for each year, 12-25.';

/** A day of each year exists in a leap year. */
const isDay = (day: string): boolean => z.iso.date().safeParse(day.length === 5 ? `2024-${day}` : day).success;

export const ClosedDay = z
  .string()
  .regex(/^(?:\d{4}-)?(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, CLOSED_DAY)
  .refine(isDay, CLOSED_DAY)
  .meta({ id: 'ClosedDay', description: 'A day when a store is closed: 2026-12-24 or, for each year, 12-25.' });

/** When a store is open. */
export const StoreHours = z.object({ openingHours: OpeningHours, closedDays: z.array(ClosedDay).max(366), timeZone: TimeZone });
export type StoreHours = z.output<typeof StoreHours>;

/** A store that stays closed longer hands out nothing. */
const MOST_DAYS = 60;
/** The days that are looked at for goods that a store has to hand out. Closed days that are listed end within this time. */
const DAYS_OF_OPEN_ORDERS = 400;

interface Opening {
  readonly from: Ms;
  readonly to: Ms;
}

/** Minutes since midnight: `09:30` is 570. */
const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Times of a day as minutes since midnight. */
export const hoursOf = (hours: string): { readonly from: number; readonly to: number } => {
  const [from = '', to = ''] = hours.split('-');
  return { from: minutesOf(from), to: minutesOf(to) };
};

/** The opening times of the store on a day. */
function openingsOn(day: string, { openingHours, closedDays, timeZone }: StoreHours): Opening[] {
  if (closedDays.includes(day) || closedDays.includes(day.slice(5))) return [];
  const weekday = WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7] ?? 'mon';
  return openingHours[weekday]
    .map(hoursOf)
    .map(({ from, to }) => ({ from: instantAt(day, from, timeZone), to: instantAt(day, to, timeZone) }));
}

/** The instant when the store has been open for so long since another one. @returns undefined if that takes more than `mostDays` */
export function afterOpenTime(hours: StoreHours, since: Ms, length: number, mostDays: number = MOST_DAYS): Ms | undefined {
  let left = length;
  const today = localDate(since, hours.timeZone);
  for (let days = 0; days <= mostDays; days++) {
    for (const { from, to } of openingsOn(dayAfter(today, days), hours)) {
      const start = Math.max(from, since);
      if (start >= to) continue;
      if (start + left <= to) return start + left;
      left -= to - start;
    }
  }
  return undefined;
}

/** The instant when a store has been open for so long, for goods that it has to hand out however long it stays closed. */
export const afterOpenTimeOfOrder = (hours: StoreHours, since: Ms, length: number): Ms =>
  afterOpenTime(hours, since, length, DAYS_OF_OPEN_ORDERS) ??
  instantAt(dayAfter(localDate(since, hours.timeZone), DAYS_OF_OPEN_ORDERS), 0, hours.timeZone);

export const CollectionUntil = z
  .object({ lastDay: z.iso.date().describe('The last day of collection, in the time zone of the store.'), until: Instant })
  .meta({ id: 'CollectionUntil' });

/** The last day of collection, and the instant when the store closes on it. A closed day moves it to the next. */
export function lastCollection(hours: StoreHours, since: Ms, days: number): z.output<typeof CollectionUntil> {
  const first = dayAfter(localDate(since, hours.timeZone), days);
  for (let more = 0; more <= DAYS_OF_OPEN_ORDERS; more++) {
    const lastDay = dayAfter(first, more);
    const closing = openingsOn(lastDay, hours).at(-1)?.to;
    if (closing !== undefined && closing > since) return { lastDay, until: instant(closing) };
  }
  return { lastDay: first, until: instant(instantAt(dayAfter(first, 1), 0, hours.timeZone)) };
}
