import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

const require = createRequire(import.meta.url);

/** Jest's environment, where what is tested and the largest packages are there as Node itself loads them: once for all test files of a process. */
export default class Native extends TestEnvironment {
  constructor(...given) {
    super(...given);
    this.global[Symbol.for('native')] = require;
    // What is thrown there is an error here too.
    Object.assign(this.global, { Error, RangeError, SyntaxError, TypeError });
  }
}
