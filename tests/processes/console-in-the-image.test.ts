import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { buildPages } from '../../console/build.ts';
import { runProgram } from '../support/command.ts';

const MOST = 4_000_000;

test('The pages of the image add at most 4 MB, have hashes in their names, and have two compressed copies each', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'console-in-the-image-'));
  await buildPages(folder);
  const names = await readdir(folder);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  await rm(folder, { recursive: true });
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST);
  const files = names.filter((name) => name !== 'pages.json');
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((name) => !/-[A-Z0-9]{8}\.(?:js|css|svg)\.(?:br|gz)$/.test(name))).toEqual([]);
  const copies = Map.groupBy(files, (name) => name.replace(/\.(?:br|gz)$/, ''));
  expect([...copies.values()].filter(({ length }) => length !== 2)).toEqual([]);
});

test('A page without development dependencies names the remedy', async () => {
  const { code, out, err } = await runProgram(process.execPath, ['tests/processes/page-without-esbuild.ts']);
  expect([code, err]).toEqual([0, '']);
  expect(JSON.parse(out)).toEqual({
    status: 503,
    type: 'text/plain; charset=utf-8',
    text: 'The pages are bundled by development dependencies, which are missing: run "npm ci" without "--omit=dev".\n',
  });
});
