import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { StepRecord } from '../../rehearsal/scenario.ts';
import type { Report } from '../../rehearsal/stage.ts';
import type { Outcome } from './outcome.ts';
import { ECHO_MS, SIGNALS, type Signal } from './supervision.ts';

/*
 * Code of a user may hold the event loop of its process for ever, so that no signal reaches this process. Such code runs in a child of the
 * command. The parent passes signals on, and ends a child that does not answer.
 */

/** Marks the child. It is removed immediately, so programs that the child starts do not inherit it. */
const MARK = 'ESTATE_GUARDED_RUN';
const isChild = process.env[MARK] !== undefined && process.send !== undefined;
delete process.env[MARK];

/** Wall time after a signal. Until then the child has to answer. */
const ANSWER_MS = 3_000;

/** What the child reports, so that the parent can print it if it has to end the child. */
type Message =
  | { readonly answered: true }
  | { readonly estate: number | undefined }
  | { readonly begun: Outcome }
  | { readonly rehearsal: string; readonly of: string }
  | { readonly step: StepRecord; readonly of: string }
  | { readonly ended: Outcome };

/** The end of a child that its parent, or the system, had to end. */
export interface HardEnd {
  readonly signal: string;
  readonly exitCode: number;
  /** Wall time of the child. */
  readonly ms: number;
  /** The signal that the child did not answer. Undefined: it crashed. */
  readonly unanswered: Signal | undefined;
  readonly ended: readonly Outcome[];
  /** The scenarios that ran. */
  readonly running: readonly Outcome[];
}

/** Runs this command in a child. In the child itself it does nothing. @returns undefined in the child; otherwise how it ended */
export async function guarded(): Promise<{ readonly exitCode: number } | HardEnd | undefined> {
  if (isChild) {
    for (const name of SIGNALS) process.on(name, () => say({ answered: true }));
    // The parent was killed.
    process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
    process.channel?.unref();
    return undefined;
  }
  const [, program = '', ...args] = process.argv;
  const began = performance.now();
  const child = fork(program, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env: { ...process.env, [MARK]: 'true' } });
  const seen = attend(child);
  const unanswered = passSignals(child);
  const [exitCode, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (signal === null) return { exitCode: exitCode ?? 0 };
  // It outlives the child, which could not stop it.
  if (seen.estate !== undefined) process.kill(seen.estate, 'SIGTERM');
  const { ended, running } = seen;
  return {
    signal,
    exitCode: 128 + constants.signals[unanswered() ?? signal],
    unanswered: unanswered(),
    ended,
    running: [...running.values()],
    ms: performance.now() - began,
  };
}

/** Code of the user in the child may send anything. */
const isMessage = (message: unknown): boolean => typeof message === 'object' && message !== null;

/** Keeps what the child reports. */
function attend(child: ChildProcess) {
  const seen: { estate?: number | undefined; ended: Outcome[]; running: Map<string, Outcome> } = { ended: [], running: new Map() };
  child.on('message', (message: Message) => {
    if (!isMessage(message)) return;
    if ('estate' in message) seen.estate = message.estate;
    else if ('begun' in message) seen.running.set(message.begun.name, message.begun);
    else if ('rehearsal' in message) Object.assign(seen.running.get(message.of) ?? {}, { rehearsal: message.rehearsal });
    else if ('step' in message) seen.running.get(message.of)?.steps.push(message.step);
    else if ('ended' in message) {
      seen.ended.push(message.ended);
      seen.running.delete(message.ended.name);
    }
  });
  return seen;
}

/** @returns the signal that the child did not answer */
function passSignals(child: ChildProcess): () => Signal | undefined {
  let asked: { readonly signal: Signal; readonly at: number; readonly timer: NodeJS.Timeout } | undefined;
  let unanswered: Signal | undefined;
  const end = (signal: Signal): void => {
    unanswered = signal;
    child.kill('SIGKILL');
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      child.kill(signal);
      if (asked === undefined) asked = { signal, at: performance.now(), timer: setTimeout(end, ANSWER_MS, signal) };
      else if (performance.now() - asked.at > ECHO_MS) end(asked.signal);
    });
  }
  child.on('message', (message: Message) => {
    if (!isMessage(message) || !('answered' in message)) return;
    clearTimeout(asked?.timer);
    asked = undefined;
  });
  child.once('exit', () => clearTimeout(asked?.timer));
  return () => unanswered;
}

/** Sends a message to the parent, if this process has one. */
const say = (message: Message): void => {
  // Its parent may have been killed.
  if (isChild && process.connected) process.send?.(message, undefined, undefined, () => undefined);
};

/** Reports the estate of this run, which has no other parent; undefined after its end. */
export const reportEstate = (pid: number | undefined): void => say({ estate: pid });

/** Reports a run to the parent. */
export const reportRun = (outcome: Outcome): Pick<Report, 'begin' | 'step'> & { readonly end: () => void } => {
  say({ begun: outcome });
  return {
    begin: ({ name }, rehearsal) => say({ rehearsal, of: name }),
    step: (step) => say({ step, of: outcome.name }),
    end: () => say({ ended: outcome }),
  };
};
