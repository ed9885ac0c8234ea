import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { repeating } from '../../shared/store/redis/repeating.ts';
import { anObservedEstate, placeAnOrder } from '../observability/observed-estate.ts';
import { eventually } from '../support/eventually.ts';
import { describeWithRedis } from './with-redis.ts';

test.each([
  ['MISCONF Errors writing to the AOF file: No space left on device', 'Free space on its disk'],
  ['NOREPLICAS Not enough good replicas to write.', 'min-replicas-to-write'],
  ["READONLY You can't write against a read only replica.", 'address of its primary'],
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", 'address of its primary'],
  ['LOADING Redis is loading the dataset in memory', 'still reads its data'],
  ['CLUSTERDOWN Hash slot not served', 'Start the missing nodes'],
  ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', 'SCRIPT KILL'],
  ['NOAUTH Authentication required.', 'requires a password'],
  ["NOPERM this user has no permissions to run the 'evalsha' command", 'lacks a permission'],
])('A command that Redis refuses with "%s" is a 503 that names the remedy "%s"', async (message, remedy) => {
  const refused = repeating(() => Promise.reject(new Error(message)));
  await expect(refused).rejects.toMatchObject({
    code: 'dependency_unavailable',
    message: expect.stringContaining(remedy),
    context: { dependency: 'store' },
  });
});

test('A refusal is named although the connection is closed before the last attempt', async () => {
  const errors = ["READONLY You can't write against a read only replica.", 'Connection is closed.'];
  const refused = repeating(() => Promise.reject(new Error(errors.length > 1 ? errors.shift() : errors[0])));
  await expect(refused).rejects.toMatchObject({ message: expect.stringContaining('address of its primary') });
});

describeWithRedis('A Redis that refuses writes', (redis) => {
  const dump = async () => join(String(((await redis.admin.config('GET', 'dir')) as string[])[1]), 'dump.rdb');

  async function isSaved(outcome: 'ok' | 'err'): Promise<void> {
    await redis.admin.bgsave();
    await eventually(`the save ends: ${outcome}`, async () => {
      const info = await redis.admin.info('persistence');
      return info.includes('rdb_bgsave_in_progress:0') && info.includes(`rdb_last_bgsave_status:${outcome}`);
    });
  }

  const refusals = [
    {
      name: 'MISCONF',
      remedy: 'Free space on its disk',
      async begin() {
        await redis.admin.config('SET', 'save', '3600 1000000');
        // A folder in place of the file makes saving fail.
        await mkdir(await dump());
        await isSaved('err');
      },
      async end() {
        await rm(await dump(), { recursive: true });
        await isSaved('ok');
        await redis.admin.config('SET', 'save', '');
      },
    },
    {
      name: 'NOREPLICAS',
      remedy: 'min-replicas-to-write',
      begin: () => redis.admin.config('SET', 'min-replicas-to-write', '1'),
      end: () => redis.admin.config('SET', 'min-replicas-to-write', '0'),
    },
    {
      name: 'READONLY',
      remedy: 'address of its primary',
      begin: () => redis.admin.replicaof('127.0.0.1', 1),
      end: () => redis.admin.replicaof('NO', 'ONE'),
    },
  ];

  test.each(refusals)(
    'An estate answers 503 with the remedy, and is not ready, while its Redis is $name',
    async ({ begin, end, remedy }) => {
      await using estate = await anObservedEstate({ REDIS_URL: redis.server.url }, 'warn');
      const { client, running, lines } = estate;
      const readiness = async () => {
        const response = await fetch(`${running.gateway}/readyz`);
        const { waitingFor = [] } = (await response.json()) as { waitingFor?: string[] };
        return [response.status, waitingFor.join(' ')];
      };
      const order = { params: { id: await placeAnOrder(running.gateway) } };
      const change = () => client.call('create-basket-api', { body: { channel: 'web' }, headers: { 'idempotency-key': 'refused' } });
      expect(await client.control('settle')).toMatchObject({ settled: true });
      expect((await readiness())[0]).toBe(200);
      await begin();
      try {
        // A Redis that becomes a replica first ends its blocked connections.
        const refused = await eventually('the remedy is named', async () => {
          const answer = await change();
          expect(answer).toMatchObject({ status: 503, body: { code: 'dependency_unavailable', dependency: 'store', retryable: true } });
          return JSON.stringify(answer.body).includes(remedy) && answer;
        });
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
        expect(await client.call('cancel-order-api', { ...order, body: { reason: 'test' } })).toMatchObject({ status: 503 });
        await eventually('a reset is refused with the remedy', async () => {
          const problem = await client.control('reset-rehearsal').then(
            () => undefined,
            (error: { status: number; detail: string }) => error,
          );
          expect(problem).toMatchObject({ status: 503 });
          return problem?.detail.includes(remedy);
        });
        expect((await client.call('get-order-api', order)).status).toBe(200);
        await eventually('the readiness has the remedy', async () => {
          const [status, reason] = await readiness();
          expect(status).toBe(503);
          return String(reason).includes(remedy);
        });
      } finally {
        await end();
      }
      await eventually('the estate is ready again', async () => (await readiness())[0] === 200);
      expect((await change()).status).toBe(201);
      expect(await client.control('verify')).toMatchObject({ holds: true });
      expect(lines.filter((line) => line.includes(remedy))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('unexpected error'))).toEqual([]);
      await redis.admin.flushall();
    },
  );
});
