import { createLogger } from '../shared/process/logger.ts';
import type { State } from '../shared/process/readiness.ts';
import { pause } from '../shared/process/waiting.ts';
import type { Configuration } from './configuration.ts';
import { openBus, openStore } from './infrastructure.ts';

/** Wall time that Redis and Kafka have to answer. */
const PATIENCE_MS = 6_000;
const LOOK_MS = 100;

/** The problem of the configured store; undefined when it answers. */
export async function storeTrouble(configuration: Configuration): Promise<string | undefined> {
  const store = openStore(configuration, createLogger('silent'));
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
