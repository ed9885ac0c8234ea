import { type Logger, pino } from 'pino';

export type { Logger };

/** Names under which a secret could reach a log record. */
const REDACTED = [
  'authorization',
  '*.authorization',
  '*.*.authorization',
  '["x-api-key"]',
  '*["x-api-key"]',
  '*.*["x-api-key"]',
  '*["x-estate-token"]',
  '*.*["x-estate-token"]',
];

export function createLogger(level: string): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths: REDACTED, censor: '[redacted]' } });
}
