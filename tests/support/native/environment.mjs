import { createRequire } from 'node:module';
import { TestEnvironment } from 'jest-environment-node';

const require = createRequire(import.meta.url);

/** Jest's environment, where the largest packages are there as Node itself loads them: once for all test files of a process. */
export default class Native extends TestEnvironment {
  constructor(...given) {
    super(...given);
    this.global[Symbol.for('native')] = require;
  }
}
