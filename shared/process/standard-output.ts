import { pino } from 'pino';

/** Wall time for which lines are gathered: with the access log, a write for each line is a tenth of a busy container's writes. */
const GATHER_MS = 20;
const GATHER_BYTES = 8_192;
/** Lines of JSON up to the level `info`. */
const MAY_WAIT = /^\{"level":[123]0,/;

export interface LogOutput {
  write(line: string): void;
  flushSync(): void;
}

let output: LogOutput | undefined;

/**
 * Standard output for log lines. Those of the level `info` and below are gathered for a moment. A warning or an error is written at once,
 * behind what waits; the end of the process writes the rest. A write error, such as a full disk, does not end the process.
 */
export function standardOutput(): LogOutput {
  output ??= gathering();
  return output;
}

function gathering(): LogOutput {
  const destination = pino.destination({ dest: 1, sync: true, minLength: GATHER_BYTES }).on('error', () => {});
  let due: NodeJS.Timeout | undefined;

  function flushSync(): void {
    clearTimeout(due);
    due = undefined;
    try {
      destination.flushSync();
    } catch {
      // A failing log cannot log its own failure.
    }
  }

  process.once('exit', flushSync);
  return {
    flushSync,
    write(line) {
      destination.write(line);
      if (MAY_WAIT.test(line)) due ??= setTimeout(flushSync, GATHER_MS).unref();
      else flushSync();
    },
  };
}
