import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { runProgram } from '../support/command.ts';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

/** Bytes that the console may add to the image. */
const MOST = 4_000_000;

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
const locked = JSON.parse(textOf('package-lock.json')).packages as Readonly<Record<string, Locked>>;
const direct = Object.keys(locked['']?.dependencies ?? {});

/** Where a package finds another one: in its own folder, or further out. */
function placeOf(name: string, from: string): string | undefined {
  const place = join(from, 'node_modules', name);
  if (locked[place]) return place;
  return from === '' ? undefined : placeOf(name, from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)));
}

/** The folders of packages and of all that they need. */
function installedFor(names: readonly string[]): ReadonlySet<string> {
  const places = new Set(names.flatMap((name) => placeOf(name, '') ?? []));
  for (const place of places) {
    const { dependencies, optionalDependencies } = locked[place] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const needed = placeOf(name, place);
      if (needed !== undefined) places.add(needed);
    }
  }
  return places;
}

/** The packages of the console: all, and the ones that nothing else needs. */
function packagesOfConsole(): { readonly all: readonly string[]; readonly own: readonly string[] } {
  const folders = /^(command-line|estate|fixtures|gateway|rehearsal|services|shared)\/.*\.ts$/;
  const others = trackedFiles.filter((file) => folders.test(file)).map(textOf);
  const isUsed = (name: string): boolean => others.some((text) => text.includes(`'${name}'`) || text.includes(`'${name}/`));
  const rest = installedFor(direct.filter(isUsed));
  const all = [...installedFor(direct.filter((name) => !isUsed(name)))];
  return { all, own: all.filter((place) => !rest.has(place)) };
}

async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries.filter((entry) => entry.isFile()).map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-in-the-image-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('The console adds at most 4 MB to the image: its files, and the packages that nothing else needs, stripped', async () => {
  const { all, own } = packagesOfConsole();
  expect(own).toEqual(
    expect.arrayContaining(['node_modules/preact', 'node_modules/@dagrejs/dagre', 'node_modules/@scalar/fastify-api-reference']),
  );
  expect(own).not.toContain('node_modules/yaml');
  for (const place of all) await cp(place, join(folder, place), { recursive: true });
  const { code, err } = await runProgram(process.execPath, ['image/strip-dependencies.ts', join(folder, 'node_modules')]);
  expect([code, err]).toEqual([0, '']);
  const script = await readFile(join(folder, 'node_modules/@scalar/fastify-api-reference/dist/standalone.js.gz'));
  expect(script.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
  // Packages within packages are in the folders of these.
  const outer = own.filter((place) => place.lastIndexOf('node_modules/') === 0);
  const sizes = await Promise.all(['console', ...outer.map((place) => join(folder, place))].map(bytesIn));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST);
});
