import { expect, test } from '@jest/globals';
import { seedData } from '../../estate/seeding.ts';
import { loadFixtures } from '../../fixtures/load.ts';
import { movedInTime } from '../../shared/domain/moved-in-time.ts';
import { instant } from '../../shared/domain/time.ts';

const NOON = Date.parse('2026-03-01T12:00:00.000Z');
const DAY = 86_400_000;
const ELSEWHEN = [NOON, NOON + 1, NOON - 400 * DAY, NOON + 123_456_789, Date.parse('2099-12-31T23:59:59.999Z'), Date.parse('9998-06-01')];

test('A value moved in time equals the value created at that instant: numbers, instants, and instants in JSON', () => {
  const make = (now: number) => ({
    now,
    due: [now + 5 * DAY, 17],
    at: instant(now - DAY),
    always: '2020-01-01T00:00:00.000Z',
    json: JSON.stringify({ begun: instant(now), ended: instant(now + 3), since: '2020-01-01T00:00:00.000Z', qty: 3 }),
    nested: [{ name: 'mug', none: null, times: [instant(now)] }],
  });
  const moved = movedInTime(make, NOON);
  for (const now of ELSEWHEN) expect(moved(now)).toEqual(make(now));
});

test('A value without times is created only once', () => {
  const moved = movedInTime(() => ({ name: 'mug' }), NOON);
  expect(moved(NOON)).toBe(moved(NOON + DAY));
});

test.each<[string, (now: number) => unknown, string]>([
  ['a name', (now) => ({ rows: [{ name: now === NOON ? 'a' : 'b' }] }), '/rows/0/name'],
  ['a number that does not move with it', (now) => ({ age: now * 2 }), '/age'],
  ['the number of members', (now) => ({ rows: now === NOON ? [] : [1] }), '/rows'],
  ['a text beside an instant', (now) => ({ said: `${instant(now)} ${now === NOON}` }), '/said'],
  ['an instant that does not move with it', (now) => ({ at: instant(now * 3) }), '/at'],
])('A value that depends on the instant in another way is not moved in time: %s', (_what, make, pointer) =>
  expect(() => movedInTime(make, NOON)).toThrow(`${pointer} depends on the instant, but is not a time that moves with it.`),
);

test('The first state of a world is equal if it is created for its instant or moved to it', async () => {
  const fixtures = await loadFixtures();
  const moved = movedInTime((now) => seedData(fixtures.at(now), now), NOON);
  for (const now of ELSEWHEN) expect(moved(now)).toEqual(seedData(fixtures.at(now), now));
});
