import { createRequire } from 'node:module';
import { offer, plainStack, urlOf } from './modules.mjs';

const require = createRequire(import.meta.url);
const { default: circus } = require('jest-circus/runner');
/** The key under which jest-circus stores its listeners. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/**
 * Jest's own runner, except that Node loads the modules. Jest would compile its framework for each test file, and give each file a separate
 * realm. Node loads framework, packages and tested code once per process, as production does, and only tests and their helpers once
 * per file. The state of jest-circus belongs to one file, so it is loaded again.
 */
export default function run(globalConfig, config, environment, runtime, testPath, sendMessageToJest) {
  Error.prepareStackTrace = withPlainStacks(Error.prepareStackTrace);
  Object.assign(runtime, {
    requireInternalModule(path) {
      delete require.cache[path];
      delete globalThis[EVENT_HANDLERS];
      return require(path);
    },
    setGlobalsForRuntime: offer,
    unstable_shouldLoadAsEsm: () => true,
    unstable_importModule: (path) => import(urlOf(path)),
  });
  return circus(globalConfig, config, environment, runtime, testPath, sendMessageToJest);
}

let prepared;

/** Jest shows the code of a file that a stack names by its path. */
function withPlainStacks(prepare) {
  if (prepare !== prepared) prepared = (error, trace) => plainStack(prepare(error, trace));
  return prepared;
}
