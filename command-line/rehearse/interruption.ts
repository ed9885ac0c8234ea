import { constants } from 'node:os';
import { endProcess } from './supervision.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A terminal sends Ctrl-C to this process and to npm, and npm forwards it. Two signals within this time count as one. */
const ECHO_MS = 500;

/** A signal stopped the run. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  /** The exit code that shells use for a signal. */
  readonly exitCode: number;
  constructor(by: (typeof SIGNALS)[number]) {
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
