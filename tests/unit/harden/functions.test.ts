import { expect, test } from '@jest/globals';
import type { EstateRehearsal } from '../../../rehearsal/estate-rehearsal.ts';
import { checkOfFunction, playOfFunction, trouble } from '../../../rehearsal/harden/functions.ts';

/** The functions of these tests make no call. */
const rehearsal = {} as EstateRehearsal;
const never = () => new Promise(() => {});

test('A story that does not end is stopped after its limit, and its signal aborts', async () => {
  let given: AbortSignal | undefined;
  const play = playOfFunction(
    (_, { signal }) => {
      given = signal;
      return never();
    },
    () => {},
  );
  expect(await play(rehearsal, { limitMs: 20 })).toEqual({ exitCode: undefined });
  expect(given?.aborted).toBe(true);
});

test('A story that the user interrupts ends with the reason of the interruption', async () => {
  const interruption = new AbortController();
  const play = playOfFunction(
    () => {
      interruption.abort(new Error('Ctrl-C'));
      return never();
    },
    () => {},
  );
  await expect(play(rehearsal, { limitMs: 10_000, signal: interruption.signal })).rejects.toThrow('Ctrl-C');
  await expect(play(rehearsal, { limitMs: 10_000, signal: interruption.signal })).rejects.toThrow('Ctrl-C');
});

test.each<[what: string, story: () => unknown, played: object]>([
  ['an object', () => ({ orders: 1 }), { exitCode: 0, check: '{"orders":1}' }],
  ['a text', async () => 'one order', { exitCode: 0, check: 'one order' }],
  ['nothing', () => {}, { exitCode: 0, check: undefined }],
  [
    'an error',
    () => {
      throw new Error('no order');
    },
    { exitCode: 1 },
  ],
])('A story with %s as its result has an exit code and a check', async (_what, story, played) =>
  expect(await playOfFunction(story, () => {})(rehearsal, { limitMs: 10_000 })).toEqual(played),
);

test('A check that throws or returns nothing has done no work', async () => {
  const failing = await checkOfFunction(() => Promise.reject(new Error('connection refused')))(rehearsal);
  const empty = await checkOfFunction(() => {})(rehearsal);
  expect([failing, empty].map((text) => trouble(`{"orders":1}\n${text}`))).toEqual([
    'The check failed: connection refused',
    'The check printed nothing.',
  ]);
  expect(trouble(await checkOfFunction(() => ['one', 'two'])(rehearsal))).toBeUndefined();
});
