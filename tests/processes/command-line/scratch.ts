import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

/** A folder of ES modules for the tests of a file. */
export async function scratchFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'scratch-'));
  afterAll(() => rm(folder, { recursive: true }));
  const at = (...names: readonly string[]): string => join(folder, ...names);
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(at(name), text);
    return at(name);
  };
  await write('package.json', '{"type":"module"}');
  return { at, write };
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
