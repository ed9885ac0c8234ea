import everything from '../../jest.config.mjs';

const { globals: _all, ...usual } = everything;

// The estate of the run, a process of its own, gets it.
process.env.TRANSPORT = 'http';

/** The rules of business once more, in an estate whose applications call each other over HTTP as containers do. */
export default {
  ...usual,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/(control|flows|reliability|services)/**/*.test.ts'],
};
