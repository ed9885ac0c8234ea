import { spawnSync } from 'node:child_process';
import { glob } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';

/**
 * Fills the folder NODE_COMPILE_CACHE while the image is built, so that a container neither strips types nor compiles at its
 * start. Loads every module, and then runs a rehearsal, which loads the libraries of the first label, trace and document. Node
 * makes the cache of a module before it runs the module, so functions that are compiled later are not in the cache.
 */
for await (const file of glob('{console/*.ts,{services,estate,gateway,shared,fixtures}/**/*.ts}')) {
  if (file !== 'estate/main.ts') await import(`../${file}`);
}
flushCompileCache();
const { status } = spawnSync(process.execPath, ['command-line/main.ts', 'rehearse'], { stdio: 'inherit' });
process.exit(status ?? 1);
