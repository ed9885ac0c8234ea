import { availableParallelism } from 'node:os';

/** Tests run the very files that production runs, and as it does. */
export default {
  testEnvironment: '<rootDir>/tests/support/runner/leaving-nothing.mjs',
  testRunner: '<rootDir>/tests/support/runner/runner.mjs',
  testMatch: ['<rootDir>/tests/**/*.test.ts'],
  // What needs a browser, Redis, a container engine, many processes or much time has commands of its own.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/tests/(browser|processes|redis|containers|faults|package)/'],
  // These tests together, and no part of them, exercise all that the catalog has.
  globals: { coversCatalog: true },
  moduleFileExtensions: ['ts', 'mjs', 'js', 'json'],
  globalSetup: '<rootDir>/tests/support/global-setup.mjs',
  globalTeardown: '<rootDir>/tests/support/global-teardown.mjs',
  // For a machine with much else to do: only what hangs takes this long.
  testTimeout: 120_000,
  // More than there are cores: a test mostly waits, for the estate, which is a process of its own, for a browser, or for time to pass.
  maxWorkers: 3 * availableParallelism(),
  // A worker ends by itself, but its process needs up to a second to give back its memory.
  workerGracefulExitTimeout: 10_000,
};
