'use strict';
/* Loaded first, also by an older Node, which could not read the other files. Hence plain, old JavaScript. */
var OLDEST = '22.19';
var oldest = OLDEST.split('.').map(Number);
var present = process.versions.node.split('.').map(Number);
if (present[0] < oldest[0] || (present[0] === oldest[0] && present[1] < oldest[1])) {
  process.stderr.write(
    'The estate needs Node ' +
      OLDEST +
      ' or newer; this is ' +
      process.versions.node +
      '. In a clone, run npm ci first: it brings its own Node.\n',
  );
  process.exit(2);
}
/* From the first file on: a start that finds all files compiled needs no compiler of TypeScript, which takes 20 MB. */
require('node:module').enableCompileCache();
