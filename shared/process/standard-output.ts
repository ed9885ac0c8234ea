import { pino } from 'pino';

/** Wall time that lines are gathered: with the access log, a write for each line is a tenth of a busy container's writes. */
const GATHER_MS = 20;
const GATHER_LENGTH = 8_192;
/** Lines that a full disk refuses are kept up to this size; newer lines are lost. */
const UNWRITTEN_BYTES = 1_048_576;
/** Lines of JSON up to the level `info`. */
const MAY_WAIT = /^\{"level":[123]0,/;

export interface LogOutput {
  write(line: string): void;
  flushSync(): void;
}

let output: LogOutput | undefined;

/**
 * Standard output for log lines. Lines of the level `info` and below are buffered for a moment. A warning or an error is written
 * immediately, behind what waits; the end of the process writes the rest. A write error, such as a full disk or a reader that has gone,
 * loses lines and nothing else.
 */
export function standardOutput(): LogOutput {
  output ??= gathering();
  return output;
}

function gathering(): LogOutput {
  // Its own buffering ends in a loop when a write fails permanently, as to a pipe without a reader.
  const destination = pino.destination({ dest: 1, sync: true, maxLength: UNWRITTEN_BYTES }).on('error', () => {});
  let gathered = '';
  let due: NodeJS.Timeout | undefined;

  function flushSync(): void {
    clearTimeout(due);
    due = undefined;
    const lines = gathered;
    gathered = '';
    if (lines !== '') destination.write(lines);
  }

  process.once('exit', flushSync);
  return {
    flushSync,
    write(line) {
      gathered += line;
      if (MAY_WAIT.test(line) && gathered.length < GATHER_LENGTH) due ??= setTimeout(flushSync, GATHER_MS).unref();
      else flushSync();
    },
  };
}
