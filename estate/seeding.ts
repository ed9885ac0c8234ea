import type { Fixtures } from '../fixtures/files.ts';
import { type FixtureSet, loadFixtures } from '../fixtures/load.ts';
import { dumpOf } from '../shared/store/collections.ts';
import type { Snapshot } from '../shared/store/ports/snapshots.ts';
import type { Configuration } from './configuration.ts';
import { fixturesFolder } from './fixtures-folder.ts';
import { registeredApplications } from './registry.ts';

export const loadConfiguredFixtures = (configuration: Configuration): Promise<FixtureSet> => loadFixtures(fixturesFolder(configuration));

/** The initial data of a world whose clock starts at `now`. */
export function seedSnapshot(fixtures: Fixtures, now: number): Snapshot {
  const applications = Object.fromEntries(
    registeredApplications.map(({ service, seed }) => [service.application, dumpOf(seed(fixtures, now))]),
  );
  const due = registeredApplications.flatMap(({ service, seedDue }) =>
    (seedDue?.(fixtures, now) ?? []).map((item) => ({ ...item, application: service.application, correlationId: 'seed' })),
  );
  return { now, applications, due };
}
