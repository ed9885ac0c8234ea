import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const FIXTURES = new URL('../../fixtures/', import.meta.url);

/** A temporary folder, which `await using` removes. @param from folder whose files it gets */
export async function aFolder(from?: string | URL) {
  const path = await mkdtemp(join(tmpdir(), 'test-'));
  if (from) await cp(from, path, { recursive: true });
  const at = (...names: readonly string[]): string => join(path, ...names);
  return {
    path,
    /** Its address, with a slash at the end. */
    url: pathToFileURL(`${path}/`),
    at,
    /** Writes a file: a text as it is, and any other value as JSON. @returns its path */
    async write(name: string, content: unknown): Promise<string> {
      await writeFile(at(name), typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
      return at(name);
    },
    remove: () => rm(path, { recursive: true, force: true }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** The project's fixtures in a folder of the test, with other contents of some files. */
export async function copiedFixtures(files: Readonly<Record<string, unknown>> = {}) {
  const folder = await aFolder(FIXTURES);
  for (const [name, content] of Object.entries(files)) await folder.write(name, content);
  return folder;
}
