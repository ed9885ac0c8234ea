import './timer-guard.ts';
import { Kafka, type LogEntry, logLevel, type RetryOptions, type SASLOptions } from 'kafkajs';
import { LRUCache } from 'lru-cache';
import { connectionTrouble } from '../../process/connection-trouble.ts';
import type { Logger } from '../../process/logger.ts';
import { openSocket } from './sockets.ts';

export interface KafkaOptions {
  /** `host:port` of bootstrap brokers; they name the others. */
  readonly brokers: readonly string[];
  /** Name of this process in the logs and quotas of brokers. */
  readonly clientId: string;
  readonly log: Logger;
  /** TLS to the brokers: whether they are verified with the CAs of Node, or with these in PEM. */
  readonly tls?: boolean | { readonly ca: string };
  readonly sasl?: SASLOptions;
  /** Prefix of every topic and consumer group, for a broker that is shared with others. */
  readonly prefix?: string;
  /** Prefix of every consumer group. Two estates on one broker need different ones. */
  readonly groupPrefix?: string;
}

const CONNECTION_TIMEOUT_MS = 3_000;
/** A broker that does not answer a request for this long counts as unreachable. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Finite, so that callers see the failure and retry on their own schedule. */
export const RETRIES: RetryOptions = { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000, multiplier: 2, factor: 0.2 };

/** Each purpose gets its own client, because all uses of a client share its connections. */
export function createClient(options: KafkaOptions, log: Logger): Kafka {
  return new Kafka({
    brokers: [...options.brokers],
    clientId: options.clientId,
    ssl: typeof options.tls === 'object' ? { ca: [options.tls.ca] } : options.tls,
    sasl: options.sasl,
    socketFactory: openSocket,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: RETRIES,
    logLevel: log.isLevelEnabled('trace') ? logLevel.DEBUG : logLevel.INFO,
    logCreator: () => intoPino(log),
  });
}

const REPORT_EVERY_MS = 60_000;

/**
 * Logs the library's lines two levels below their own. The library retries most errors and throws the others, which the bus logs itself. It
 * repeats a line with every attempt, so the same text is logged at `info` at most once a minute. Its lines about failed connections are
 * left out, because the bus logs these.
 */
function intoPino(log: Logger): (entry: LogEntry) => void {
  const reports = new ReportLimit(REPORT_EVERY_MS);
  return ({ namespace, level, log: { message, timestamp: _timestamp, logger: _logger, stack, ...details } }) => {
    const text = `kafkajs${namespace ? ` ${namespace}` : ''}: ${message}`;
    if (level > logLevel.INFO) return log.trace(details, text);
    if (level > logLevel.ERROR) return log.debug(details, text);
    if (connectionTrouble(message) || !reports.isDue(text)) return log.debug({ ...details, stack }, text);
    return log.info(details, text);
  };
}

/** Maximum number of subjects that are kept in memory. */
const MOST_SUBJECTS = 200;

/** Reports the same subject at most once per period, so that a condition that lasts for hours does not fill a log. */
export class ReportLimit {
  readonly #reported: LRUCache<string, true>;

  constructor(periodMs: number) {
    this.#reported = new LRUCache({ max: MOST_SUBJECTS, ttl: periodMs });
  }

  /** Whether a subject is due to be reported. A true answer counts as a report. */
  isDue(subject: string): boolean {
    if (this.#reported.has(subject)) return false;
    this.#reported.set(subject, true);
    return true;
  }
}
