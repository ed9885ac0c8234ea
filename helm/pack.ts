import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseDocument } from 'yaml';
import manifest from '../package.json' with { type: 'json' };
import { CHART } from './chart.ts';

const PROJECT = fileURLToPath(new URL('../', import.meta.url));
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

const folder = await mkdtemp(join(tmpdir(), 'chart-'));
try {
  const chart = join(folder, manifest.name);
  await cp(join(PROJECT, CHART), chart, { recursive: true });
  const file = join(chart, 'values.yaml');
  const document = parseDocument(await readFile(file, 'utf8'));
  document.setIn(['image', 'repository'], repository);
  document.setIn(['image', 'tag'], manifest.version);
  await writeFile(file, document.toString({ lineWidth: 0 }));
  execFileSync(HELM, ['package', chart, '--destination', destination], { stdio: ['ignore', 'inherit', 'inherit'] });
} catch (error) {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  process.stderr.write(isMissing ? `${HELM} cannot be run: install Helm 3, or set HELM to its path.\n` : `${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
