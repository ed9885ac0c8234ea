'use strict';
/* Loaded first, also by an older Node, which could not read the other files. Hence plain, old JavaScript. */
var sentence = require('./oldest-node.cjs').tooOld();
if (sentence !== undefined) {
  process.stderr.write(`${sentence} In a clone, run npm ci first: it brings its own Node.\n`);
  process.exit(2);
}
/* From the first file on: a start that finds all files compiled needs no compiler of TypeScript, which takes 20 MB. */
require('node:module').enableCompileCache();
