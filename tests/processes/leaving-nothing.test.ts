import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { skipWithoutRedis } from '../redis/without-redis.ts';
import { isThorough } from '../support/effort.ts';
import { startRedis, whyNoRedis } from '../support/redis-server.ts';
import type { Assignment, Findings } from './estate-under-watch.ts';
import { reported } from './started.ts';

const PROCESS = fileURLToPath(new URL('./estate-under-watch.ts', import.meta.url));
const REHEARSALS = isThorough ? 1_000 : 50;
const TIME_MS = isThorough ? 1_800_000 : 600_000;
/** A thousand rehearsals take minutes, so each store tests only one way to end them. */
const ENDINGS = isThorough
  ? ({ memory: ['expired'], redis: ['deleted'] } as const)
  : ({ memory: ['deleted'], redis: ['expired'] } as const);
const MIB = 1_048_576;
/** Allowed growth of the heap that does not depend on the number of rehearsals: compiled code, buffers, bounded caches. */
const HEAP_MARGIN_BYTES = 12 * MIB;
const COUNT_MARGIN = 25;

const watched = (assignment: Assignment): Promise<Findings> => reported<Findings>(PROCESS, JSON.stringify(assignment), ['--expose-gc']);

function expectNothingLeft({ before, after, remembered }: Findings): void {
  expect(after.keys).toEqual(before.keys);
  expect(after.maps).toBeLessThanOrEqual(before.maps + COUNT_MARGIN);
  expect(after.timers).toBeLessThanOrEqual(before.timers + COUNT_MARGIN);
  expect(after.heapBytes).toBeLessThanOrEqual(before.heapBytes + HEAP_MARGIN_BYTES);
  // A connection keeps its last request.
  expect(remembered.length).toBeLessThanOrEqual(10);
}

/** Concurrent, because a test mostly waits for connections to close. */
test.concurrent.each(ENDINGS.memory)(
  'A process with its state in memory keeps nothing of rehearsals that were %s',
  async (ending) => {
    expectNothingLeft(await watched({ rehearsals: REHEARSALS, ending }));
  },
  TIME_MS,
);

if (whyNoRedis) skipWithoutRedis('what is left of rehearsals in Redis');
else
  test.concurrent.each(ENDINGS.redis)(
    'Neither Redis nor the process keeps anything of rehearsals that were %s',
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
