import { type Logger, pino } from 'pino';
import { rehearsalOf } from '../simulation/context.ts';
import type { World } from '../store/ports.ts';

export type { Logger };

const CENSOR = '[redacted]';

/** Names under which a secret could reach a log record: headers of requests and of answers, and what errors of clients carry along. */
const NAMES = ['authorization', 'x-api-key', 'x-estate-token', 'x-estate-context', 'webhook-signature', 'cookie', 'set-cookie', 'password'];
const REDACTED = NAMES.flatMap((name) => ['', '*', '*.*'].map((above) => `${above}["${name}"]`));

/**
 * What is secret wherever it stands, also within a text that an error of a library made: schemes with their credentials, credentials of
 * rehearsals, webhook secrets, tokens of cards, and passwords in the addresses of Redis and others.
 */
const SECRETS: readonly (readonly [pattern: RegExp, censored: string])[] = [
  [new RegExp(`(\\\\?"(?:${NAMES.join('|')})\\\\?":\\s*\\\\?")[^"\\\\]+`, 'gi'), `$1${CENSOR}`],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${CENSOR}`],
  [/\b(?:whsec_[A-Za-z0-9+/=]+|reh_[a-z0-9-]+_[A-Za-z0-9-]{20,}|tok_[A-Za-z0-9_-]+)/g, CENSOR],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@"]*):[^\s/@"]+@/gi, `$1:${CENSOR}@`],
];

const withoutSecrets = (line: string): string => SECRETS.reduce((text, [pattern, censored]) => text.replace(pattern, censored), line);

/** @param destination standard output, unless a test reads along */
export function createLogger(level: string, destination?: { write(line: string): void }): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: REDACTED, censor: CENSOR },
    formatters: { log: withRehearsal },
    hooks: { streamWrite: withoutSecrets },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Whoever reads a log looks for the rehearsal by its name; the world says which of its incarnations it was. */
function withRehearsal(record: Record<string, unknown>): Record<string, unknown> {
  const { world } = record;
  return typeof world === 'string' && record['rehearsal'] === undefined ? { ...record, rehearsal: rehearsalOf(world as World) } : record;
}
