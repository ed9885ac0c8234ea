import { troubleInWords } from '../../process/connection-trouble.ts';
import type { Logger } from '../../process/logger.ts';
import { pause } from '../../process/waiting.ts';

/** Members of the errors of kafkajs. */
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

/** Whether the same request can never succeed. */
export const isRefusal = (error: unknown): boolean =>
  causesOf(error).some(({ name, retriable }) => name === 'KafkaJSProtocolError' && retriable === false);

/** Describes an error for the person who sets KAFKA_BROKERS: what was tried, and the result. */
export function troubleOf(error: unknown, brokers: readonly string[]): string {
  const causes = causesOf(error);
  const root = causes.at(-1);
  const setting = `KAFKA_BROKERS is ${brokers.join(',')}`;
  const tried = causes.find(({ broker }) => broker !== undefined)?.broker;
  const words = troubleInWords(root ?? error);
  const messages = root?.errors?.map(({ message }) => message) ?? [root?.message ?? String(error)];
  const said = [...new Set(messages)].join('; ');
  const cause = words === undefined ? said : `no broker can be reached at ${tried ?? brokers.join(', ')}: ${words}`;
  if (tried !== undefined && !brokers.includes(tried)) {
    return `kafka: ${cause} (${setting}; a broker there advertises ${tried}, see its advertised.listeners)`;
  }
  if (causes.some(({ name }) => name === 'KafkaJSServerDoesNotSupportApiKey' || name === 'KafkaJSNotImplemented')) {
    return `kafka: ${cause} (${setting}; the version of the broker there is not supported: the estate needs Kafka 4)`;
  }
  if (causes.some(({ name, type }) => name === 'KafkaJSRequestTimeoutError' || type === 'UNSUPPORTED_VERSION')) {
    return `kafka: ${cause} (${setting}; the process that listens there does not answer like a Kafka broker)`;
  }
  const hint = HINTS.find(([pattern]) => pattern.test(`${cause} ${said}`))?.[1];
  return `kafka: ${cause} (${setting}${hint === undefined ? '' : `; ${hint}`})`;
}

const RIGHTS = 'the user needs Describe, Read and Write on the topics, and Read on the groups, that begin with KAFKA_PREFIX';
/** What to correct, by the message of a broker with TLS, logins or rights. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/invalid credentials|authentication failed/i, 'correct KAFKA_SASL_USERNAME or the password in KAFKA_SASL_PASSWORD_FILE'],
  [/requested SASL mechanism/i, 'choose a mechanism of the broker with KAFKA_SASL_MECHANISM'],
  [/certificate/i, 'name its certificate authority in KAFKA_TLS_CA_FILE'],
  [/not authorized|authorization failed|find group coordinator/i, RIGHTS],
  [/does not use TLS/, 'set KAFKA_TLS=false for it'],
  [/connection was closed/, 'a broker closes it when it demands TLS or a login: see KAFKA_TLS and KAFKA_SASL_MECHANISM'],
];

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

interface Attempts {
  readonly attempt: () => Promise<void>;
  /** Called after each failed attempt. */
  readonly failed: (trouble: string) => void;
  readonly brokers: readonly string[];
  readonly log: Logger;
  readonly stopped: AbortSignal;
}

/** The latest logged problem, by the brokers of a bus. The subscriptions of a bus share its brokers, and so have the same problems. */
const logged = new WeakMap<readonly string[], string>();

/** Retries until it succeeds or is stopped, and logs the problem whenever it changes. */
export async function keepTrying({ attempt, failed, brokers, log, stopped }: Attempts): Promise<void> {
  let last: string | undefined;
  for (let waitMs = FIRST_PAUSE_MS; !stopped.aborted; waitMs = Math.min(LONGEST_PAUSE_MS, waitMs * 2)) {
    try {
      await attempt();
      if (last !== undefined) log.info('kafka: succeeded after retries');
      logged.delete(brokers);
      return;
    } catch (error) {
      if (stopped.aborted) return;
      const trouble = troubleOf(error, brokers);
      failed(trouble);
      if (trouble !== last && trouble !== logged.get(brokers))
        log.warn(`${trouble}; retrying. Start Kafka, or correct the variables that begin with KAFKA.`);
      logged.set(brokers, trouble);
      log.debug({ err: error }, 'kafka: attempt failed');
      last = trouble;
      await pause(waitMs, stopped);
    }
  }
}
