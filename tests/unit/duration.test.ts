import { expect, test } from '@jest/globals';
import { durationMs } from '../../shared/domain/duration.ts';

test.each([
  ['PT1S', 1_000],
  ['PT0.5S', 500],
  ['PT1,5M', 90_000],
  ['P1DT2H3M4S', 93_784_000],
  ['P2W', 1_209_600_000],
  ['P1W1D', 691_200_000],
  ['PT0S', 0],
  ['-P30D', -2_592_000_000],
])('A duration %s has its length', (text, ms) => expect(durationMs(text)).toBe(ms));

test.each([
  ...['', 'P', 'PT', 'P1DT', 'P1WT', 'PT1S\n', ' PT1S', 'PT1S ', '+PT1S', '--PT1S', 'P-1DT25H', 'PT-1S', 'xPT1S', 'PT1Sx', 'pt1s'],
  ...['P1Y', 'P1M', 'PT1.5H1M', 'PT.5S', 'PT1.S', 'P1S', 'PT1D', 'PT1M1H'],
])('The text %j does not count as a duration', (text) => expect(() => durationMs(text)).toThrow(RangeError));
