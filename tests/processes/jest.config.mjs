import { availableParallelism } from 'node:os';
import everything from '../../jest.config.mjs';

const { testPathIgnorePatterns: _others, globals: _all, ...usual } = everything;

/** Tests of commands and starts: each starts processes. */
export default {
  ...usual,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/processes/**/*.test.ts'],
  testTimeout: 300_000,
  // The processes of a test need processors too.
  maxWorkers: 2 * availableParallelism(),
};
