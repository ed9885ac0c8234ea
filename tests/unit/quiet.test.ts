import { expect, test } from '@jest/globals';
import { quietText, waitUntilQuiet } from '../../bench/quiet.ts';

test('A benchmark waits until the load is below 0.5, with a line of progress for each reading', async () => {
  const loads = [2.1, 0.9, 0.4];
  const lines: string[] = [];
  const quiet = await waitUntilQuiet({ atMost: 60, progress: (line) => lines.push(line), load: () => loads.shift() ?? 0, pollMs: 1 });
  expect(quiet).toEqual({ load: 0.4, isQuiet: true, waitedSeconds: 0 });
  expect(lines).toEqual([
    'the load is 2.1: waiting until it is below 0.5, for 60 s at most',
    'the load is 0.9: waiting until it is below 0.5, for 60 s at most',
  ]);
  expect(quietText(quiet)).toBe('The load was 0.4 when the run began.');
});

test('A benchmark begins at its time limit under a high load, and its result reports the load', async () => {
  const quiet = await waitUntilQuiet({ atMost: 0, progress: () => undefined, load: () => 2.1 });
  expect(quiet).toEqual({ load: 2.1, isQuiet: false, waitedSeconds: 0 });
  expect(quietText(quiet)).toContain('THE MACHINE WAS BUSY: the load was 2.1');
});
