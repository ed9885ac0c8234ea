import { afterEach, beforeEach } from '@jest/globals';
import { type FixtureSet, loadFixtures } from '../../fixtures/load.ts';
import { aFolder } from './folder.ts';

type Contents = Readonly<Record<string, string | Buffer | readonly unknown[] | object>>;

/** A folder with the data of a user, new for each test of a file. */
export function ownFolder() {
  let folder: Awaited<ReturnType<typeof aFolder>>;
  beforeEach(async () => {
    folder = await aFolder();
  });
  afterEach(() => folder.remove());

  async function load(contents: Contents): Promise<FixtureSet> {
    for (const [name, content] of Object.entries(contents)) await folder.write(name, content);
    return loadFixtures(folder.url);
  }
  return {
    at: (name = ''): string => folder.at(name),
    /** Loads the folder with these files in addition. Values other than texts become JSON. */
    load,
    /** The lines of the refusal, without the folder. */
    refusal: (contents: Contents): Promise<readonly string[]> =>
      load(contents).then(
        () => ['it is accepted'],
        ({ message }: Error) => message.split('\n').map((line) => line.replace(`${folder.path}/`, '').replace('cannot be used: ', '')),
      ),
  };
}
