import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { listen } from '../../shared/process/fair-server.ts';
import { withTimeLimit } from '../../shared/process/waiting.ts';

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test('A time limit aborts a slower operation, and reports the elapsed time', async () => {
  const silent = createServer(() => undefined);
  const url = await listen(silent, 0, '127.0.0.1');
  const asked = withTimeLimit(30, (signal) => fetch(url, { signal }));
  await expect(asked).rejects.toMatchObject({ name: 'TimeoutError', message: 'It took more than 30 ms.' });
  silent.closeAllConnections();
  silent.close();
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
