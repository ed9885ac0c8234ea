import { AsyncLocalStorage } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import { constants } from 'node:os';
import { inOneLine } from '../../shared/domain/printable.ts';
import { printError } from '../../shared/process/terminal.ts';
import { nextTurn } from '../../shared/process/waiting.ts';
import { EXIT } from '../failure.ts';

/** Code of a user's file. */
interface Supervised {
  /** Receives an error that the code left to the process. */
  readonly fail: (error: Error) => void;
}
type Late = (error: Error) => void;

/** Finds the code that caused an error, even after that code has ended. */
const origin = new AsyncLocalStorage<Supervised>();
/** The codes that run now, for an error whose origin is unknown. */
const running = new Set<Supervised>();

const WAITS_FOREVER =
  'It waits for something that can no longer happen: no timer, request or other work is left that could settle its promise. Resolve or reject each promise that it awaits.';

/** The real `process.exit`, which code of a user cannot call. */
export const endProcess = process.exit.bind(process);

/** Makes a user's code fail, instead of the run, when it leaves an error to the process, waits forever or calls `process.exit`. */
export function superviseProcess(): void {
  const strayed = (error: unknown, sentence: string): void => {
    const found = origin.getStore();
    const responsible = found ? [found] : [...running];
    if (responsible.length === 0) throw error;
    for (const one of responsible) one.fail(new Error(sentence));
  };
  process.on('unhandledRejection', (error) =>
    strayed(error, `Nothing awaits a promise that failed: ${messageOf(error)} Put await before the call that returns it.`),
  );
  process.on('uncaughtException', (error) =>
    strayed(error, `A timer or a listener failed: ${messageOf(error)} Wrap it in a promise, and await that.`),
  );
  // The event loop is empty: nothing can settle the promises of the running codes.
  process.on('beforeExit', () => failWhatRuns(new Error(WAITS_FOREVER)));
  process.exit = (code) => {
    const responsible = origin.getStore();
    if (responsible === undefined) return endProcess(code);
    const error = new Error(
      `It called process.exit(${code ?? ''}), which would end the whole run. Return from run to pass, throw an Error to fail.`,
    );
    responsible.fail(error);
    throw error;
  };
  // For code that imports `exit` by its name.
  syncBuiltinESMExports();
}

function failWhatRuns(error: Error): void {
  for (const one of running) one.fail(error);
}

function failWhatRunsOrReport(error: Error): void {
  if (running.size > 0) failWhatRuns(error);
  else {
    printError(`${error.message}\n`);
    process.exitCode = EXIT.fails;
  }
}

/**
 * Runs code of a user.
 * @param interrupted stops waiting for the code
 * @param late receives an error after the code has ended; by default, the code that runs then fails
 * @throws errors of the code, including errors that it leaves to the process, which abort its signal
 */
export async function supervised<T>(
  work: (stopped: AbortSignal) => Promise<T> | T,
  { interrupted, late = failWhatRunsOrReport }: { readonly interrupted?: AbortSignal; readonly late?: Late } = {},
): Promise<T> {
  const strayed = new AbortController();
  const stopped = AbortSignal.any([strayed.signal, ...(interrupted ? [interrupted] : [])]);
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(stopped.reason);
  if (stopped.aborted) abort();
  else stopped.addEventListener('abort', abort);
  let hasEnded = false;
  const supervision: Supervised = { fail: (error) => (hasEnded ? late(error) : strayed.abort(error)) };
  running.add(supervision);
  const done = origin.run(supervision, async () => {
    const result = await work(stopped);
    // Node reports unhandled rejections after the microtasks that may have ended the work.
    await nextTurn();
    return result;
  });
  try {
    return await Promise.race([aborted.promise, done]);
  } finally {
    hasEnded = true;
    running.delete(supervision);
  }
}

export function messageOf(error: unknown): string {
  const text = inOneLine(error instanceof Error ? error.message || error.name : String(error), 300);
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type Signal = (typeof SIGNALS)[number];
/** A terminal sends Ctrl-C to this process and to npm, and npm forwards it. Two signals within this time count as one. */
export const ECHO_MS = 500;

/** A signal stopped the run. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** The exit code that shells use for a signal. */
  readonly exitCode: number;
  constructor(by: Signal) {
    super(`The run was interrupted by ${by}.`);
    this.exitCode = 128 + constants.signals[by];
  }
}

/** @returns a signal that the first interruption aborts; a second interruption ends this process */
export function interruptions(): AbortSignal {
  const first = new AbortController();
  let since: number | undefined;
  for (const name of SIGNALS) {
    process.on(name, () => {
      const interrupted = new Interrupted(name);
      if (since === undefined) {
        since = performance.now();
        first.abort(interrupted);
      } else if (performance.now() - since > ECHO_MS) endProcess(interrupted.exitCode);
    });
  }
  return first.signal;
}
