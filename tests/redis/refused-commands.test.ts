import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { repeating } from '../../shared/store/redis/repeating.ts';
import { anObservedEstate, type ObservedEstate, placeAnOrder } from '../observability/observed-estate.ts';
import { eventually } from '../support/eventually.ts';
import { type RedisServer, startRedis, whyNoRedis } from './redis-server.ts';
import { skipWithoutRedis } from './without-redis.ts';

const BASKET = { channel: 'web', customerId: 'cus_ada', lines: [{ sku: 'mug-blue', qty: 1 }] };

describe('A command that Redis refuses', () => {
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
  ])('"%s" is a 503 that names the remedy "%s"', async (message, remedy) => {
    const refused = repeating(() => Promise.reject(new Error(message)));
    await expect(refused).rejects.toMatchObject({
      code: 'dependency_unavailable',
      message: expect.stringContaining(remedy),
      context: { dependency: 'store' },
    });
  });
});

if (whyNoRedis) {
  skipWithoutRedis('a Redis that refuses writes');
} else {
  describe('An estate whose Redis refuses writes', () => {
    const folder = join(tmpdir(), `refused-writes-${process.pid}`);
    let server: RedisServer;
    let admin: Redis;
    let estate: ObservedEstate;
    beforeAll(async () => {
      await mkdir(folder);
      server = await startRedis({ dir: folder });
      admin = new Redis(server.port);
    });
    afterEach(async () => {
      await estate[Symbol.asyncDispose]();
      await admin.flushall();
    });
    afterAll(async () => {
      admin.disconnect();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const readiness = async () => {
      const response = await fetch(`${estate.running.gateway}/readyz`);
      const { waitingFor = [] } = (await response.json()) as { waitingFor?: string[] };
      return [response.status, waitingFor.join(' ')] as const;
    };
    async function isSaved(outcome: 'ok' | 'err'): Promise<void> {
      await admin.bgsave();
      await eventually(`the save ends: ${outcome}`, async () => {
        const info = await admin.info('persistence');
        return info.includes('rdb_bgsave_in_progress:0') && info.includes(`rdb_last_bgsave_status:${outcome}`);
      });
    }

    const refusals = [
      {
        name: 'MISCONF',
        remedy: 'Free space on its disk',
        async begin() {
          await admin.config('SET', 'save', '3600 1000000');
          // A folder in place of the file makes saving fail.
          await mkdir(join(folder, 'dump.rdb'));
          await isSaved('err');
        },
        async end() {
          await rm(join(folder, 'dump.rdb'), { recursive: true });
          await isSaved('ok');
          await admin.config('SET', 'save', '');
        },
      },
      {
        name: 'NOREPLICAS',
        remedy: 'min-replicas-to-write',
        begin: () => admin.config('SET', 'min-replicas-to-write', '1'),
        end: () => admin.config('SET', 'min-replicas-to-write', '0'),
      },
      {
        name: 'READONLY',
        remedy: 'address of its primary',
        begin: () => admin.replicaof('127.0.0.1', 1),
        end: () => admin.replicaof('NO', 'ONE'),
      },
    ];

    test.each(refusals)('answers 503 with the remedy, and is not ready, while it is $name', async ({ begin, end, remedy }) => {
      estate = await anObservedEstate({ REDIS_URL: server.url }, 'warn');
      const { client, running, lines } = estate;
      const orderId = await placeAnOrder(running.gateway);
      expect(await client.control('settle')).toMatchObject({ settled: true });
      expect((await readiness())[0]).toBe(200);
      await begin();
      try {
        const headers = { 'idempotency-key': 'refused' };
        const refused = await client.call('POST', '/baskets', BASKET, { headers });
        expect(refused).toMatchObject({ status: 503, body: { code: 'dependency_unavailable', dependency: 'store', retryable: true } });
        expect(refused.body).toMatchObject({ detail: expect.stringContaining(remedy) });
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
        // The Order Management System calls three other applications for it.
        expect(await client.call('POST', `/orders/${orderId}/cancel`, { reason: 'test' })).toMatchObject({ status: 503 });
        expect(await client.call('POST', '/_control/reset', {}, { as: 'admin' })).toMatchObject({
          status: 503,
          body: { detail: expect.stringContaining(remedy) },
        });
        expect((await client.call('GET', `/orders/${orderId}`)).status).toBe(200);
        expect(await readiness()).toEqual([503, expect.stringContaining(remedy)]);
      } finally {
        await end();
      }
      await eventually('the estate is ready again', async () => (await readiness())[0] === 200);
      const again = await client.call('POST', '/baskets', BASKET, { headers: { 'idempotency-key': 'refused' } });
      expect(again.status).toBe(201);
      expect(await client.control('verify')).toMatchObject({ holds: true });
      expect(lines.filter((line) => line.includes(remedy))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('unexpected error'))).toEqual([]);
    });

    test('says in its readiness that a full store takes no more data', async () => {
      estate = await anObservedEstate({ REDIS_URL: server.url });
      await admin.config('SET', 'maxmemory', '1mb');
      const degraded = async () => {
        const response = await fetch(`${estate.running.gateway}/readyz`);
        return [response.status, ((await response.json()) as { degraded?: string[] }).degraded ?? []] as const;
      };
      try {
        expect(await estate.client.call('POST', '/baskets', BASKET)).toMatchObject({ status: 503, body: { code: 'store_full' } });
        expect(await degraded()).toEqual([200, [expect.stringContaining('no memory left')]]);
      } finally {
        await admin.config('SET', 'maxmemory', '0');
      }
      await eventually('nothing is degraded', async () => (await degraded())[1].length === 0);
    });
  });
}
