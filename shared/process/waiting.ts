import { setTimeout as timer } from 'node:timers/promises';
import type { Breathe } from '../domain/breathe.ts';

/** Waits, in ms of wall time. With a signal, aborting it ends the wait, and the wait does not keep the process alive. */
export async function pause(ms: number, stopped?: AbortSignal): Promise<void> {
  await timer(ms, undefined, stopped ? { signal: stopped, ref: false } : {}).catch(() => {});
}

/** Yields to other requests, timers and I/O of the process. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Runs work one after the other, first added first. Each begins in its own turn of the event loop. */
export type InSequence = <T>(work: () => Promise<T>) => Promise<T>;

export function createSequence(): InSequence {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const made = last.then(nextTurn).then(work);
    last = made.catch(() => {});
    return made;
  };
}

/** Longest wall time that a computation may block the event loop. */
const SLICE_MS = 5;

/** For a long computation that calls the result often. @returns undefined while the computation has not lasted long; then it waits for others */
export function inShortTurns(): Breathe {
  let since = performance.now();
  const breathe = async (): Promise<void> => {
    await nextTurn();
    since = performance.now();
  };
  return () => (performance.now() - since < SLICE_MS ? undefined : breathe());
}

/** As `Buffer.concat`, with pauses in between: the bytes of a large world take a turn of fifty milliseconds. */
export async function joinedBreathing(chunks: readonly Uint8Array[], breathe: Breathe): Promise<Buffer<ArrayBuffer>> {
  const joined = Buffer.allocUnsafe(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    const waiting = breathe();
    if (waiting) await waiting;
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}

/** Permits a pause after each of a number of rows, so that a long computation takes several turns. */
export function inTurns(rowsPerTurn: number): Breathe {
  let rows = 0;
  return () => {
    rows += 1;
    return rows % rowsPerTurn === 0 ? nextTurn() : undefined;
  };
}

/** @param ms wall time @returns whether the work ended in time; it is not aborted */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const limit = new AbortController();
  try {
    return await Promise.race([work.then(() => true), timer(ms, false, { signal: limit.signal })]);
  } finally {
    limit.abort();
  }
}

/**
 * Runs something that can be aborted, and aborts it with a `TimeoutError` after `ms` of wall time. `AbortSignal.timeout` would keep its
 * timer after the work has ended, so thousands of answered requests would still have a timer.
 */
export async function withTimeLimit<T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const limitTimer = setTimeout(() => limit.abort(new DOMException(`It took more than ${ms} ms.`, 'TimeoutError')), ms);
  try {
    return await run(limit.signal);
  } finally {
    clearTimeout(limitTimer);
  }
}
