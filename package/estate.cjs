#!/usr/bin/env node
'use strict';
/* The command, as it is in the package. An older Node reads no more than the next line. */
require('./command-line/loaded-first.cjs');
import('./command-line.mjs').then((program) => program.run(process.argv.slice(2)));
