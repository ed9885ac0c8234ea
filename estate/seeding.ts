import { readdir } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { requireFolder } from '../fixtures/checked-file.ts';
import type { Fixtures } from '../fixtures/files.ts';
import { type FixtureSet, loadFixtures } from '../fixtures/load.ts';
import { dumpOf } from '../shared/store/collections.ts';
import type { Snapshot } from '../shared/store/ports/rehearsals.ts';
import { withRetailer } from '../shared/work/retailer.ts';
import type { Configuration } from './configuration.ts';
import { registeredApplications } from './registry.ts';

export const loadConfiguredFixtures = (configuration: Configuration): Promise<FixtureSet> => loadFixtures(fixturesFolder(configuration));

/** The initial data of a world whose clock starts at `now`. */
export function seedSnapshot(fixtures: Fixtures, now: number): Snapshot {
  const applications = Object.fromEntries(
    registeredApplications.map(({ service, seed }) => [service.application, dumpOf(withRetailer(seed(fixtures, now), fixtures.retailer))]),
  );
  const due = registeredApplications.flatMap(({ service, seedDue }) =>
    (seedDue?.(fixtures, now) ?? []).map((item) => ({ ...item, application: service.application, correlationId: 'seed' })),
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
