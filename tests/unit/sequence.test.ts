import { expect, test } from '@jest/globals';
import { createSequence } from '../../shared/process/waiting.ts';

test('Work in a sequence runs one after the other, and each leaves a turn to other work', async () => {
  const inSequence = createSequence();
  let turns = 0;
  let ended = false;
  const count = (): void => {
    turns += 1;
    if (!ended) setImmediate(count);
  };
  count();
  const seen: string[] = [];
  const work = (name: number) => async () => {
    seen.push(`${name} begins`);
    await undefined;
    seen.push(`${name} ends`);
    return name;
  };
  expect(await Promise.all([1, 2, 3, 4, 5].map((name) => inSequence(work(name))))).toEqual([1, 2, 3, 4, 5]);
  ended = true;
  expect(seen).toEqual([1, 2, 3, 4, 5].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect(turns).toBeGreaterThanOrEqual(5);
});

test('Work in a sequence that fails does not stop the next', async () => {
  const inSequence = createSequence();
  const failed = inSequence(async () => Promise.reject(new Error('broken')));
  const next = inSequence(async () => 'done');
  await expect(failed).rejects.toThrow('broken');
  expect(await next).toBe('done');
});
