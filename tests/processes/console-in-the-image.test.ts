import { readdir, stat } from 'node:fs/promises';
import { afterAll, expect, test } from '@jest/globals';
import { buildPages } from '../../console/bundle.ts';
import { runProgram } from '../support/command.ts';
import { aFolder } from '../support/folder.ts';

/** Bytes that the pages may add to the image. */
const MOST = 4_000_000;

const folder = await aFolder();
await buildPages(folder.path);
const names = await readdir(folder.path);
afterAll(folder.remove);

test('The pages of the image add at most 4 MB', async () => {
  const sizes = await Promise.all(names.map(async (name) => (await stat(folder.at(name))).size));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(MOST);
});

test('The pages of the image have hashes in their names, and are compressed', () => {
  const files = names.filter((name) => !name.endsWith('.html.gz'));
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((name) => !/-[A-Z0-9]{8}\.(?:js|css|svg)\.gz$/.test(name))).toEqual([]);
});

test('Without development dependencies, a page and a report name the remedy', async () => {
  const { code, out, err } = await runProgram(process.execPath, ['tests/processes/page-without-esbuild.ts']);
  expect([code, err]).toEqual([0, '']);
  const remedy =
    'Pages, reports and diagrams are bundled by development dependencies, which are missing: run "npm ci" without "--omit=dev".';
  expect(JSON.parse(out)).toEqual({ report: remedy, status: 503, type: 'text/plain; charset=utf-8', text: `${remedy}\n` });
});
