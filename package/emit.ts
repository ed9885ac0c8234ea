import { execFileSync } from 'node:child_process';
import { cp, glob, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import manifest from '../package.json' with { type: 'json' };

/**
 * Writes dist/ for `npm pack`. The package contains JavaScript, because Node strips no types below node_modules.
 * npm runs this before it packs; `--clean` removes dist/.
 */
const PROJECT = fileURLToPath(new URL('../', import.meta.url));
const DIST = join(PROJECT, 'dist');
/** Files that the estate reads besides its code. */
const READ = [
  'command-line/*.cjs',
  'command-line/**/*.css',
  'design/*.css',
  'fixtures/**/*.json',
  'services/touchpoint-mock/portal/*',
  'console/*.css',
  'console/page/*.{css,svg}',
];

function compile(...options: readonly string[]): void {
  const tsc = fileURLToPath(import.meta.resolve('typescript/package.json')).replace('package.json', 'bin/tsc');
  execFileSync(process.execPath, [tsc, ...options], { cwd: PROJECT, stdio: 'inherit' });
}

async function emit(): Promise<void> {
  // `npm run check` has checked the types. They are stripped here, and declared only for the public modules.
  compile('-p', 'package/tsconfig.json', '--noCheck');
  compile('-p', 'package/tsconfig.declarations.json', '--noCheck');
  for await (const file of glob(READ, { cwd: PROJECT })) {
    await mkdir(dirname(join(DIST, file)), { recursive: true });
    await cp(join(PROJECT, file), join(DIST, file));
  }
  await writeFile(join(DIST, 'package.json'), `${JSON.stringify({ type: manifest.type, version: manifest.version })}\n`);
}

await rm(DIST, { recursive: true, force: true });
if (!process.argv.includes('--clean')) await emit();
