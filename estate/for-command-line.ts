import type { Configuration } from './configuration.ts';
import { fixturesFolder, touchpointFixtures } from './fixture-folders.ts';

export { swapVariable } from '../shared/configuration/swap-variables.ts';
/** The entry point of the server package: what the command line uses of the estate. It loads most modules only when they are needed. */
export { type Configuration, readConfiguration } from './configuration.ts';
export { run } from './run.ts';
export { explainStart } from './start-error.ts';

/** @throws FixtureError with a line for each mistake */
export async function checkFixtures(configuration: Configuration): Promise<void> {
  const { loadFixtures } = await import('../fixtures/load.ts');
  await loadFixtures(fixturesFolder(configuration));
  const { loadTouchpointFixtures } = await import('../services/touchpoint-mock/contract/fixtures.ts');
  await loadTouchpointFixtures(await touchpointFixtures(configuration));
}

/** The missing dependencies of the store and the bus, if these are configured. */
export async function infrastructureTrouble(
  configuration: Configuration,
): Promise<Readonly<Record<'redis' | 'kafka', { readonly trouble: string | undefined } | undefined>>> {
  const { busTrouble, storeTrouble } = await import('./infrastructure.ts');
  const [redis, kafka] = await Promise.all([
    configuration.REDIS_URL === undefined ? undefined : storeTrouble(configuration).then((trouble) => ({ trouble })),
    configuration.KAFKA_BROKERS === undefined ? undefined : busTrouble(configuration).then((trouble) => ({ trouble })),
  ]);
  return { redis, kafka };
}
