import './timer-guard.ts';
import { Kafka, type LogEntry, logLevel, type RetryOptions } from 'kafkajs';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../../process/logger.ts';

export interface KafkaOptions {
  /** `host:port` of brokers to begin with; they name the others. */
  readonly brokers: readonly string[];
  /** What brokers call this process in their logs and quotas. */
  readonly clientId: string;
  readonly log: Logger;
  /** Begins the name of every consumer group: two estates on one broker need different ones. */
  readonly groupPrefix?: string;
}

/** A broker that answers no request for this long is treated as gone. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Finite: whoever asked hears of it, and tries again in its own time. */
export const RETRIES: RetryOptions = { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000, multiplier: 2, factor: 0.2 };

/** A client of its own per purpose, since each keeps its own connections. */
export function createClient(options: KafkaOptions, log: Logger): Kafka {
  return new Kafka({
    brokers: [...options.brokers],
    clientId: options.clientId,
    connectionTimeout: 3_000,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: RETRIES,
    logLevel: log.isLevelEnabled('trace') ? logLevel.DEBUG : logLevel.INFO,
    logCreator: () => intoPino(log),
  });
}

const SAID_AGAIN_AFTER_MS = 60_000;
const DISTINCT_TEXTS = 200;

/**
 * What the library says, two levels lower than it says it: what it calls an error it mostly tries again by itself, and what it does not
 * is thrown at us and logged in our words. It repeats itself with every attempt; once a minute is enough.
 */
function intoPino(log: Logger): (entry: LogEntry) => void {
  const said = new LRUCache<string, true>({ max: DISTINCT_TEXTS, ttl: SAID_AGAIN_AFTER_MS });
  return ({ namespace, level, log: { message, timestamp: _timestamp, logger: _logger, stack, ...details } }) => {
    const text = `kafkajs${namespace ? ` ${namespace}` : ''}: ${message}`;
    if (level > logLevel.INFO) return log.trace(details, text);
    if (level > logLevel.ERROR) return log.debug(details, text);
    if (said.has(text)) return log.debug({ ...details, stack }, text);
    said.set(text, true);
    return log.info(details, text);
  };
}
