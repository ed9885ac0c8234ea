import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Breathe } from '../domain/breathe.ts';
import type { Ms } from '../domain/time.ts';

/** Longest wall time that a computation may block the event loop. */
const SLICE_MS = 3;
/** A turn of the event loop that takes at most this wall time had no other work. */
const IDLE_TURN_MS = 0.3;
/** Pause for other work before the next slice, as a multiple of the length of a slice. */
const REST = 4;

/** Runs a computation in slices. @throws the reason of the signal when it was aborted */
export type InSlices = <T>(gone: AbortSignal, run: (breathe: Breathe) => Promise<T>) => Promise<T>;

/** No client ends the computation: others may wait for its result. */
export const NEVER_GONE = new AbortController().signal;

/** Reads of a long list that run together, before other work gets a turn. */
const READS_AT_ONCE = 20;

/** Reads something for each item of a list, some items at a time. */
export async function readEach<Item, Read>(items: readonly Item[], read: (item: Item) => Promise<Read>, breathe: Breathe): Promise<Read[]> {
  const all: Read[] = [];
  for (let at = 0; at < items.length; at += READS_AT_ONCE) {
    all.push(...(await Promise.all(items.slice(at, at + READS_AT_ONCE).map(read))));
    await breathe();
  }
  return all;
}

interface SlicesOptions {
  /** Yields to other work after a slice of this length. */
  readonly rest?: (worked: Ms) => Promise<void>;
  readonly sliceMs?: Ms;
}

/**
 * Runs long computations in slices of some milliseconds, so that requests are answered in between. All computations of the process take
 * turns. Together they take at most a fifth of its time while there is other work.
 */
export function createSlices({ rest = restAfter, sliceMs = SLICE_MS }: SlicesOptions = {}): InSlices {
  let last: Promise<void> = Promise.resolve();

  /** Waits for its turn. @returns the function that ends it */
  function enter(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last;
    last = promise;
    return before.then(() => resolve);
  }

  return async function inSlices<T>(gone: AbortSignal, run: (breathe: Breathe) => Promise<T>): Promise<T> {
    let leave = await enter();
    let resting: Promise<void> | undefined;
    let isOver = false;
    try {
      gone.throwIfAborted();
      let since = performance.now();
      const nextSlice = async (): Promise<void> => {
        await rest(performance.now() - since);
        leave();
        leave = await enter();
        // The computation ended while this part waited for its turn.
        if (isOver) leave();
        gone.throwIfAborted();
        since = performance.now();
      };
      // Parts of a computation that run together rest together: two turns of one computation would wait for each other.
      const rested = (): Promise<void> => {
        resting ??= nextSlice().finally(() => {
          resting = undefined;
        });
        return resting;
      };
      return await run(() => (resting === undefined && performance.now() - since < sliceMs ? undefined : rested()));
    } finally {
      isOver = true;
      leave();
    }
  };
}

async function restAfter(worked: Ms): Promise<void> {
  const ended = performance.now();
  await nextTurn();
  if (performance.now() - ended > IDLE_TURN_MS) await pause(worked * REST);
}
