import { type LogFn, type Logger, pino } from 'pino';
import { MOST_REDACTED, redactedJsonStart, redactJson } from '../domain/redaction.ts';
import { rehearsalOf, type World } from '../domain/world.ts';
import { print, styled } from './terminal.ts';

export type { Logger };

/** Redacts whole lines, including texts of library errors. Only the start of a very long line is written, in the member `start`. */
function withoutSecrets(line: string): string {
  if (line.length <= MOST_REDACTED) return `${redactJson(line.trimEnd())}\n`;
  const [, level = '50', time = ''] = HEAD.exec(line) ?? [];
  return `${JSON.stringify({ level: Number(level), time, msg: 'A line of the log was too long.', start: redactedJsonStart(line) })}\n`;
}

/** The first members of each line. */
const HEAD = /^\{"level":(\d+),"time":"([^"]*)"/;

/** @param destination standard output by default; tests pass their own */
export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: withRehearsal },
    serializers: { err: asLogged },
    hooks: { streamWrite: withoutSecrets, logMethod: writeOrLose },
  };
  return pino(options, destination ?? standardOutput());
}

/** Lines for a person at a terminal, instead of JSON. */
export const terminalOutput = (): { write(line: string): void } => ({ write: (line) => print(readableLine(line)) });

/** A refusal, such as an injected fault, has a code and a status. It is not a bug, so its stack would mislead. */
function asLogged(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('status' in error)) return pino.stdSerializers.err(error as Error);
  const { name, code, message } = error;
  return { type: name, code, message };
}

/** A line that cannot be serialised or written must not fail the work that logs it. */
function writeOrLose(this: Logger, line: Parameters<LogFn>, write: LogFn): void {
  try {
    write.apply(this, line);
  } catch {
    // A failing log cannot log its own failure.
  }
}

/** Adds the name of the rehearsal, so that readers can search a log for it. */
function withRehearsal(record: Record<string, unknown>): Record<string, unknown> {
  const { world } = record;
  return typeof world === 'string' && record['rehearsal'] === undefined ? { ...record, rehearsal: rehearsalOf(world as World) } : record;
}

const LEVELS: Readonly<Record<number, readonly [name: string, colour: Parameters<typeof styled>[0]]>> = {
  10: ['TRACE', 'dim'],
  20: ['DEBUG', 'dim'],
  30: ['INFO ', 'green'],
  40: ['WARN ', 'yellow'],
  50: ['ERROR', 'red'],
  60: ['FATAL', 'red'],
};
/** Members that only repeat other members, and are left out for a person. */
const HIDDEN: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'application', 'part', 'err', 'world', 'trace_id', 'span_id']);

/** A line of the log for a person at a terminal: `20:58:31 WARN  oms  text  member=value`. */
function readableLine(json: string): string {
  const record = parsed(json);
  if (record === undefined) return json;
  const { level, time, msg = '', application = record['part'] ?? 'estate', err } = record;
  const [name, colour] = LEVELS[Number(level)] ?? ['     ', 'reset'];
  const { message, stack } = (err ?? {}) as { readonly message?: string; readonly stack?: string };
  const members = Object.entries(record).filter(([member]) => !HIDDEN.has(member));
  const rest = members.map(([member, value]) => `${member}=${typeof value === 'string' ? value : JSON.stringify(value)}`).join(' ');
  const text = [msg, ...(message !== undefined && stack === undefined ? [message] : [])].filter((part) => part !== '').join(': ');
  const words = [styled('dim', String(time).slice(11, 19)), styled(colour, name), styled('bold', String(application)), text];
  const line = [...words, ...(rest === '' ? [] : [styled('dim', rest)])].join('  ');
  return stack === undefined ? `${line}\n` : `${line}\n${stack.replaceAll(/^/gm, '    ')}\n`;
}

function parsed(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** How long lines are buffered, in wall time: with the access log, one write per line is a tenth of all writes of a busy container. */
const GATHER_MS = 20;
const GATHER_LENGTH = 8_192;
/** Lines that a full disk refuses are kept up to this size; newer lines are lost. */
const UNWRITTEN_BYTES = 1_048_576;
/** Lines of JSON up to the level `info`. */
const MAY_WAIT = /^\{"level":[123]0,/;

interface LogOutput {
  write(line: string): void;
  flushSync(): void;
}

let output: LogOutput | undefined;

/**
 * Standard output for log lines. Lines of the level `info` and below are buffered for a moment. A warning or an error is written
 * immediately, after the buffered lines; the rest is written when the process ends. A write error, such as a full disk or a reader that has gone,
 * loses lines and nothing else.
 */
function standardOutput(): LogOutput {
  output ??= gathering();
  return output;
}

function gathering(): LogOutput {
  // The buffering of the library would loop when a write fails permanently, for example to a pipe without a reader.
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
