import { afterAll } from '@jest/globals';
import { aFolder } from '../../support/folder.ts';

/** A folder of ES modules for the tests of a file. */
export async function scratchFolder() {
  const folder = await aFolder();
  afterAll(folder.remove);
  await folder.write('package.json', '{"type":"module"}');
  return folder;
}

/** The text of a module with scenarios, one per line, by name and body. */
export const scenariosOf = (bodies: Readonly<Record<string, string>>): string =>
  Object.entries(bodies)
    .map(([name, body], n) => `export const s${n} = { name: '${name}', title: 't', run: async (stage) => { ${body} } };`)
    .join('\n');

/** The failures of a run by scenario, from the output of `rehearse --json`. */
export const failuresIn = (json: string): Readonly<Record<string, string | undefined>> => {
  const { scenarios } = JSON.parse(json) as { scenarios: { name: string; failure?: string }[] };
  return Object.fromEntries(scenarios.map(({ name, failure }) => [name, failure]));
};
