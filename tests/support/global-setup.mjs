import { fork } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../estate/main.ts', import.meta.url));

/** One estate for the whole test run, on a Redis of the run when STORE is `redis`. Each test uses its own rehearsal. */
export default async function setup({ nonFlagArgs, testNamePattern }, { cacheDirectory, globals }) {
  const areAll = nonFlagArgs.length === 0 && !testNamePattern;
  if (globals.coversCatalog && areAll) process.env.CATALOG_COVERAGE = mkdtempSync(join(tmpdir(), 'catalog-coverage-'));
  // Processes of a run share compiled code.
  process.env.NODE_COMPILE_CACHE ??= join(cacheDirectory, 'compiled');
  // Applications that start and end in tests leave much garbage. A larger young generation has fewer collections.
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=64`;
  const redis = process.env.STORE === 'redis' ? await (await import('./redis-server.ts')).startRedis() : undefined;
  globalThis.redisOfEstate = redis;
  const child = fork(main, [], {
    execArgv: [],
    env: {
      ...process.env,
      NODE_ENV: 'test',
      GATEWAY_PORT: '0',
      TOUCHPOINT_PORT: '0',
      PORTAL_PORT: '0',
      STRICT_RESPONSES: 'true',
      LOG_LEVEL: process.env.ESTATE_LOG_LEVEL ?? 'error',
      RATE_LIMIT_PER_ADDRESS: '100000000',
      RATE_LIMIT_PER_KEY: '100000000',
      MAX_REHEARSALS: '100000',
      MAX_SNAPSHOTS: '100000',
      ...(redis && { REDIS_URL: redis.url }),
    },
  });
  const addresses = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`The estate ended with exit code ${code} before it was ready.`)));
  }).catch(async (error) => {
    // After a failed setup, Jest calls no teardown.
    await redis?.stop();
    throw error;
  });
  process.env.ESTATE = JSON.stringify({ ...addresses, redis: redis?.url });
  globalThis.estateProcess = child;
}
