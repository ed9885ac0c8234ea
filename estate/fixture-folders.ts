import { readdir } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { requireFolder } from '../fixtures/checked-file.ts';
import type { Configuration } from './configuration.ts';

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
