import { expect, test } from '@jest/globals';
import { createChangeWaits } from '../../control/clock/change-waits.ts';
import type { World } from '../../shared/domain/world.ts';
import { eventually } from '../support/eventually.ts';

const [BUSY, QUIET] = ['busy~1' as World, 'quiet~1' as World];
/** Longer than the test. */
const POLL_MS = 600_000;

/** Waits for changes that the test announces. */
function waits() {
  let announce: (world: World, waitMs: number) => void = () => undefined;
  const changes = createChangeWaits(
    {
      watch: (listener: typeof announce) => {
        announce = listener;
        return () => undefined;
      },
    } as unknown as Parameters<typeof createChangeWaits>[0],
    () => undefined,
  );
  const woken = new Map<World, number>();
  const wait = (world: World): void => {
    void changes.next(world, POLL_MS).happened.then(() => woken.set(world, (woken.get(world) ?? 0) + 1));
  };
  const wokenNow = async (world: World): Promise<number> => {
    await Promise.resolve();
    return woken.get(world) ?? 0;
  };
  return { wait, announced: (world: World) => announce(world, Number.POSITIVE_INFINITY), wokenNow };
}

test('A change wakes twenty waits of a world, and the others later, each once', async () => {
  const { wait, announced, wokenNow } = waits();
  for (let count = 0; count < 500; count++) wait(BUSY);
  announced(BUSY);
  expect(await wokenNow(BUSY)).toBe(20);
  announced(BUSY);
  expect(await wokenNow(BUSY)).toBe(20);
  await eventually('all are woken', async () => (await wokenNow(BUSY)) === 500);
});

test('The waits of a world do not delay the waits of another one', async () => {
  const { wait, announced, wokenNow } = waits();
  for (let count = 0; count < 500; count++) wait(BUSY);
  for (let count = 0; count < 20; count++) wait(QUIET);
  announced(BUSY);
  announced(QUIET);
  expect(await wokenNow(QUIET)).toBe(20);
  await eventually('all are woken', async () => (await wokenNow(BUSY)) === 500);
});
