import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pause } from '../../shared/process/waiting.ts';

/** How a command is run. */
export interface Running {
  readonly variables: Readonly<Record<string, string>>;
  readonly limitMs: number;
  readonly signal?: AbortSignal;
  /** Ends the command, whose output is returned. */
  readonly until?: AbortSignal;
}

export interface EndedChild {
  /** Undefined: it was stopped after the limit. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  /** The end of both outputs. */
  readonly output: string;
}

/** Characters of an output after which no more are kept. The rest of a piece stays, so that a reader notices a longer output. */
const MOST_OUTPUT = 1_000_000;
const MOST_SHOWN = 8_000;
/** Exit codes of shells for a command that cannot run, and for a signal. */
const NOT_FOUND = 127;
const SIGNALLED = 128;

/** Runs words as one program, or a text in a shell. Its processes end with it. */
export async function runChild(command: readonly string[] | string, { variables, limitMs, signal, until }: Running): Promise<EndedChild> {
  signal?.throwIfAborted();
  const child = start(command, variables);
  let [stdout, output, isLate] = ['', '', false];
  const add = (text: string): void => {
    output = (output + text).slice(-MOST_SHOWN);
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (stdout.length < MOST_OUTPUT) stdout += text;
    add(text);
  });
  child.stderr?.setEncoding('utf8').on('data', add);
  const failed = once(child, 'error').then(([error]: NodeJS.ErrnoException[]) =>
    add(error?.code === 'ENOENT' ? `The program ${command[0]} does not exist. Check its name and its path.\n` : `${error?.message}\n`),
  );
  // `once` would reject for a program that cannot be started.
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const timer = setTimeout(() => {
    isLate = true;
    void endGroup(child);
  }, limitMs);
  const interrupt = (): void => void endGroup(child);
  signal?.addEventListener('abort', interrupt, { once: true });
  until?.addEventListener('abort', interrupt, { once: true });
  const endWithUs = (): void => kill(child, 'SIGKILL');
  process.once('exit', endWithUs);
  try {
    const code = await Promise.race([exited.then((exit) => exit ?? SIGNALLED), failed.then(() => NOT_FOUND)]);
    // A process that it left behind must not act in the next story, nor keep the pipes open.
    kill(child, 'SIGKILL');
    await Promise.race([once(child, 'close'), pause(PIPES_MS)]);
    signal?.throwIfAborted();
    return { exitCode: isLate ? undefined : code, stdout, output };
  } finally {
    clearTimeout(timer);
    process.off('exit', endWithUs);
    signal?.removeEventListener('abort', interrupt);
    until?.removeEventListener('abort', interrupt);
  }
}

/** Wall time in milliseconds for output that is still in the pipes of an ended process. */
const PIPES_MS = 200;
const GRACE_MS = 1_000;

const onWindows = process.platform === 'win32';

/** In a separate group, so that Ctrl-C reaches only this process, and the whole group can be ended. */
export function start(command: readonly string[] | string, variables: Readonly<Record<string, string>>): ChildProcess {
  const how = {
    stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
    detached: !onWindows,
    env: { ...process.env, ...variables },
  };
  if (typeof command === 'string') return spawn(command, { ...how, shell: true });
  const [program = '', ...args] = command;
  // Programs such as npm are scripts there.
  return spawn(program, args, { ...how, shell: onWindows });
}

async function endGroup(child: ChildProcess): Promise<void> {
  kill(child, 'SIGTERM');
  await pause(GRACE_MS);
  kill(child, 'SIGKILL');
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(onWindows ? child.pid : -child.pid, signal);
  } catch {
    // The group has ended.
  }
}
