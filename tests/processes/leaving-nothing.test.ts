import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { startRedis, whyNoRedis } from '../redis/redis-server.ts';
import { skipWithoutRedis } from '../redis/without-redis.ts';
import { isThorough } from '../support/effort.ts';
import type { Assignment, Findings } from './estate-under-watch.ts';

const PROCESS = fileURLToPath(new URL('./estate-under-watch.ts', import.meta.url));
const REHEARSALS = isThorough ? 1_000 : 50;
const TIME_MS = isThorough ? 1_800_000 : 300_000;
/** A thousand take minutes: each store ends them in one way here, and in the other way there. */
const ENDINGS = isThorough
  ? ({ memory: ['expired'], redis: ['deleted'] } as const)
  : ({ memory: ['deleted'], redis: ['expired'] } as const);
const MIB = 1_048_576;
/** Allowed growth of the heap that does not depend on the number of rehearsals: compiled code, buffers, bounded caches. */
const HEAP_MARGIN_BYTES = 12 * MIB;
const COUNT_MARGIN = 25;

async function watched(assignment: Assignment): Promise<Findings> {
  const child = fork(PROCESS, [JSON.stringify(assignment)], {
    execArgv: ['--expose-gc', '--disable-warning=ExperimentalWarning'],
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  const exit = once(child, 'exit');
  const ended = exit.then(([code]) => {
    throw new Error(`It ended with exit code ${code} and found nothing: ${said.slice(-2_000)}`);
  });
  ended.catch(() => undefined);
  try {
    const [findings] = await Promise.race([once(child, 'message'), ended]);
    return findings as Findings;
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

function expectNothingLeft({ before, after, remembered }: Findings): void {
  expect(after.keys).toEqual(before.keys);
  expect(after.maps).toBeLessThanOrEqual(before.maps + COUNT_MARGIN);
  expect(after.timers).toBeLessThanOrEqual(before.timers + COUNT_MARGIN);
  expect(after.heapBytes).toBeLessThanOrEqual(before.heapBytes + HEAP_MARGIN_BYTES);
  // A connection remembers its last request.
  expect(remembered.length).toBeLessThanOrEqual(10);
}

/** Both stores at once: most of the time is waiting for connections to close. */
describe(`Of ${REHEARSALS} rehearsals that were used and then`, () => {
  test.concurrent.each(ENDINGS.memory)(
    '%s, a process with its state in memory keeps nothing',
    async (ending) => {
      expectNothingLeft(await watched({ rehearsals: REHEARSALS, ending }));
    },
    TIME_MS,
  );

  if (whyNoRedis) {
    skipWithoutRedis('what is left of rehearsals in Redis');
  } else {
    test.concurrent.each(ENDINGS.redis)(
      '%s, neither Redis nor the process keeps anything',
      async (ending) => {
        const server = await startRedis();
        try {
          expectNothingLeft(await watched({ redisPort: server.port, rehearsals: REHEARSALS, ending }));
        } finally {
          await server.stop();
        }
      },
      TIME_MS,
    );
  }
});
