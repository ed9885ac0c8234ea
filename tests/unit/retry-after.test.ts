import { expect, test } from '@jest/globals';
import { retryAfterIn } from '../../shared/domain/retry-after.ts';

const now = Date.parse('2026-03-01T10:00:00Z');

test.each([
  ['120', 120],
  [' 7 ', 7],
  ['86401', 86_400],
  ['1000000000000000', 86_400],
  ['9'.repeat(400), 86_400],
  ['Sun, 01 Mar 2026 10:01:30 GMT', 90],
  ['Sun, 01 Mar 2099 10:01:30 GMT', 86_400],
] as const)('Retry-After: %s is read as a wait of at most a day', (header, seconds) => {
  expect(retryAfterIn(header, now)).toBe(seconds);
  expect(retryAfterIn([header, '5'], now)).toBe(seconds);
});

test.each([
  '',
  '0',
  '-5',
  '1.5',
  '1e15',
  '1e308',
  '0x10',
  'Infinity',
  'soon',
  'Sun, 01 Mar 2026 09:59:00 GMT',
  'Sun, 99 Mar 2026 10:00:00 GMT',
  '2027-01-01',
])('Retry-After: %s has no wait', (header) => expect(retryAfterIn(header, now)).toBeUndefined());

test('A missing Retry-After has no wait', () =>
  expect([undefined, null, []].map((header) => retryAfterIn(header, now))).toEqual([undefined, undefined, undefined]));
