import { type LogFn, type Logger, pino } from 'pino';
import { redactJson } from '../domain/redaction.ts';
import { rehearsalOf, type World } from '../domain/world.ts';
import { readableLine } from './readable-line.ts';
import { standardOutput } from './standard-output.ts';
import { print } from './terminal.ts';

export type { Logger };

/** Redacts whole lines, including texts of library errors. */
const withoutSecrets = (line: string): string => `${redactJson(line.trimEnd())}\n`;

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
