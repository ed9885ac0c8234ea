import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach } from '@jest/globals';
import { type FixtureSet, loadFixtures } from '../../fixtures/load.ts';

type Contents = Readonly<Record<string, string | Buffer | readonly unknown[] | object>>;

/** A folder with the data of a user, new for each test of a file. */
export function ownFolder() {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'own-data-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function load(contents: Contents): Promise<FixtureSet> {
    for (const [name, content] of Object.entries(contents)) {
      await writeFile(join(folder, name), typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
    }
    return loadFixtures(pathToFileURL(`${folder}/`));
  }
  return {
    at: (name = ''): string => join(folder, name),
    /** Loads the folder with these files in addition. Values other than texts become JSON. */
    load,
    /** The lines of the refusal, without the folder. */
    refusal: (contents: Contents): Promise<readonly string[]> =>
      load(contents).then(
        () => ['it is accepted'],
        ({ message }: Error) => message.split('\n').map((line) => line.replace(`${folder}/`, '').replace('cannot be used: ', '')),
      ),
  };
}
