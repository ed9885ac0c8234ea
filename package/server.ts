import { join } from 'node:path';
import { serverManifest } from './manifests.ts';
import { compile, copyTo, DIST, write } from './project.ts';

const FOLDER = join(DIST, 'server');
/** Files that the estate reads. */
const READ = [
  'LICENSE',
  'design/*.css',
  'fixtures/**/*.json',
  'services/touchpoint-mock/portal/*',
  'console/*.css',
  'console/page/*.{css,svg}',
];

/** The package of the estate itself. It contains JavaScript, because Node strips no types below node_modules. */
export async function writeServer(): Promise<void> {
  compile('tsconfig.server.json');
  await copyTo(FOLDER, READ);
  await write(join(FOLDER, 'package.json'), `${JSON.stringify(serverManifest, null, 2)}\n`);
}
