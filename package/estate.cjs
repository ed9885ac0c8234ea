#!/usr/bin/env node
'use strict';
/* The command in the package. On an older Node, the next line ends the process. */
require('./command-line/loaded-first.cjs');
import('./command-line.mjs').then((program) => program.run(process.argv.slice(2)));
