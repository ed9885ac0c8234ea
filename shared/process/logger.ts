import { type DestinationStream, type LogFn, type Logger, pino } from 'pino';
import { redactJson } from '../domain/redaction.ts';
import { rehearsalOf, type World } from '../domain/world.ts';

export type { Logger };

/** What is secret is left out of what the line says, also of a text that an error of a library made. */
const withoutSecrets = (line: string): string => `${redactJson(line.trimEnd())}\n`;

/** @param destination standard output, unless a test reads along */
export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: withRehearsal },
    hooks: { streamWrite: withoutSecrets, logMethod: writeOrLose },
  };
  return pino(options, destination ?? standardOutput());
}

/** A line that cannot be written, because of what it is about or of where it goes, must not fail the work that it tells of. */
function writeOrLose(this: Logger, line: Parameters<LogFn>, write: LogFn): void {
  try {
    write.apply(this, line);
  } catch {
    // There is nowhere to say so.
  }
}

/** A disk that is full under the log ends no process. */
function standardOutput(): DestinationStream {
  return pino.destination({ dest: 1, sync: true }).on('error', () => {});
}

/** Whoever reads a log looks for the rehearsal by its name; the world says which of its incarnations it was. */
function withRehearsal(record: Record<string, unknown>): Record<string, unknown> {
  const { world } = record;
  return typeof world === 'string' && record['rehearsal'] === undefined ? { ...record, rehearsal: rehearsalOf(world as World) } : record;
}
