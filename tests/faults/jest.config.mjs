import everything from '../../jest.config.mjs';

const { globalSetup: _estate, globalTeardown: _end, testPathIgnorePatterns: _others, ...usual } = everything;

/** The fault matrix: processes are killed, frozen and cut off, one scenario at a time. */
export default {
  ...usual,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/faults/*.test.ts'],
  testTimeout: 300_000,
  maxWorkers: 1,
};
