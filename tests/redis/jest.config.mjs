import { availableParallelism } from 'node:os';
import everything from '../../jest.config.mjs';
import { isThorough } from '../support/effort.ts';
import { whyNoRedis } from '../support/redis-server.ts';

const { testPathIgnorePatterns: _others, globals: _all, ...usual } = everything;

// The setup of the run reads it.
if (whyNoRedis === undefined) process.env.STORE = 'redis';

/** Tests that start an estate or a store in memory, and tests of the order of events, which repeats in memory only. */
const IN_MEMORY = ['control/(growth|runs-of-gateways|snapshot-turns|stream-of-gateway|verify)', 'flows/(own-retailer|seeds)'];
/** Documents and requests that are refused before the store is used. */
const WITHOUT_STORE = ['flows/(documents-hold|header-limits|oversized-json|recorded-examples|unreadable-text)'];
/** The longest: each repeats one walk for every verb, application, API or scenario. A thorough run has them. */
const LONG = ['control/explanations', 'flows/(dry-run|injected-refusals|life-cycles|rehearsals)', 'reliability/outages'];

const leftOut = [...IN_MEMORY, ...WITHOUT_STORE, ...(isThorough ? [] : LONG)];

/** The store in Redis, replicas of the applications, and the tests of the estate with its worlds in Redis. */
export default {
  ...usual,
  rootDir: '../..',
  // Without a Redis, the tests of this folder report that they are skipped.
  testMatch: [`<rootDir>/tests/${whyNoRedis === undefined ? '(control|flows|redis|reliability)' : 'redis'}/**/*.test.ts`],
  testPathIgnorePatterns: [`<rootDir>/tests/(${leftOut.join('|')})[.]test`],
  testTimeout: 300_000,
  // The Redis of a test needs a processor too.
  maxWorkers: 2 * availableParallelism(),
};
