import { expect, test } from '@jest/globals';
import {
  afterOpenTime,
  afterOpenTimeOfOrder,
  ClosedDay,
  lastCollection,
  type StoreHours,
} from '../../shared/catalog/inventory/opening-hours.ts';
import { instantAt } from '../../shared/domain/local-day.ts';
import { instant } from '../../shared/domain/time.ts';

const WEEK = {
  mon: ['09:00-13:00', '14:00-18:00'],
  tue: ['09:00-18:00'],
  wed: [],
  thu: ['09:00-18:00'],
  fri: ['09:00-18:00'],
  sat: [],
  sun: [],
};
const hours: StoreHours = { openingHours: WEEK, closedDays: ['12-25', '2026-03-05'], timeZone: 'Europe/Dublin' };
const HOUR = 3_600_000;
const after = (since: string, length: number, of = hours): string | undefined => {
  const at = afterOpenTime(of, Date.parse(since), length);
  return at === undefined ? undefined : instant(at);
};

test.each([
  ['while the store is open', '2026-03-02T09:30:00Z', 2 * HOUR, '2026-03-02T11:30:00.000Z'],
  ['over the lunch break', '2026-03-02T12:00:00Z', 2 * HOUR, '2026-03-02T15:00:00.000Z'],
  ['before the store opens', '2026-03-02T05:00:00Z', 2 * HOUR, '2026-03-02T11:00:00.000Z'],
  ['over the night', '2026-03-02T17:30:00Z', 2 * HOUR, '2026-03-03T10:30:00.000Z'],
  ['over a weekday without hours and a closed day', '2026-03-03T17:30:00Z', 2 * HOUR, '2026-03-06T10:30:00.000Z'],
  ['until the minute when the store closes', '2026-03-02T16:00:00Z', 2 * HOUR, '2026-03-02T18:00:00.000Z'],
  ['over the change to summer time', '2026-03-27T17:00:00Z', 2 * HOUR, '2026-03-30T09:00:00.000Z'],
])('Open time passes %s', (_case, since, length, expected) => expect(after(since, length)).toBe(expected));

/** Closed for the 66 days from 3 March to 7 May. */
const renovating = { ...hours, closedDays: Array.from({ length: 66 }, (_, day) => instant(Date.UTC(2026, 2, 3 + day)).slice(0, 10)) };

test('Goods that wait in a store are handed out until the first open day after a long closure', () => {
  expect(lastCollection(renovating, Date.parse('2026-03-02T09:30:00Z'), 7)).toMatchObject({ lastDay: '2026-05-08' });
  expect(after('2026-03-02T17:00:00Z', 2 * HOUR, renovating)).toBeUndefined();
  expect(instant(afterOpenTimeOfOrder(renovating, Date.parse('2026-03-02T17:00:00Z'), 2 * HOUR))).toBe('2026-05-08T09:00:00.000Z');
});

test('Open time passes in a store that opens again after 60 closed days', () => {
  const closedDays = renovating.closedDays.slice(0, 59);
  expect(after('2026-03-02T18:30:00Z', HOUR, { ...renovating, closedDays })).toBe('2026-05-01T09:00:00.000Z');
});

test.each([
  ['2026-12-24', true],
  ['2028-02-29', true],
  ['02-29', true],
  ['2026-02-29', false],
  ['02-30', false],
  ['04-31', false],
])('A closed day %s is accepted: %s', (day, accepted) => expect(ClosedDay.safeParse(day).success).toBe(accepted));

test('Open time never passes in a store that stays closed', () => {
  const closed = { ...hours, openingHours: { ...WEEK, mon: [], tue: [], thu: [], fri: [] } };
  expect(after('2026-03-02T09:30:00Z', HOUR, closed)).toBeUndefined();
});

test.each([
  ['ends when the store closes on its last day', '2026-03-02T09:30:00Z', 7, { lastDay: '2026-03-09', until: '2026-03-09T18:00:00.000Z' }],
  ['is moved from a closed day to the next', '2026-03-02T09:30:00Z', 2, { lastDay: '2026-03-06', until: '2026-03-06T18:00:00.000Z' }],
  ['ends in summer time', '2026-03-26T09:30:00Z', 7, { lastDay: '2026-04-02', until: '2026-04-02T17:00:00.000Z' }],
  ['skips a day that is closed each year', '2026-12-21T09:30:00Z', 4, { lastDay: '2026-12-28', until: '2026-12-28T18:00:00.000Z' }],
])('The time of collection %s', (_case, since, days, expected) => expect(lastCollection(hours, Date.parse(since), days)).toEqual(expected));

test.each([
  ['UTC', '2026-03-02', 570, '2026-03-02T09:30:00.000Z'],
  ['Asia/Kathmandu', '2026-03-02', 570, '2026-03-02T03:45:00.000Z'],
  ['Pacific/Kiritimati', '2026-03-02', 0, '2026-03-01T10:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29', 150, '2026-03-29T01:30:00.000Z'],
  ['Europe/Berlin', '2026-10-25', 150, '2026-10-25T00:30:00.000Z'],
  ['Europe/Berlin', '2026-10-25', 240, '2026-10-25T03:00:00.000Z'],
  ['America/New_York', '2026-03-08', 1_440, '2026-03-09T04:00:00.000Z'],
])('The clocks of %s show a time of %s at one instant', (timeZone, day, minutes, expected) =>
  expect(instant(instantAt(day, minutes, timeZone))).toBe(expected),
);
