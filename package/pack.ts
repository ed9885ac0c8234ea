import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPages } from '../console/bundle.ts';
import { writeClient } from './client.ts';
import { serverManifest } from './manifests.ts';
import { compile, copyTo, DIST, licencesOf, PROJECT, write } from './project.ts';

const FOLDER = join(DIST, 'server');
/** Files that the estate reads. */
const READ = ['LICENSE', 'fixtures/**/*.json', 'fixtures/pictures/*.svg', 'shared/contract/openapi/*.json'];

/** The package of the estate itself. It contains JavaScript, because Node strips no types below node_modules, and the bundled pages. */
async function writeServer(): Promise<void> {
  compile('tsconfig.server.json');
  await copyTo(FOLDER, READ);
  const bundled = await buildPages(join(FOLDER, 'ui/built'));
  await write(join(FOLDER, 'THIRD-PARTY-LICENSES.txt'), await licencesOf(bundled));
  await write(join(FOLDER, 'package.json'), `${JSON.stringify(serverManifest, null, 2)}\n`);
}

/** `npm run package -- --pack-destination <folder>` writes the archives of both packages there. */
const { values } = parseArgs({ options: { 'pack-destination': { type: 'string', default: PROJECT } } });

await rm(DIST, { recursive: true, force: true });
try {
  await Promise.all([writeClient(), writeServer()]);
  const folders = ['client', 'server'].map((name) => join(DIST, name));
  const archives = execFileSync('npm', ['pack', '--silent', '--pack-destination', values['pack-destination'], ...folders], {
    encoding: 'utf8',
  });
  process.stdout.write(archives);
} finally {
  await rm(DIST, { recursive: true, force: true });
}
