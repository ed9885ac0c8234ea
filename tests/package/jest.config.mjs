import everything from '../../jest.config.mjs';

const { testPathIgnorePatterns: _others, ...usual } = everything;

/** Packs both packages and installs them from the npm registry into new projects. */
export default {
  ...usual,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/package/*.test.ts'],
  globalSetup: '<rootDir>/tests/package/global-setup.mjs',
  testTimeout: 900_000,
  maxWorkers: 1,
};
