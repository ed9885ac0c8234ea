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
/** What a run that is not thorough has: the tests whose outcome depends on the store most. One Redis serves a run, so more would make it wait. */
const SAMPLE = [
  'control/(changes|swapped-orders|webhook-deliveries)',
  'flows/(changed-events|counts|currencies|expired-tokens|idempotency|if-match|isolation|rare-arrows)',
  'reliability/(killed-at-every-commit|swapped)',
];

const redis = 'redis/.*';
const onRedis = isThorough ? ['(control|flows|reliability)/.*'] : SAMPLE;
// Without a Redis, the tests of this folder report that they are skipped.
const chosen = whyNoRedis === undefined ? [redis, ...onRedis] : [redis];

/** The store in Redis, replicas of the applications, and the tests of the estate with its worlds in Redis. */
export default {
  ...usual,
  rootDir: '../..',
  testMatch: undefined,
  testRegex: [`/tests/(${chosen.join('|')})[.]test[.]ts$`],
  testPathIgnorePatterns: [`<rootDir>/tests/(${[...IN_MEMORY, ...WITHOUT_STORE].join('|')})[.]test`],
  testTimeout: 300_000,
  // The Redis of a test needs a processor too.
  maxWorkers: 2 * availableParallelism(),
};
