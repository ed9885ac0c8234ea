import everything from '../../jest.config.mjs';

const { globalSetup: _estate, globalTeardown: _end, testPathIgnorePatterns: _others, ...usual } = everything;

/** Tests with real containers: one file after the other, since each may start a broker. */
export default {
  ...usual,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/containers/*.test.ts'],
  testTimeout: 900_000,
  maxWorkers: 1,
};
