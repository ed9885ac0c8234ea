import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { printError } from '../../shared/process/terminal.ts';
import { nextTurn } from '../../shared/process/waiting.ts';
import { EXIT } from '../failure.ts';
import { messageOf } from '../output/message-of.ts';

/** Code of a user's file, while it runs and after. */
interface Supervised {
  /** Takes an error that the code did not return to its caller. */
  readonly fail: (error: Error) => void;
}
type Late = (error: Error) => void;

/** Tells which code an error is of, also long after that code has ended. */
const origin = new AsyncLocalStorage<Supervised>();
let running: Supervised | undefined;

const WAITS_IN_VAIN =
  'It waits for something that can no longer happen: no timer, request or other work is left that could settle its promise. Resolve or reject each promise that it awaits.';

/** Ends this process, as code of a user may not. */
export const endProcess = process.exit.bind(process);

/** Has errors that code of a user leaves to the process fail that code, instead of ending the run, and waiting in vain or ending the process too. */
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
  // Node has nothing left to do, and would end.
  process.on('beforeExit', () => running?.fail(new Error(WAITS_IN_VAIN)));
  process.exit = (code) => {
    const responsible = origin.getStore();
    if (responsible === undefined) return endProcess(code);
    const error = new Error(
      `It called process.exit(${code ?? ''}), which would end the whole run. Return from run to pass, throw an Error to fail.`,
    );
    responsible.fail(error);
    throw error;
  };
  // For those who import `exit` by its name.
  syncBuiltinESMExports();
}

function failWhatRuns(error: Error): void {
  if (running !== undefined) running.fail(error);
  else {
    printError(`${error.message}\n`);
    process.exitCode = EXIT.fails;
  }
}

/**
 * Runs code of a user.
 * @param interrupted ends the wait for the code
 * @param late takes an error that comes after the code has ended; by default, the code that runs by then fails
 * @throws also errors that the code leaves to the process; its signal is then aborted
 */
export async function supervised<T>(
  work: (stopped: AbortSignal) => Promise<T> | T,
  { interrupted, late = failWhatRuns }: { readonly interrupted?: AbortSignal; readonly late?: Late } = {},
): Promise<T> {
  const strayed = new AbortController();
  const stopped = AbortSignal.any([strayed.signal, ...(interrupted ? [interrupted] : [])]);
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(stopped.reason);
  if (stopped.aborted) abort();
  else stopped.addEventListener('abort', abort);
  let hasEnded = false;
  const supervision: Supervised = { fail: (error) => (hasEnded ? late(error) : strayed.abort(error)) };
  running = supervision;
  const done = origin.run(supervision, async () => {
    const result = await work(stopped);
    // Node reports unhandled rejections after the microtasks in which the work may have ended.
    await nextTurn();
    return result;
  });
  try {
    return await Promise.race([aborted.promise, done]);
  } finally {
    hasEnded = true;
    running = undefined;
  }
}
