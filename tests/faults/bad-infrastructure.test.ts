import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { type RedisServer, startRedis, whyNoRedis } from '../redis/redis-server.ts';
import { skipWithoutRedis } from '../redis/without-redis.ts';
import { eventually } from '../support/eventually.ts';
import { killAll, NOBODY, PATIENCE_MS, type Running, shown, startEstateOfProcesses, startProcess, times } from './processes.ts';

const PASSWORD = 'the-right-one';

afterAll(killAll);
if (whyNoRedis === undefined) describe('A process whose infrastructure is not as it should be', badInfrastructure);
else skipWithoutRedis('processes whose infrastructure is not as it should be');

function badInfrastructure(): void {
  let redis: RedisServer;
  let admin: Redis;
  const started: Running[] = [];
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    redis = await startRedis({ requirepass: PASSWORD });
    admin = new Redis(redis.port, { password: PASSWORD });
  });
  afterEach(async () => {
    for (const one of started) one.signal('SIGKILL');
    await Promise.all(started.splice(0).map(({ ended }) => ended));
    for (const close of closing.splice(0)) await close();
  });
  afterAll(async () => {
    admin.disconnect();
    await redis.stop();
  });

  const redisUrl = (password: string): string => `redis://:${password}@127.0.0.1:${redis.port}`;
  async function crm(environment: Readonly<Record<string, string>>): Promise<Running> {
    const one = await startProcess('crm', { REDIS_URL: redisUrl(PASSWORD), KAFKA_BROKERS: NOBODY, ...environment });
    started.push(one);
    return one;
  }
  /** It lives, is not ready, and says why: in `/readyz`, and in its log. */
  async function waits(one: Running, reason: RegExp): Promise<void> {
    await eventually(
      `it says ${reason}`,
      async () => {
        const { status, body } = await one.readyz();
        return status === 503 && body.status === 'not ready' && body.waitingFor?.some((text) => reason.test(text));
      },
      PATIENCE_MS,
    );
    expect((await fetch(`${one.url}/healthz`)).status).toBe(200);
    expect(one.said().some((line) => reason.test(line))).toBe(true);
  }
  const hasRedis = (one: Running): Promise<unknown> =>
    eventually(
      'it has its Redis',
      async () => (await one.readyz()).body.waitingFor?.every((text) => !text.startsWith('redis')),
      PATIENCE_MS,
    );
  const timesSaid = (one: Running, reason: RegExp): number => one.said().filter((line) => reason.test(line)).length;

  test('waits while the Redis password is wrong, does not log the password, and continues after its correction', async () => {
    const one = await crm({ REDIS_URL: redisUrl('another-one') });
    const reason = /refuses the user name or password of its address/;
    await waits(one, reason);
    // It tries every second, and both who waits for the store and who wants to look into it say so once.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(timesSaid(one, reason)).toBeLessThanOrEqual(2);
    expect(one.said().join('\n')).not.toContain('another-one');
    await admin.config('SET', 'requirepass', 'another-one');
    await hasRedis(one);
    await admin.config('SET', 'requirepass', PASSWORD);
  });

  test('waits while the Redis password is missing', async () => {
    const one = await crm({ REDIS_URL: redis.url });
    await waits(one, /requires a password: add it to its address/);
  });

  test('waits for a Redis that evicts data, and continues after a change of its policy', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const one = await crm({});
    await waits(one, /maxmemory-policy allkeys-lru\): set it to noeviction/);
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    await hasRedis(one);
  });

  test('waits for unreachable brokers, and names the variable', async () => {
    const one = await crm({});
    await hasRedis(one);
    await waits(one, /kafka: .*KAFKA_BROKERS is 127\.0\.0\.1:1/);
  });

  test('waits for brokers of an incompatible version, and names the cause', async () => {
    const broker = await incapableBroker();
    closing.push(broker.close);
    const one = await crm({ KAFKA_BROKERS: `127.0.0.1:${broker.port}` });
    await waits(one, /does not support the request|not supported|version/i);
    expect((await one.readyz()).body.waitingFor?.some((text) => text.startsWith('kafka: '))).toBe(true);
  });

  test('refuses changes with 503 and the reason when its outbox is full, and still answers reads', async () => {
    const estate = await startEstateOfProcesses({
      services: { gateway: 1, crm: 1 },
      redisPort: (await ownRedis()).port,
      environment: { OUTBOX_LIMIT: '5' },
    });
    closing.push(estate.close);
    await shown(estate, async () => {
      const rehearsal = await estate.rehearse();
      const register = (n: number) =>
        rehearsal.client.call('POST', '/customers', { email: `c${n}@example.com`, firstName: 'Cy', lastName: 'Quay' });
      const replies = [];
      for (const n of times(20, (index) => index)) replies.push(await register(n));
      const refused = replies.filter(({ status }) => status === 503);
      expect(replies[0]?.status).toBe(201);
      expect(replies.at(-1)).toMatchObject({
        status: 503,
        headers: { 'retry-after': expect.any(String) },
        body: { code: 'dependency_unavailable', detail: expect.stringMatching(/events|Kafka|outbox/) },
      });
      expect(refused.length).toBeGreaterThanOrEqual(15);
      expect((await rehearsal.client.call('GET', '/customers/cus_ada')).status).toBe(200);
    });
  });

  async function ownRedis(): Promise<RedisServer> {
    const own = await startRedis();
    closing.unshift(own.stop);
    return own;
  }
}

/** Speaks the protocol, and says that it knows no request at all. */
async function incapableBroker(): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('data', (request) => {
      // Size, correlation id, no error, and an empty list of supported APIs.
      const answer = Buffer.alloc(4 + 4 + 2 + 4 + 4);
      answer.writeInt32BE(answer.length - 4, 0);
      answer.writeInt32BE(request.readInt32BE(8), 4);
      socket.write(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
