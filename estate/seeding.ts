import { readdir } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { requireFolder } from '../fixtures/checked-file.ts';
import type { Fixtures } from '../fixtures/files.ts';
import { type FixtureSet, loadFixtures } from '../fixtures/load.ts';
import type { Logger } from '../shared/process/logger.ts';
import { dumpOf } from '../shared/store/collections.ts';
import type { WorldData } from '../shared/store/ports/world-data.ts';
import { seedOfRetailer } from '../shared/work/figures.ts';
import type { Configuration } from './configuration.ts';
import { registeredApplications } from './registry.ts';

/** Logs which rows of the project do not fit the configured data. @throws FixtureError with a line per mistake */
export async function loadConfiguredFixtures(configuration: Configuration, log: Logger): Promise<FixtureSet> {
  const fixtures = await loadFixtures(fixturesFolder(configuration));
  for (const sentence of fixtures.leftOut) log.info(sentence);
  return fixtures;
}

/** The initial data of a world whose clock starts at `now`. */
export function seedData(fixtures: Fixtures, now: number): WorldData {
  const retailer = seedOfRetailer(fixtures.retailer);
  const applications = Object.fromEntries(
    registeredApplications.map(({ service, seed }) => {
      const { objects = [], ...others } = seed(fixtures);
      return [service.application, dumpOf({ ...others, objects: [...objects, retailer] })];
    }),
  );
  const due = registeredApplications.flatMap(({ service, seedDue }) =>
    (seedDue?.(fixtures) ?? []).map((item) => ({ ...item, application: service.application, correlationId: 'seed' })),
  );
  return { now, applications, due };
}

/** The configured folder. Undefined: the project's folder. */
export const fixturesFolder = ({ FIXTURES_DIR }: Configuration): URL | undefined =>
  FIXTURES_DIR === undefined ? undefined : pathToFileURL(`${FIXTURES_DIR}/`);

/**
 * The folder with the answers of the touchpoint mock. Undefined: the project's folder, even when the configured one has no answers.
 * @throws FixtureError when the configured folder does not exist
 */
export async function touchpointFixtures(configuration: Configuration): Promise<URL | undefined> {
  const folder = fixturesFolder(configuration);
  if (folder === undefined) return undefined;
  await requireFolder(folder);
  const hasAnswers = (await readdir(folder)).some((name) => name === 'touchpoint' || name === 'touchpoint-authorization.json');
  return hasAnswers ? folder : undefined;
}
