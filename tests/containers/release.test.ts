import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { aFolder } from '../support/folder.ts';
import { runIn } from '../support/scratch-project.ts';
import { skipTests } from '../support/skipped.ts';
import { textOf, trackedFiles } from '../support/tracked-files.ts';
import { template, whyNoHelm } from './helm.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const { version } = manifest;

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly permissions?: Readonly<Record<string, string>>;
        readonly environment?: string;
        readonly needs?: unknown;
        readonly steps: readonly { readonly run?: string }[];
      }
    >
  >;
}
const workflow = parse(textOf('.github/workflows/release.yml')) as Workflow;

const release = (args: readonly string[], env?: NodeJS.ProcessEnv) => runIn(PROJECT, '.ci/release', args, env);

/** Commands that need a registry or the host of the repository. */
const REMOTE =
  /^(?:gh release|npm (?:view|publish)|helm (?:registry|push)|go run github\.com\/sigstore\/cosign\/|\.ci\/release unpublished)\b/;
/** Commands that these tests, or other suites, run. */
const LOCAL = /^(?:\.ci\/run$|\.ci\/release (?:check|archives|notes|run)\b|npm ci$|printf )/;

const whyNoActionlint = ((): string | undefined => {
  try {
    execFileSync('actionlint', ['-version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'actionlint is not on the PATH: go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12';
  }
})();

if (whyNoActionlint === undefined) {
  test('The workflows pass actionlint', async () => {
    const files = trackedFiles.filter((file) => file.startsWith('.github/workflows/'));
    expect(files.length).toBeGreaterThan(1);
    expect(await runIn(PROJECT, 'actionlint', ['-no-color', ...files])).toEqual({ code: 0, out: '', err: '' });
  });
} else skipTests('the check of the workflows', whyNoActionlint, 'actionlint');

test('The release runs only commands that a test runs, or that publish', () => {
  const commands = Object.values(workflow.jobs)
    .flatMap(({ steps }) => steps.flatMap(({ run }) => run?.split('\n') ?? []))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^(?:for .* do|done)$/.test(line));
  expect(commands.length).toBeGreaterThan(8);
  expect(commands.filter((line) => !REMOTE.test(line) && !LOCAL.test(line))).toEqual([]);
});

test('The release gives a job only the rights that it publishes with', () => {
  expect(workflow.permissions).toEqual({ contents: 'read' });
  const rights = Object.entries(workflow.jobs).flatMap(([job, { permissions = {} }]) =>
    Object.entries(permissions).flatMap(([right, level]) => (level === 'write' ? [`${job}: ${right}`] : [])),
  );
  expect(rights).toEqual([
    'image: packages',
    'image: id-token',
    'packages: id-token',
    'chart: packages',
    'chart: id-token',
    'notes: contents',
  ]);
});

test('The release publishes nothing but the image before the pushed image has run, and needs an approval', () => {
  const publishing = Object.entries(workflow.jobs).filter(([, { permissions = {} }]) => Object.values(permissions).includes('write'));
  expect(publishing.map(([job, { environment }]) => [job, environment])).toEqual(
    ['image', 'packages', 'chart', 'notes'].map((job) => [job, 'release']),
  );
  expect([workflow.jobs['packages']?.needs, workflow.jobs['chart']?.needs]).toEqual([
    ['archives', 'run'],
    ['archives', 'run'],
  ]);
});

test('The release accepts only the tag of the version, and has its notes', async () => {
  expect(await release(['check', `v${version}`])).toEqual({ code: 0, out: '', err: '' });
  expect(await release(['check', 'v99.0.0'])).toEqual({
    code: 1,
    out: '',
    err: `The tag v99.0.0 does not name version ${version} of package.json: push the tag v${version}, or change the version.\n`,
  });
  expect(textOf('CHANGELOG.md')).toContain((await release(['notes'])).out);
  expect(await release(['publish'])).toMatchObject({ code: 64, err: expect.stringContaining('.ci/release check v0.1.0') });
});

if (whyNoHelm === undefined) {
  test('The release makes both packages with the address of their repository, and the chart, in one version', async () => {
    await using folder = await aFolder();
    const repository = { GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'team/estate' };
    expect(await release(['archives', folder.path, 'ghcr.io/team/estate'], repository)).toMatchObject({ code: 0 });
    const packages = ['unified-commerce-estate', 'unified-commerce-estate-server'].map((name) => `${name}-${version}.tgz`);
    expect(new Set(await readdir(folder.at('packages')))).toEqual(new Set(packages));
    for (const archive of packages) {
      const { out } = await runIn(folder.at('packages'), 'tar', ['-xzOf', archive, 'package/package.json']);
      expect(JSON.parse(out)).toMatchObject({ version, repository: { type: 'git', url: 'git+https://github.com/team/estate.git' } });
    }
    const { objects } = await template({}, folder.at('chart', `unified-commerce-estate-${version}.tgz`));
    expect(JSON.stringify(objects)).toContain(`"ghcr.io/team/estate:${version}"`);
  });
} else skipTests('the archives of a release', whyNoHelm, 'Helm 3');
