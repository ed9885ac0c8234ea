import { expect, test } from '@jest/globals';
import { withTimeLimit } from '../../shared/process/waiting.ts';
import { serving } from '../conform/serving.ts';

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('A time limit aborts a slower operation, and reports the elapsed time', async () => {
  await using silent = await serving(() => undefined);
  const asked = withTimeLimit(30, (signal) => fetch(silent.url, { signal }));
  await expect(asked).rejects.toMatchObject({ name: 'TimeoutError', message: 'It took more than 30 ms.' });
});

test('A time limit leaves no timer behind after a success or a failure', async () => {
  const before = timers();
  const ends = ['succeeds', 'fails'].map((end) =>
    withTimeLimit(60_000, async () => (end === 'fails' ? Promise.reject(new Error('no')) : end)),
  );
  expect(timers()).toBe(before + 2);
  expect((await Promise.allSettled(ends)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(timers()).toBe(before);
});
