#!/usr/bin/env node
/** The command `unified-commerce-estate`, in short `estate`. In a clone: `npm run estate --`. */
import { createRequire, enableCompileCache } from 'node:module';

createRequire(import.meta.url)('./node-version.cjs');
// A command is over in half a second; without the cache it would first compile for two.
enableCompileCache();
const { run } = await import('./program.ts');
await run(process.argv.slice(2));
