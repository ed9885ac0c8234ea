'use strict';
/* Loaded first, also by an older Node, which could not read the other files. Hence plain, old JavaScript. */
var OLDEST = 24;
if (parseInt(process.versions.node, 10) < OLDEST) {
  process.stderr.write(
    'The estate needs Node ' +
      OLDEST +
      ' or newer; this is ' +
      process.versions.node +
      '. In a clone, run npm ci first: it brings its own Node.\n',
  );
  process.exit(2);
}
