import { availableParallelism } from 'node:os';
import everything from '../../jest.config.mjs';

const { testPathIgnorePatterns: _others, globals: _all, ...usual } = everything;

/** Tests of the store in Redis, and of replicas of the applications. */
export default {
  ...usual,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/redis/**/*.test.ts'],
  testTimeout: 300_000,
  // The Redis of a test needs a processor too.
  maxWorkers: 2 * availableParallelism(),
};
