import { expect, test } from '@jest/globals';
import { documents } from '../support/documents.ts';
import { guideBlocks } from '../support/guide.ts';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

const code = trackedFiles.filter((file) => /\.(tsx?|mjs|js)$/.test(file));
const linesWith = (files: readonly string[], pattern: RegExp): string[] =>
  files.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );

test('Files are named by their content: there are no barrels and no catch-all files', () => {
  expect(
    trackedFiles.filter((file) => /(^|\/)(index|utils?|helpers?|common|misc)(\.[a-z]+|\/)/.test(file) && !file.endsWith('.html')),
  ).toEqual([]);
});

test('Files of code are named in kebab-case', () => {
  const names = code.map((file) => file.split('/').at(-1) ?? '');
  expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.(test|config|d))?\.(tsx?|mjs|js)$/.test(name))).toEqual([]);
});

test('Files contain no paths of a developer’s machine', () => {
  const texts = trackedFiles.filter((file) => /\.(tsx?|mjs|js|json|md|yaml|yml|html|css)$/.test(file) && file !== 'package-lock.json');
  // `shared/work` is a folder of the project, not of a machine. Its neighbours import it as `../../work`.
  expect(linesWith(texts, /(?<!shared|\.\.)\/(home|work|Users)\/[a-z]+\//)).toEqual([]);
});

test('Code reads the environment only in estate/main.ts', () => {
  const production = code.filter((file) => /^(services|estate|gateway|shared|fixtures)\//.test(file) && file !== 'estate/main.ts');
  expect(linesWith(production, /process\.env\b/)).toEqual([]);
  expect(textOf('estate/main.ts')).toContain('process.env');
});

test('Code takes the time from the rehearsal: no rule of a service reads the wall clock', () => {
  const services = code.filter((file) => /^services\/[^/]+\//.test(file) && !file.startsWith('services/touchpoint-mock/'));
  expect(linesWith(services, /\bDate\.now\(\)|\bnew Date\(\)|\bset(Timeout|Interval)\(/)).toEqual([]);
});

test('Code prints only in shared/process/terminal.ts, which removes escape sequences from data', () => {
  const printing = code.filter((file) => /^(command-line|estate|rehearsal|gateway|services|shared|testcontainers)\//.test(file));
  const found = linesWith(printing, /\b(stdout|stderr)\.write\(|\bconsole\.(log|error|warn|info)\(/);
  expect(found.filter((line) => !line.startsWith('shared/process/terminal.ts:'))).toEqual([]);
});

test('Code contains no TODO', () => {
  const others = code.filter((file) => file !== 'tests/unit/habits.test.ts');
  expect(linesWith(others, /\b(TODO|FIXME|XXX|TEMPORARY)\b|[Nn]ot (yet )?implemented/)).toEqual([]);
});

const tests = trackedFiles.filter((file) => file.endsWith('.test.ts') && file !== 'tests/unit/habits.test.ts');

test('No test is focused, so all tests run', () =>
  expect(linesWith(tests, /\b(test|it|describe)(\.(concurrent|each))?\.only\b|\bf(it|describe)\(/)).toEqual([]));

test('Tests that may be skipped report it with the reason', () => {
  const skipping = tests.filter((file) => /\b(test|it|describe)\.(skip|todo)\b|\bx(it|describe)\(/.test(textOf(file)));
  expect(skipping.filter((file) => !/console\.warn\(\s*`SKIPPED: /.test(textOf(file)))).toEqual([]);
});

const groups = JSON.parse(textOf('package.json')) as Record<string, Record<string, string>>;
const { dependencies, optionalDependencies, devDependencies } = groups;
const declared = { ...dependencies, ...optionalDependencies, ...devDependencies };

test('The dependencies of package.json equal the list with reasons in ARCHITECTURE.md', () => {
  const [, section = ''] = textOf('ARCHITECTURE.md').split('## Dependencies');
  const explained = [...section.matchAll(/^\| (`[^|]*`) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  expect(explained.toSorted()).toEqual(Object.keys(declared).toSorted());
});

test('Dependencies are pinned to one version', () =>
  expect(Object.entries(declared).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]));

test('The documentation names every variable that configures a process', () => {
  const [, block = ''] = /const variables = \{\n([\s\S]*?)\n\};/.exec(textOf('shared/configuration/variables.ts')) ?? [];
  const names = [...block.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !textOf('docs/reference/variables.md').includes(`\`${name}\``))).toEqual([]);
});

test('The documentation names npm scripts that exist', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
  const mentioned = [...documents, 'estate/banner.ts'].flatMap((file) =>
    [...textOf(file).matchAll(/npm (?:run |(?=(?:start|test)\b))([a-z][a-z:-]+)/g)].map(([, name = '']) => name),
  );
  expect(mentioned.length).toBeGreaterThan(3);
  expect(mentioned.filter((name) => scripts[name] === undefined)).toEqual([]);
});

test('The documentation names files and folders of the project that exist', () => {
  const folders = new Set(trackedFiles.flatMap((file) => [...file.matchAll(/\//g)].map(({ index }) => file.slice(0, index))));
  // The guides for contributors name the files that they make.
  const made = documents
    .filter((file) => file.startsWith('docs/contributing/'))
    .flatMap((file) => guideBlocks(textOf(file)).map((block) => block.file));
  const names = new Set([...trackedFiles, ...made].flatMap((file) => [file, file.split('/').at(-1) ?? '']));
  const isOurs = (path: string): boolean => (path.includes('/') ? folders.has(path.split('/')[0] ?? '') : /\w\.tsx?$/.test(path));
  const isImage = (path: string): boolean => path === 'testcontainers/ryuk';
  const mentioned = documents.flatMap((file) =>
    [...textOf(file).matchAll(/`([\w./-]+)`/g)].map(([, path = '']) => path.replace(/\/$/, '')),
  );
  const paths = mentioned.filter((path) => isOurs(path) && !isImage(path));
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => !names.has(path) && !folders.has(path))).toEqual([]);
});
