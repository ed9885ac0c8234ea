import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseDocument, stringify } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { CHART } from './chart.ts';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
/** Sections of CHANGELOG.md, with the kinds of Artifact Hub. */
const KINDS: Readonly<Record<string, string>> = { Added: 'added', Changed: 'changed', Fixed: 'fixed', Removed: 'removed' };
const HELM = process.env['HELM'] ?? 'helm';

/**
 * `npm run chart -- --repository ghcr.io/team/unified-commerce-estate --destination <folder>` writes the archive of the chart there.
 * Its image is the repository with the version of the package. Needs Helm 3: `helm` on the PATH, or the path in HELM.
 */
const { values } = parseArgs({ options: { repository: { type: 'string' }, destination: { type: 'string', default: PROJECT } } });
const { repository, destination } = values;
if (repository === undefined || !/^[a-z0-9][\w./:-]*$/.test(repository)) {
  process.stderr.write('--repository needs the name of the image in lower case, such as ghcr.io/team/unified-commerce-estate.\n');
  process.exit(64);
}

/** The address of the repository, in a workflow of its host. Undefined elsewhere: the chart then names no home. */
const { GITHUB_SERVER_URL: host, GITHUB_REPOSITORY: project } = process.env;
const home = host && project ? `${host}/${project}` : undefined;

/** The list of changes as Artifact Hub shows it: a kind and a sentence per change. */
async function changes(): Promise<readonly { readonly kind: string; readonly description: string }[]> {
  const text = await readFile(join(PROJECT, 'CHANGELOG.md'), 'utf8');
  const section = text.split(/^## /m).find((one) => one.startsWith(manifest.version)) ?? '';
  return section.split(/^### /m).flatMap((group) => {
    const [heading = '', ...lines] = group.split('\n');
    const kind = KINDS[heading.trim()];
    if (kind === undefined) return [];
    return `\n${lines.join('\n')}`
      .split(/\n- /)
      .slice(1)
      .map((bullet) => ({ kind, description: bullet.replaceAll(/\s+/g, ' ').trim() }));
  });
}

async function describeIn(chartFile: string): Promise<void> {
  const described = parseDocument(await readFile(chartFile, 'utf8'));
  if (home !== undefined) {
    described.set('home', home);
    described.set('icon', `${home}/raw/v${manifest.version}/ui/kit/icon.svg`);
    described.set('sources', [home]);
  }
  const image = `${repository}:${manifest.version}`;
  described.setIn(['annotations', 'artifacthub.io/license'], manifest.license);
  described.setIn(['annotations', 'artifacthub.io/images'], stringify([{ name: manifest.name, image }]));
  described.setIn(['annotations', 'artifacthub.io/changes'], stringify(await changes(), { lineWidth: 0 }));
  await writeFile(chartFile, described.toString({ lineWidth: 0 }));
}

const folder = await mkdtemp(join(tmpdir(), 'chart-'));
try {
  const chart = join(folder, manifest.name);
  await cp(join(PROJECT, CHART), chart, { recursive: true });
  const file = join(chart, 'values.yaml');
  const document = parseDocument(await readFile(file, 'utf8'));
  document.setIn(['image', 'repository'], repository);
  document.setIn(['image', 'tag'], manifest.version);
  await writeFile(file, document.toString({ lineWidth: 0 }));
  await describeIn(join(chart, 'Chart.yaml'));
  execFileSync(HELM, ['package', chart, '--destination', destination], { stdio: ['ignore', 'inherit', 'inherit'] });
} catch (error) {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  process.stderr.write(isMissing ? `${HELM} cannot be run: install Helm 3, or set HELM to its path.\n` : `${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
