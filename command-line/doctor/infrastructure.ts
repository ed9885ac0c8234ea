import type { Configuration } from '../../estate/configuration.ts';
import { openBus, openStore } from '../../estate/infrastructure.ts';
import { createLogger } from '../../shared/process/logger.ts';
import type { State } from '../../shared/process/readiness.ts';
import { pause } from '../../shared/process/waiting.ts';
import { type Finding, note, ok, problem } from './finding.ts';

/** Wall time that Redis and Kafka have to answer. */
const PATIENCE_MS = 6_000;
const LOOK_MS = 100;

export async function redisFinding(configuration: Configuration): Promise<Finding> {
  if (configuration.REDIS_URL === undefined) return note('Redis', 'REDIS_URL is not set: state stays in memory');
  const store = openStore(configuration, createLogger('silent'));
  const trouble = await troubleOf(() => store.state());
  await closed(() => store.close());
  return trouble === undefined
    ? ok('Redis', 'answers')
    : problem('Redis', trouble.replace(/^redis: /, ''), 'Start it, or correct or remove REDIS_URL.');
}

export async function kafkaFinding(configuration: Configuration): Promise<Finding> {
  if (configuration.KAFKA_BROKERS === undefined) return note('Kafka', 'KAFKA_BROKERS is not set: events stay in memory');
  const bus = await openBus(configuration, createLogger('silent'));
  const trouble = await troubleOf(() => bus.state());
  await closed(() => bus.close());
  return trouble === undefined
    ? ok('Kafka', 'answers')
    : problem('Kafka', trouble.replace(/^kafka: /, ''), 'Start it, or correct or remove KAFKA_BROKERS.');
}

/** What a part still waits for after some time; undefined when it is ready. */
async function troubleOf(state: () => State): Promise<string | undefined> {
  const until = performance.now() + PATIENCE_MS;
  while (!state().ready && performance.now() < until) await pause(LOOK_MS);
  const { ready, waitingFor = 'it does not answer' } = state();
  return ready ? undefined : waitingFor;
}

/** Timers of a part that waits keep no process alive: this one does until it is closed. */
async function closed(close: () => Promise<void>): Promise<void> {
  const alive = setInterval(() => undefined, LOOK_MS);
  try {
    await close();
  } finally {
    clearInterval(alive);
  }
}
