import { availableParallelism } from 'node:os';

/** Tests load the same files as production. */
export default {
  testEnvironment: '<rootDir>/tests/support/runner/leaving-nothing.mjs',
  testRunner: '<rootDir>/tests/support/runner/runner.mjs',
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  // Tests that need a browser, Redis, a container engine, many processes or much time have separate commands.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/tests/(browser|processes|redis|containers|faults|package)/'],
  // Only the whole suite covers the catalog.
  globals: { coversCatalog: true },
  moduleFileExtensions: ['ts', 'mjs', 'js', 'json'],
  globalSetup: '<rootDir>/tests/support/global-setup.mjs',
  globalTeardown: '<rootDir>/tests/support/global-teardown.mjs',
  // Long enough for a busy machine: only a hanging test takes this long.
  testTimeout: 120_000,
  // More workers than cores, because tests mostly wait.
  maxWorkers: 3 * availableParallelism(),
  // A worker's process needs up to a second to free its memory.
  workerGracefulExitTimeout: 10_000,
};
