import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { commandBlocks, documents } from '../support/documents.ts';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

const templates = trackedFiles.filter((file) => /^\.github\/ISSUE_TEMPLATE\/(?!config).*\.yml$/.test(file));

interface Template {
  readonly name?: string;
  readonly description?: string;
  readonly body?: readonly { readonly type?: string; readonly id?: string; readonly attributes?: { readonly label?: string } }[];
}

test('The workflow checks out the repository and runs .ci/run', () => {
  const { jobs } = parse(textOf('.github/workflows/ci.yml')) as { jobs: Record<string, { steps: readonly Record<string, unknown>[] }> };
  expect(Object.values(jobs).flatMap(({ steps }) => steps)).toEqual([
    { uses: expect.stringMatching(/^actions\/checkout@/), with: { 'persist-credentials': false } },
    { run: '.ci/run' },
  ]);
  expect(trackedFiles).toContain('.ci/run');
});

test('The workflow uses actions by the hash of their commit, because a tag can be moved', () => {
  const used = trackedFiles
    .filter((file) => file === 'action.yml' || /^\.github\/.*\.ya?ml$/.test(file))
    .flatMap((file) => [...textOf(file).matchAll(/\buses:\s*(\S+)/g)].map(([, action = '']) => action));
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
});

test.each(templates)('The issue template %s has a name, a description and fields with unique ids', (file) => {
  const { name, description, body = [] } = parse(textOf(file)) as Template;
  expect([name, description]).toEqual([expect.any(String), expect.any(String)]);
  expect(body.length).toBeGreaterThan(0);
  expect(new Set(body.map(({ id }) => id)).size).toBe(body.length);
  expect(body.filter(({ type, attributes }) => type === undefined || attributes?.label === undefined)).toEqual([]);
});

test('The file .gitignore has the folders of reports that the documents name', () => {
  const ignored = textOf('.gitignore').split('\n');
  const named = documents.flatMap((file) =>
    [...textOf(file).matchAll(/--report ([\w-]+)(?![\w./-]|\s*<)/g)].map(([, folder = '']) => folder),
  );
  expect(named.length).toBeGreaterThan(0);
  expect([...new Set(named)].filter((folder) => !ignored.includes(`${folder}/`))).toEqual([]);
});

/** This guide is for the repository of the reader, which has a clone of the estate in a folder. */
const BESIDE_A_CLONE = 'docs/how-to/ci.md';
const WRITTEN_BY_COMMAND =
  /(?:(?<![-=<\w&])>|\s-o|--output|--to|mkdir -p|\bcp \S+|--(?:report|junit|html)) ([a-z][\w./-]*)|_FILE=([a-z][\w./-]*)/g;
const WRITTEN_BY_READER = /[Ss]ave this[^`.]*`([\w./-]+)`|--(?:headers-file|junit|html) ([\w./-]+)/g;

test('Git ignores the files that the guides write into a clone', () => {
  const guides = documents.filter((file) => /^docs\/(how-to|tutorials|reference)\//.test(file) && file !== BESIDE_A_CLONE);
  const written = guides.flatMap((file) => {
    const commands = commandBlocks(file).map((block) => block.commands);
    const found = [...commands.join('\n').matchAll(WRITTEN_BY_COMMAND), ...textOf(file).matchAll(WRITTEN_BY_READER)];
    return found.flatMap(([, one, other]) => one ?? other ?? []);
  });
  expect(written).toEqual(
    expect.arrayContaining(['redis-password', 'with-basket.json', 'shop.html', 'headers.txt', 'my-sheets/stock.csv']),
  );
  const { stdout } = spawnSync('git', ['check-ignore', '--no-index', ...written.flatMap((name) => [name, `${name}/`])], {
    encoding: 'utf8',
  });
  const ignored = new Set(stdout.split('\n').map((name) => name.replace(/\/$/, '')));
  expect(written.filter((name) => !ignored.has(name))).toEqual([]);
});

test('The changelog has a section for the version of the package', () => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  expect(textOf('CHANGELOG.md')).toMatch(new RegExp(`^## ${version.replaceAll('.', '\\.')}( |$)`, 'm'));
});
