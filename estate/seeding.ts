import type { Fixtures } from '../fixtures/files.ts';
import { type FixtureSet, loadFixtures } from '../fixtures/load.ts';
import type { Application } from '../shared/catalog/applications.ts';
import { isSwappable } from '../shared/catalog/swap.ts';
import { inOneTurn, type Steps } from '../shared/domain/breathe.ts';
import { type SeededSwap, type SeededSwaps, seedOfRetailer, seedOfSwap } from '../shared/elsewhere/swap/stored-swap.ts';
import { dumpSteps } from '../shared/store/collections.ts';
import type { ApplicationDump, WorldData } from '../shared/store/ports/world-data.ts';
import type { Configuration } from './configuration.ts';
import { fixturesFolder } from './fixture-folders.ts';
import { registeredApplications } from './registry.ts';

/** Receives a sentence for the person who starts the estate. */
export type Report = (sentence: string) => void;

/** Reports which rows of the project do not fit the configured data. @throws FixtureError with a line per mistake */
export async function loadConfiguredFixtures(configuration: Configuration, report: Report): Promise<FixtureSet> {
  const fixtures = await loadFixtures(fixturesFolder(configuration));
  fixtures.leftOut.forEach(report);
  return fixtures;
}

/**
 * The initial data of a world whose clock starts at `now`. A swapped application has none, because its real system does not have the
 * fixtures. It gets the objects that the real system shows.
 */
export const seedData = (fixtures: Fixtures, now: number, swaps?: SeededSwaps): WorldData => inOneTurn(seedSteps(fixtures, now, swaps));

/** As `seedData`, with a pause at each row. */
export function* seedSteps(fixtures: Fixtures, now: number, swaps: SeededSwaps = {}): Steps<WorldData> {
  const retailer = seedOfRetailer(fixtures.retailer, swaps);
  const applications: Partial<Record<Application, ApplicationDump>> = {};
  for (const { service, seed } of registeredApplications) {
    const swap = swapOf(swaps, service.application);
    const { objects = [], ...others } = isReplaced(swap) ? {} : seed(fixtures);
    const swapped = swap ? [seedOfSwap(swap)] : [];
    applications[service.application] = yield* dumpSteps({ ...others, objects: [...objects, ...swapped, retailer] });
  }
  const due = registeredApplications.flatMap(({ service, seedDue }) =>
    (isReplaced(swapOf(swaps, service.application)) ? [] : (seedDue?.(fixtures) ?? [])).map((item) => ({
      ...item,
      application: service.application,
      correlationId: 'seed',
    })),
  );
  return { now, applications, due };
}

const swapOf = (swaps: SeededSwaps, application: Application): SeededSwap | undefined =>
  isSwappable(application) ? swaps[application] : undefined;

/** In the mode shadow, a real system replaces nothing. */
const isReplaced = (swap: SeededSwap | undefined): boolean => swap !== undefined && swap.mode !== 'shadow';
