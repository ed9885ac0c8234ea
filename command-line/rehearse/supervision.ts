import { AsyncLocalStorage } from 'node:async_hooks';
import { nextTurn } from '../../shared/process/waiting.ts';
import { messageOf } from '../output/message-of.ts';

/** Code of a user's file, while it runs and after. */
interface Supervised {
  /** Takes an error that the code did not return to its caller. */
  readonly fail: (error: Error) => void;
}

/** Tells which code an error is of, also long after that code has ended. */
const origin = new AsyncLocalStorage<Supervised>();
let running: Supervised | undefined;

/** Has errors that code of a user leaves to the process fail that code, instead of ending the run. */
export function superviseProcess(): void {
  const strayed = (error: unknown, sentence: string): void => {
    const responsible = origin.getStore() ?? running;
    if (responsible === undefined) throw error;
    responsible.fail(new Error(sentence));
  };
  process.on('unhandledRejection', (error) =>
    strayed(error, `Nothing awaits a promise that failed: ${messageOf(error)} Put await before the call that returns it.`),
  );
  process.on('uncaughtException', (error) =>
    strayed(error, `A timer or a listener failed: ${messageOf(error)} Wrap it in a promise, and await that.`),
  );
}

/**
 * Runs code of a user.
 * @param late takes an error that comes after the code has ended
 * @throws also errors that the code leaves to the process; the signal is then aborted
 */
export async function supervised<T>(work: (stopped: AbortSignal) => Promise<T> | T, late: (error: Error) => void): Promise<T> {
  const stopped = new AbortController();
  const aborted = Promise.withResolvers<never>();
  stopped.signal.addEventListener('abort', () => aborted.reject(stopped.signal.reason));
  let hasEnded = false;
  const supervision: Supervised = { fail: (error) => (hasEnded ? late(error) : stopped.abort(error)) };
  running = supervision;
  const done = origin.run(supervision, async () => {
    const result = await work(stopped.signal);
    // Node reports unhandled rejections after the microtasks in which the work may have ended.
    await nextTurn();
    return result;
  });
  try {
    return await Promise.race([done, aborted.promise]);
  } finally {
    hasEnded = true;
    running = undefined;
  }
}
