import { join } from 'node:path';
import { buildPages } from '../console/build.ts';
import { licencesOf } from './bundle.ts';
import { serverManifest } from './manifests.ts';
import { compile, copyTo, DIST, write } from './project.ts';

const FOLDER = join(DIST, 'server');
/** Files that the estate reads. */
const READ = ['LICENSE', 'fixtures/**/*.json', 'shared/contract/openapi/*.json', 'services/touchpoint-mock/portal/*', 'ui/kit/tokens.css'];

/** The package of the estate itself. It contains JavaScript, because Node strips no types below node_modules, and the bundled pages. */
export async function writeServer(): Promise<void> {
  compile('tsconfig.server.json');
  await copyTo(FOLDER, READ);
  const bundled = await buildPages(join(FOLDER, 'ui/built'));
  await write(join(FOLDER, 'THIRD-PARTY-LICENSES.txt'), await licencesOf(bundled));
  await write(join(FOLDER, 'package.json'), `${JSON.stringify(serverManifest, null, 2)}\n`);
}
