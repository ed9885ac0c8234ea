import everything from '../../jest.config.mjs';

const { globals: _all, testPathIgnorePatterns: others, ...usual } = everything;

// The process of the estate inherits it.
process.env.TRANSPORT = 'http';

/** The business rules in an estate whose applications call each other over HTTP, like containers. */
export default {
  ...usual,
  rootDir: '../..',
  testMatch: ['<rootDir>/tests/(control|flows|reliability|services)/**/*.test.ts'],
  // Crashes always play between applications that call each other over HTTP.
  testPathIgnorePatterns: [...others, '<rootDir>/tests/(reliability/(killed-at-every-commit|swapped)|services/.*-crashes)[.]test'],
};
