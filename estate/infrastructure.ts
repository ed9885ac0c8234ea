import manifest from '../package.json' with { type: 'json' };
import { Problem } from '../shared/catalog/problems.ts';
import { keepSecret } from '../shared/domain/redaction.ts';
import { errorMessage } from '../shared/domain/text.ts';
import type { World } from '../shared/domain/world.ts';
import type { Bus } from '../shared/events/bus.ts';
import type { KafkaOptions } from '../shared/events/kafka/client.ts';
import type { ResumingBusOptions } from '../shared/events/resuming-bus.ts';
import { createObservability, type Observability } from '../shared/observability/observability.ts';
import { readTextWithin } from '../shared/process/bounded-file.ts';
import { connectionTrouble } from '../shared/process/connection-trouble.ts';
import { mostTextInHeap } from '../shared/process/heap.ts';
import { Agent } from '../shared/process/http-client.ts';
import { createLogger, type Logger } from '../shared/process/logger.ts';
import type { State } from '../shared/process/readiness.ts';
import { spreadLookup } from '../shared/process/spread-lookup.ts';
import { pause } from '../shared/process/waiting.ts';
import { journalLimits } from '../shared/store/journal-limits.ts';
import type { WorldListener } from '../shared/store/ports/due-work.ts';
import type { ControlStore, StoreAdapter, StoreOptions, Worlds } from '../shared/store/ports/estate-store.ts';
import { RedisRefused } from '../shared/store/redis/refused.ts';
import { isStoreUnavailable } from '../shared/store/store-unavailable.ts';
import { type Configuration, withPassword } from './configuration.ts';
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

/** A store for one world that nobody else sees, such as a world whose invariants are checked before it is kept. */
export const openScratchStore = (): Promise<StoreAdapter> => openMemoryStore({ journal: 'off' });

async function openMemoryStore(options: StoreOptions): Promise<StoreAdapter> {
  const { createMemoryStore } = await import('../shared/store/memory/store.ts');
  return createMemoryStore(options);
}

/** Limit of the text of a world. In memory, the heap sets a limit too. */
export const worldBytesOf = (configuration: Configuration): number =>
  redisAccess(configuration) ? configuration.MAX_REHEARSAL_BYTES : mostTextInHeap(configuration.MAX_REHEARSAL_BYTES);

/**
 * Opens the configured store, and loads the code of this one only. The process waits for a missing Redis and never uses memory instead.
 * @throws StartError when a file of the configuration cannot be read
 */
export async function openStore(configuration: Configuration, log: Logger): Promise<StoreAdapter> {
  const { JOURNAL, JOURNAL_HOPS: records, JOURNAL_BYTES: bytes, OUTBOX_LIMIT: outboxLimit } = configuration;
  const worldBytes = worldBytesOf(configuration);
  const journal = JOURNAL === 'on' ? journalLimits({ records, bytes }) : 'off';
  const redis = redisAccess(configuration);
  if (!redis) return openMemoryStore({ journal, outboxLimit, worldBytes });
  return awaitStore({
    log,
    connect: async () => {
      const { createRedisStore } = await import('../shared/store/redis/store.ts');
      const { shownAddress } = await import('../shared/store/redis/client.ts');
      let lastMessage = '';
      // The client reconnects about every second. An unchanged message is a warning only once.
      const onError = (error: Error): void => {
        if (error instanceof RedisRefused) {
          log.warn({ waitingFor: 'redis' }, error.message);
          return;
        }
        // The cause is already reported.
        if (isStoreUnavailable(error)) {
          log.debug({ err: error }, 'background work at the store failed');
          return;
        }
        const trouble = connectionTrouble(error);
        const about = trouble ? { code: trouble.code } : { err: error };
        const sentence = `The connection to the Redis at ${shownAddress(redis.url)} failed${trouble ? `: ${trouble.words}` : ''}. It is tried again.`;
        log[error.message === lastMessage ? 'debug' : 'warn'](about, sentence);
        lastMessage = error.message;
      };
      return createRedisStore({ ...redis, journal, outboxLimit, worldBytes, startTimeoutMs: CONNECT_MS, onError });
    },
  });
}

/** Address, password and certificates of Redis; undefined: state is in memory. @throws StartError when a file cannot be read or is empty */
function redisAccess({ REDIS_URL, REDIS_PASSWORD_FILE, REDIS_TLS_CA_FILE }: Configuration) {
  if (REDIS_URL === undefined) return undefined;
  const password = REDIS_PASSWORD_FILE === undefined ? undefined : textIn('REDIS_PASSWORD_FILE', REDIS_PASSWORD_FILE);
  keepSecret([password]);
  return {
    url: password === undefined ? REDIS_URL : withPassword(REDIS_URL, password, 'REDIS_PASSWORD_FILE'),
    ca: REDIS_TLS_CA_FILE === undefined ? undefined : textIn('REDIS_TLS_CA_FILE', REDIS_TLS_CA_FILE),
  };
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

/**
 * @param beside the store of a whole estate, and when the process stops
 * @throws StartError when a file of the configuration cannot be read
 */
export async function openBus(
  configuration: Configuration,
  log: Logger,
  beside?: Pick<ResumingBusOptions, 'worlds' | 'stopping'> & Pick<StoreAdapter, 'turns'>,
): Promise<Bus> {
  const { KAFKA_BROKERS: brokers, KAFKA_PREFIX: prefix, REDIS_URL, SERVICE } = configuration;
  if (brokers === undefined) {
    const { createMemoryBus } = await import('../shared/events/memory-bus.ts');
    const bus = createMemoryBus(beside?.turns);
    if (!beside || REDIS_URL === undefined) return bus;
    const { createResumingBus } = await import('../shared/events/resuming-bus.ts');
    return createResumingBus({ ...beside, bus, log });
  }
  const access = kafkaAccess(configuration);
  const { createKafkaBus } = await import('../shared/events/kafka/bus.ts');
  return createKafkaBus({ brokers, clientId: `unified-commerce-${SERVICE ?? 'estate'}`, log, prefix, ...access });
}

/** TLS and credentials for the brokers. @throws StartError when a file cannot be read or is empty */
function kafkaAccess(configuration: Configuration): Pick<KafkaOptions, 'tls' | 'sasl'> {
  const { KAFKA_TLS, KAFKA_TLS_CA_FILE, KAFKA_SASL_MECHANISM: mechanism, KAFKA_SASL_USERNAME: username = '' } = configuration;
  const ca = KAFKA_TLS_CA_FILE === undefined ? undefined : textIn('KAFKA_TLS_CA_FILE', KAFKA_TLS_CA_FILE);
  const tls = KAFKA_TLS && ca !== undefined ? { ca } : KAFKA_TLS;
  if (mechanism === undefined) return { tls };
  const { KAFKA_SASL_PASSWORD: given, KAFKA_SASL_PASSWORD_FILE: file = '' } = configuration;
  const password = given ?? textIn('KAFKA_SASL_PASSWORD_FILE', file);
  keepSecret([password]);
  // The library has one type for each mechanism.
  return { tls, sasl: { mechanism: mechanism as 'plain', username, password } };
}

/** Reads a file once, at the start. A mounted secret often ends with a line break. @throws StartError */
function textIn(variable: string, file: string): string {
  const text = readable(variable, file);
  if (text.trim() === '') throw new StartError(`${variable}=${file} is empty.`);
  return text.trim();
}

/** Bytes of a secret, or of certificates. */
const MOST_BYTES = 1_048_576;

function readable(variable: string, file: string): string {
  try {
    return readTextWithin(file, { most: MOST_BYTES });
  } catch (error) {
    throw new StartError(`${variable}=${file} cannot be read: ${errorMessage(error)}.`);
  }
}

/** Collects metrics always. Sends traces, and metrics if configured, only to a collector. The packages for both are loaded only then. */
export async function startObservability({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: headers,
  OTEL_METRICS_EXPORTER: exporter,
  OTEL_METRIC_EXPORT_INTERVAL: everyMs,
}: Configuration): Promise<Observability> {
  if (endpoint === undefined) return createObservability();
  const collector = { endpoint, version: manifest.version, headers };
  const { startTracing } = await import('../shared/observability/tracing.ts');
  const tracing = await startTracing(collector);
  if (exporter === 'none') return createObservability({ tracing });
  const { startMetricsExport } = await import('../shared/observability/metrics-export.ts');
  return createObservability({ tracing, exportMetrics: (read) => startMetricsExport({ ...collector, everyMs, read }) });
}

/** Wall time that Redis and Kafka have to answer. */
const PATIENCE_MS = 6_000;
const LOOK_MS = 100;

/** The problem of the configured store; undefined when it answers. */
export async function storeTrouble(configuration: Configuration): Promise<string | undefined> {
  const store = await openStore(configuration, createLogger('silent'));
  const trouble = await troubleOf(() => store.state());
  await closed(() => store.close());
  return trouble;
}

/** The problem of the configured bus; undefined when it answers. */
export async function busTrouble(configuration: Configuration): Promise<string | undefined> {
  const bus = await openBus(configuration, createLogger('silent'));
  const trouble = await troubleOf(() => bus.state());
  await closed(() => bus.close());
  return trouble;
}

/** The dependency that a part still waits for after some time; undefined when the part is ready. */
async function troubleOf(state: () => State): Promise<string | undefined> {
  const until = performance.now() + PATIENCE_MS;
  while (!state().ready && performance.now() < until) await pause(LOOK_MS);
  const { ready, waitingFor = 'it does not answer' } = state();
  return ready ? undefined : waitingFor;
}

/** Keeps the process alive until it is closed, because the timers of a waiting part do not. */
async function closed(close: () => Promise<void>): Promise<void> {
  const alive = setInterval(() => undefined, LOOK_MS);
  try {
    await close();
  } finally {
    clearInterval(alive);
  }
}

const RETRY_MS = 1_000;
const NOT_YET = 'It is not connected yet.';

export interface AwaitedStoreOptions {
  /** @throws Error whose message is the reason */
  readonly connect: () => Promise<StoreAdapter>;
  readonly log: Logger;
}

/** A store that connects in the background and retries. Until it succeeds, requests are refused with the reason. */
function awaitStore({ connect, log }: AwaitedStoreOptions): StoreAdapter {
  let store: StoreAdapter | undefined;
  let reason = NOT_YET;
  let closing = false;
  const watchers = new Map<WorldListener, () => void>();
  const settlingWatchers = new Map<(world: World) => void, () => void>();

  const requireStore = (): StoreAdapter => {
    if (store) return store;
    const remedy = reason === NOT_YET ? '' : ' Start it, or correct or remove REDIS_URL.';
    throw new Problem('dependency_unavailable', `The store cannot be used. ${reason}${remedy}`, { dependency: 'store', retryAfter: 1 });
  };

  async function connectUntilSuccess(): Promise<void> {
    while (!closing) {
      try {
        const connected = await connect();
        if (closing) return await connected.close();
        store = connected;
        for (const listener of watchers.keys()) watchers.set(listener, connected.worlds.watch(listener));
        for (const listener of settlingWatchers.keys()) settlingWatchers.set(listener, connected.worlds.watchSettling(listener));
        return;
      } catch (error) {
        const message = errorMessage(error);
        if (message !== reason)
          log.warn({ waitingFor: 'redis' }, `${message} The estate waits for it: start it, or correct or remove REDIS_URL.`);
        reason = message;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
    }
  }
  const connecting = connectUntilSuccess();

  const control = createProxy<ControlStore>(() => requireStore().control, {
    journal: (world, entry) => store?.control.journal(world, entry),
    expectHops: (world) => store?.control.expectHops(world),
  });
  const worlds = createProxy<Worlds>(() => requireStore().worlds, {
    watch: (listener) => {
      watchers.set(listener, store?.worlds.watch(listener) ?? (() => undefined));
      return () => {
        watchers.get(listener)?.();
        watchers.delete(listener);
      };
    },
    watchSettling: (listener) => {
      settlingWatchers.set(listener, store?.worlds.watchSettling(listener) ?? (() => undefined));
      return () => {
        settlingWatchers.get(listener)?.();
        settlingWatchers.delete(listener);
      };
    },
  });
  return {
    store: (application) => createProxy(() => requireStore().store(application), { application }),
    control,
    worlds,
    state: () => store?.state() ?? { ready: false, waitingFor: `redis: ${reason}` },
    close: async () => {
      closing = true;
      await store?.close();
      if (!store) await connecting;
    },
  };
}

/** Stands in for an object that does not exist yet: forwards to `real`, rejects while `real` throws, answers `own` members itself. */
function createProxy<T extends object>(real: () => T, own: Partial<T>): T {
  const methods = new Map<string | symbol, unknown>(Object.entries(own));
  return new Proxy({} as T, {
    get: (_target, name) => {
      // Without this, `await` would take the object for a promise.
      if (typeof name === 'symbol' || name === 'then') return undefined;
      if (!methods.has(name)) {
        methods.set(name, async (...args: unknown[]) => (Reflect.get(real(), name) as (...args: unknown[]) => unknown)(...args));
      }
      return methods.get(name);
    },
  });
}
