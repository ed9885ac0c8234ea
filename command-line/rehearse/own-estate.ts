import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { CommandFailure, EXIT } from '../failure.ts';
import { estateMain } from '../start/estate-code.ts';

interface OwnEstate {
  readonly gateway: string;
  readonly pid: number | undefined;
  /** Waits until the estate ends or the user interrupts. */
  ended(interrupted: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an estate on free ports for one run. Its log goes to standard error. @param variables replace variables of this process */
export async function startOwnEstate(variables: Readonly<Record<string, string>> = {}): Promise<OwnEstate> {
  const child: ChildProcess = fork(estateMain(), [], {
    stdio: ['ignore', 2, 2, 'ipc'],
    // Detached, so that Ctrl-C does not reach it: an interrupted run needs its estate for the report.
    detached: true,
    env: {
      ...process.env,
      GATEWAY_PORT: '0',
      TOUCHPOINT_PORT: '0',
      PORTAL_PORT: '0',
      LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'error',
      ...variables,
    },
  });
  // A detached process outlives this one unless it is stopped.
  const kill = (): boolean => child.kill('SIGTERM');
  process.once('exit', kill);
  const ended = once(child, 'exit').finally(() => process.off('exit', kill));
  const ready = await Promise.race([once(child, 'message'), ended.then(() => undefined)]);
  if (!ready) throw new CommandFailure('The estate could not be started, for the reason above.', EXIT.misuse);
  // The child must not keep this process alive: supervision detects an empty event loop.
  child.unref();
  child.channel?.unref();
  const [{ gateway }] = ready as [{ gateway: string }];
  return {
    gateway,
    pid: child.pid,
    ended: async (interrupted) => {
      child.ref();
      const isInterrupted = new Promise((resolve) => interrupted.addEventListener('abort', resolve, { once: true }));
      if (!interrupted.aborted) await Promise.race([ended, isInterrupted]);
    },
    stop: async () => {
      child.ref();
      kill();
      await ended;
    },
  };
}
