import { availableParallelism } from 'node:os';
import everything from '../../jest.config.mjs';

const { testPathIgnorePatterns: _others, globals: _all, ...usual } = everything;

/** Tests of the console and the portal in a real browser. */
export default {
  ...usual,
  rootDir: '../..',
  testEnvironment: '<rootDir>/tests/browser/environment.mjs',
  testMatch: ['<rootDir>/tests/browser/**/*.test.ts'],
  // A browser works while its test waits.
  maxWorkers: 2 * availableParallelism(),
};
