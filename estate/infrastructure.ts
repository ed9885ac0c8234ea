import { readFile } from 'node:fs/promises';
import { Agent } from 'undici';
import type { Bus } from '../shared/events/bus.ts';
import type { KafkaOptions } from '../shared/events/kafka/client.ts';
import { createMemoryBus } from '../shared/events/memory-bus.ts';
import { createObservability, type Observability } from '../shared/observability/observability.ts';
import { connectionTrouble } from '../shared/process/connection-trouble.ts';
import type { Logger } from '../shared/process/logger.ts';
import { spreadLookup } from '../shared/process/spread-lookup.ts';
import { journalLimits } from '../shared/store/journal-limits.ts';
import { createMemoryStore } from '../shared/store/memory/store.ts';
import type { StoreAdapter } from '../shared/store/ports/estate-store.ts';
import { shownAddress } from '../shared/store/redis/address.ts';
import { RedisRefused } from '../shared/store/redis/refused.ts';
import { isStoreAway } from '../shared/store/store-away.ts';
import { awaitStore } from './awaited-store.ts';
import type { Configuration } from './configuration.ts';
import { StartError } from './start-error.ts';

/** Wall time for one attempt to connect to Redis. */
const CONNECT_MS = 5_000;

const CONNECTIONS_PER_APPLICATION = 128;
/** Wall time before an idle connection is closed. */
const IDLE_MS = 30_000;
/** The longest idle time that an application may announce. */
const LONGEST_IDLE_MS = 60_000;

/** The HTTP client for calls between applications. It keeps connections and spreads them over the replicas behind a name. */
export const agentForCalls = (): Agent =>
  new Agent({
    connections: CONNECTIONS_PER_APPLICATION,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: LONGEST_IDLE_MS,
    connect: { lookup: spreadLookup },
  });

/** Opens the configured store. The process waits for a missing Redis and never uses memory instead. */
export function openStore(
  {
    REDIS_URL,
    JOURNAL,
    JOURNAL_HOPS: records,
    JOURNAL_BYTES: bytes,
    OUTBOX_LIMIT: outboxLimit,
    MAX_REHEARSAL_BYTES: worldBytes,
  }: Configuration,
  log: Logger,
): StoreAdapter {
  const journal = JOURNAL === 'on' ? journalLimits({ records, bytes }) : 'off';
  if (REDIS_URL === undefined) return createMemoryStore({ journal, outboxLimit, worldBytes });
  return awaitStore({
    log,
    connect: async () => {
      const { createRedisStore } = await import('../shared/store/redis/store.ts');
      let lastMessage = '';
      // The client reconnects about every second. An unchanged message is a warning only once.
      const onError = (error: Error): void => {
        if (error instanceof RedisRefused) {
          log.warn({ waitingFor: 'redis' }, error.message);
          return;
        }
        // The cause was reported before.
        if (isStoreAway(error)) {
          log.debug({ err: error }, 'background work at the store failed');
          return;
        }
        const trouble = connectionTrouble(error);
        const about = trouble ? { code: trouble.code } : { err: error };
        const sentence = `The connection to the Redis at ${shownAddress(REDIS_URL)} failed${trouble ? `: ${trouble.words}` : ''}. It is tried again.`;
        log[error.message === lastMessage ? 'debug' : 'warn'](about, sentence);
        lastMessage = error.message;
      };
      return createRedisStore({ url: REDIS_URL, journal, outboxLimit, worldBytes, startTimeoutMs: CONNECT_MS, onError });
    },
  });
}

export interface Infrastructure {
  readonly agent: Agent;
  /** Undefined in a process with the gateway alone. */
  readonly bus?: Bus;
  readonly observability: Observability;
  readonly adapter: StoreAdapter;
}

/** Finishes calls, sent events and spans, then closes the connection to the store. */
export async function closeInfrastructure({ agent, bus, observability, adapter }: Infrastructure): Promise<void> {
  await agent.close();
  await bus?.close();
  await observability.stop();
  await adapter.close();
}

/** @throws StartError when a file of the configuration cannot be read */
export async function openBus(configuration: Configuration, log: Logger): Promise<Bus> {
  const { KAFKA_BROKERS: brokers, KAFKA_PREFIX: prefix, SERVICE } = configuration;
  if (brokers === undefined) return createMemoryBus();
  const access = await kafkaAccess(configuration);
  const { createKafkaBus } = await import('../shared/events/kafka/bus.ts');
  return createKafkaBus({ brokers, clientId: `unified-commerce-${SERVICE ?? 'estate'}`, log, prefix, ...access });
}

/** TLS and credentials for the brokers. @throws StartError when a file cannot be read or is empty */
async function kafkaAccess(configuration: Configuration): Promise<Pick<KafkaOptions, 'tls' | 'sasl'>> {
  const { KAFKA_TLS, KAFKA_TLS_CA_FILE, KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username = '' } = configuration;
  const ca = KAFKA_TLS_CA_FILE === undefined ? undefined : await textIn('KAFKA_TLS_CA_FILE', KAFKA_TLS_CA_FILE);
  const tls = KAFKA_TLS && ca !== undefined ? { ca } : KAFKA_TLS;
  if (mechanism === undefined) return { tls };
  const password = await textIn('KAFKA_SASL_PASSWORD_FILE', configuration.KAFKA_SASL_PASSWORD_FILE ?? '');
  // The library has one type for each mechanism.
  return { tls, sasl: { mechanism: mechanism as 'plain', username, password } };
}

/** A mounted secret often ends with a line break. */
async function textIn(variable: string, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`${variable}=${file} cannot be read: ${error.code === 'ENOENT' ? 'the file does not exist' : error.message}.`);
  });
  if (text.trim() === '') throw new StartError(`${variable}=${file} is empty.`);
  return text.trim();
}

/** Collects metrics always, and traces only with a collector. The packages for traces are loaded only then. */
export async function startObservability({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: headers,
}: Configuration): Promise<Observability> {
  if (endpoint === undefined) return createObservability();
  const { startTracing } = await import('../shared/observability/tracing.ts');
  return createObservability({ tracing: await startTracing({ endpoint, headers }) });
}
