import { availableParallelism } from 'node:os';
import everything from '../../jest.config.mjs';

const { testPathIgnorePatterns: _others, globals: _all, ...usual } = everything;

/** Tests of what keeps its state in Redis: the store, and replicas of the applications. Each starts a Redis of its own. */
export default {
  ...usual,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/redis/**/*.test.ts'],
  testTimeout: 300_000,
  // Each test has a Redis of its own, which works too.
  maxWorkers: 2 * availableParallelism(),
};
