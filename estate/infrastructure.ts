import { Agent } from 'undici';
import type { Bus } from '../shared/events/bus.ts';
import { createMemoryBus } from '../shared/events/memory-bus.ts';
import type { Logger } from '../shared/process/logger.ts';
import { spreadLookup } from '../shared/process/spread-lookup.ts';
import { createMemoryStore } from '../shared/store/memory/store.ts';
import type { StoreAdapter } from '../shared/store/ports/estate-store.ts';
import { awaitStore } from './awaited-store.ts';
import type { Configuration } from './configuration.ts';

/** How long one try to reach Redis takes; another one follows. */
const TRY_MS = 5_000;

/** For calls between applications: connections are kept, and spread over the replicas behind a name. */
export const agentForCalls = (): Agent =>
  new Agent({ connections: 128, keepAliveTimeout: 30_000, keepAliveMaxTimeout: 60_000, connect: { lookup: spreadLookup } });

/** Where state is: what was configured, for good. A Redis that is away is waited for; nothing else ever takes its place. */
export function openStore({ REDIS_URL, JOURNAL, OUTBOX_LIMIT: outboxLimit }: Configuration, log: Logger): StoreAdapter {
  const journal = JOURNAL === 'on';
  if (REDIS_URL === undefined) return createMemoryStore({ journal, outboxLimit });
  return awaitStore({
    log,
    connect: async () => {
      const { createRedisStore } = await import('../shared/store/redis/store.ts');
      let said = '';
      // It tries again every second or so; what has not changed is said once.
      const onError = (error: Error): void => {
        log[error.message === said ? 'debug' : 'warn']({ err: error }, 'the connection to Redis');
        said = error.message;
      };
      return createRedisStore({ url: REDIS_URL, journal, outboxLimit, startTimeoutMs: TRY_MS, onError });
    },
  });
}

/** Where events are: what was configured, for good. */
export async function openBus({ KAFKA_BROKERS, SERVICE }: Configuration, log: Logger): Promise<Bus> {
  if (KAFKA_BROKERS === undefined) return createMemoryBus();
  const { createKafkaBus } = await import('../shared/events/kafka/bus.ts');
  return createKafkaBus({ brokers: KAFKA_BROKERS, clientId: `unified-commerce-${SERVICE ?? 'estate'}`, log });
}
