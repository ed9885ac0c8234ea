import type { Logger } from '../../process/logger.ts';
import { pause } from '../../process/waiting.ts';

/** What the errors of kafkajs tell besides their message. */
interface KafkaError extends Error {
  readonly broker?: string;
  readonly retriable?: boolean;
  readonly type?: string;
  readonly errors?: readonly Error[];
}

function causesOf(error: unknown): readonly KafkaError[] {
  const found: KafkaError[] = [];
  for (let at = error; at instanceof Error && !found.includes(at as KafkaError); at = at.cause) found.push(at as KafkaError);
  return found;
}

/** Whether it can never succeed as it was asked, so that asking again is of no use. */
export const isRefusal = (error: unknown): boolean =>
  causesOf(error).some(({ name, retriable }) => name === 'KafkaJSProtocolError' && retriable === false);

/** In words for whoever set KAFKA_BROKERS: what was tried, and what came of it. */
export function troubleOf(error: unknown, brokers: readonly string[]): string {
  const causes = causesOf(error);
  const root = causes.at(-1);
  const said = root?.errors?.map(({ message }) => message).join('; ') ?? root?.message ?? String(error);
  const asked = `KAFKA_BROKERS is ${brokers.join(',')}`;
  const tried = causes.find(({ broker }) => broker !== undefined)?.broker;
  if (tried !== undefined && !brokers.includes(tried)) {
    return `kafka: ${said} (${asked}; a broker there says that it is to be reached at ${tried}, see its advertised.listeners)`;
  }
  if (causes.some(({ name }) => name === 'KafkaJSServerDoesNotSupportApiKey' || name === 'KafkaJSNotImplemented')) {
    return `kafka: ${said} (${asked}; the broker there is of a version that does not go with this estate, which is made for Kafka 4)`;
  }
  if (causes.some(({ name, type }) => name === 'KafkaJSRequestTimeoutError' || type === 'UNSUPPORTED_VERSION')) {
    return `kafka: ${said} (${asked}; what listens there does not answer as a Kafka broker does)`;
  }
  return `kafka: ${said} (${asked})`;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

export interface Attempts {
  readonly attempt: () => Promise<void>;
  /** Told in words after each attempt that failed. */
  readonly failed: (trouble: string) => void;
  readonly brokers: readonly string[];
  readonly log: Logger;
  readonly stopped: AbortSignal;
}

/** Tries until it succeeds or is stopped, and says in the log what is the matter whenever that changes. */
export async function keepTrying({ attempt, failed, brokers, log, stopped }: Attempts): Promise<void> {
  let last: string | undefined;
  for (let waitMs = FIRST_PAUSE_MS; !stopped.aborted; waitMs = Math.min(LONGEST_PAUSE_MS, waitMs * 2)) {
    try {
      await attempt();
      if (last !== undefined) log.info('kafka: it works now');
      return;
    } catch (error) {
      if (stopped.aborted) return;
      const trouble = troubleOf(error, brokers);
      failed(trouble);
      if (trouble !== last) log.warn(`${trouble}; it is tried again`);
      log.debug({ err: error }, 'kafka: why an attempt failed');
      last = trouble;
      await pause(waitMs, stopped);
    }
  }
}
