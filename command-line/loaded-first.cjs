'use strict';
/* Loaded first. An older Node cannot parse the other files, so this one is plain, old JavaScript. */
var sentence = require('./oldest-node.cjs').tooOld();
if (sentence !== undefined) {
  process.stderr.write(`${sentence} In a clone, run npm ci first: it brings its own Node.\n`);
  process.exit(2);
}
/* Enabled before any other file is loaded: with a full cache, Node does not load its TypeScript compiler, which takes 20 MB. */
require('node:module').enableCompileCache();
