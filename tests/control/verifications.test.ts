import { expect, test } from '@jest/globals';
import type { InvariantResult } from '../../control/verify/invariant.ts';
import { createVerifications } from '../../control/verify/verify.ts';
import { createSlices } from '../../shared/process/slices.ts';
import { newRehearsal } from '../support/estate.ts';

const WORLD = 'r~1' as const;
const OTHER = 'r~2' as const;
const staying = new AbortController().signal;

/** Verifications that the test ends explicitly. Each reads the state when it begins. */
function byHand() {
  let state = 0;
  const begun: { readonly world: string; readonly read: number; end(): void }[] = [];
  const verified = createVerifications({
    inSlices: (gone, run) =>
      new Promise((resolve, reject) => {
        gone.addEventListener('abort', () => reject(gone.reason));
        run(() => undefined).then(resolve, reject);
      }),
    verify: (world) =>
      new Promise((resolve) => {
        const read = state;
        const result = [{ id: 'money', title: '', holds: true, checked: read, violations: [] } satisfies InvariantResult];
        begun.push({ world, read, end: () => resolve(result) });
      }),
  });
  return {
    begun,
    change: () => {
      state += 1;
    },
    ask: async (world: typeof WORLD | typeof OTHER = WORLD, client = staying) => Number((await verified(world, client))[0]?.checked),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('Sixteen concurrent requests share one verification of a world', async () => {
  const { begun, ask } = byHand();
  const answers = Array.from({ length: 16 }, () => ask());
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.end();
  expect(new Set(await Promise.all(answers))).toEqual(new Set([0]));
});

test('Requests that arrive during a verification of their world share the next one, which reads the state after their arrival', async () => {
  const { begun, ask, change } = byHand();
  const first = ask();
  await turn();
  change();
  const later = Array.from({ length: 15 }, () => ask());
  await turn();
  expect(begun).toHaveLength(1);
  begun[0]?.end();
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]?.end();
  expect(await first).toBe(0);
  expect(new Set(await Promise.all(later))).toEqual(new Set([1]));
});

test('A verification continues while one of its clients is connected, and ends when the last one disconnects', async () => {
  const { begun, ask } = byHand();
  const [one, two] = [new AbortController(), new AbortController()];
  const answers = [ask(WORLD, one.signal), ask(WORLD, two.signal)];
  const outcomes = Promise.allSettled(answers);
  await turn();
  one.abort();
  await turn();
  two.abort();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = ask();
  await turn();
  begun[1]?.end();
  expect(await next).toBe(0);
});

test('A verification does not begin when all its clients have disconnected, and a later client gets a new one', async () => {
  const { begun, ask } = byHand();
  const first = ask();
  await turn();
  const leaving = new AbortController();
  const left = ask(WORLD, leaving.signal);
  leaving.abort();
  const stayed = ask();
  begun[0]?.end();
  await expect(left).rejects.toThrow();
  await turn();
  expect(begun).toHaveLength(2);
  begun[1]?.end();
  await Promise.all([first, stayed]);
});

test('Verifications of two worlds do not wait for each other, and a failed one does not stop the next one', async () => {
  const { begun, ask } = byHand();
  const answers = [ask(WORLD), ask(OTHER)];
  await turn();
  expect(begun.map(({ world }) => world)).toEqual([WORLD, OTHER]);
  for (const one of begun) one.end();
  await Promise.all(answers);
  const failing = createVerifications({ inSlices: createSlices(), verify: () => Promise.reject(new Error('no store')) });
  await expect(failing(WORLD, staying)).rejects.toThrow('no store');
  await expect(failing(WORLD, staying)).rejects.toThrow('no store');
});

/** A computation that takes several turns of the event loop. */
const work = (turns: string[], name: string) => async (breathe: () => Promise<void> | undefined) => {
  for (let n = 0; n < 3; n++) {
    turns.push(name);
    await breathe();
  }
  return name;
};

test('A computation in slices lets other work run in between', async () => {
  const turns: string[] = [];
  const inSlices = createSlices({ sliceMs: 0 });
  const other = setInterval(() => turns.push('other'), 0);
  await inSlices(staying, async (breathe) => {
    for (const until = Date.now() + 200; Date.now() < until; ) {
      turns.push('slice');
      for (const end = Date.now() + 2; Date.now() < end; );
      await breathe();
    }
  });
  clearInterval(other);
  const [slices, others] = ['slice', 'other'].map((name) => turns.filter((one) => one === name).length);
  expect(others).toBeGreaterThan((slices ?? 0) / 2);
});

test('Slices of two computations alternate', async () => {
  const turns: string[] = [];
  const inSlices = createSlices({ sliceMs: 0, rest: async () => undefined });
  await Promise.all([inSlices(staying, work(turns, 'a')), inSlices(staying, work(turns, 'b'))]);
  expect(turns).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
});

test('Slices end when their clients have left, and the next computation begins', async () => {
  const turns: string[] = [];
  const inSlices = createSlices({ sliceMs: 0, rest: async () => undefined });
  const gone = new AbortController();
  const left = inSlices(gone.signal, async (breathe) => {
    for (;;) {
      turns.push('a');
      if (turns.length === 2) gone.abort();
      await breathe();
    }
  });
  await expect(left).rejects.toThrow();
  expect(await inSlices(staying, work(turns, 'b'))).toBe('b');
  expect(turns).toEqual(['a', 'a', 'b', 'b', 'b']);
});

test('A verification beside clients that fill baskets reports no violation of a settled rehearsal', async () => {
  await using rehearsal = await newRehearsal();
  // A verification of so many orders takes several slices, between which clients change the world.
  for (let n = 0; n < 12; n++) await Promise.all(Array.from({ length: 8 }, () => rehearsal.confirmed()));
  let isOver = false;
  const shopping = async (): Promise<void> => {
    while (!isOver) await rehearsal.basket();
  };
  const clients = [shopping(), shopping(), shopping()];
  const outcomes: { settled: boolean; holds: boolean; waitingFor: readonly string[] }[] = [];
  for (let n = 0; n < 4; n++) outcomes.push(await rehearsal.control('verify'));
  isOver = true;
  await Promise.all(clients);
  expect(outcomes.filter(({ settled, holds }) => settled && !holds)).toEqual([]);
  await rehearsal.settle();
  await rehearsal.verify();
});
