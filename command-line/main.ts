#!/usr/bin/env node
/** The commands `unified-commerce-estate` and `estate`. In a clone: `npm run estate --`. */
import { createRequire } from 'node:module';

createRequire(import.meta.url)('./loaded-first.cjs');
const { run } = await import('./program.ts');
await run(process.argv.slice(2));
