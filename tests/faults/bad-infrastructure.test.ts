import { createServer, type Server, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { describeWithRedis } from '../redis/with-redis.ts';
import { eventually } from '../support/eventually.ts';
import { NOBODY, PATIENCE_MS, type Running, startProcess } from './processes.ts';

const PASSWORD = 'the-right-one';

describeWithRedis(
  'A process with unusable infrastructure',
  (redis) => {
    const redisUrl = (password: string): string => `redis://:${password}@127.0.0.1:${redis.server.port}`;
    async function crm(environment: Readonly<Record<string, string>> = {}): Promise<Running> {
      const one = await startProcess('crm', { REDIS_URL: redisUrl(PASSWORD), KAFKA_BROKERS: NOBODY, ...environment });
      redis.atEnd(() => {
        one.signal('SIGKILL');
        return one.ended;
      });
      return one;
    }
    /** Asserts that the process is alive and not ready, and reports the reason in `/readyz` and in its log. */
    async function expectWaiting(one: Running, reason: RegExp): Promise<void> {
      const isWaiting = async () => {
        const { status, body } = await one.readyz();
        return status === 503 && body.status === 'not ready' && body.waitingFor?.some((text) => reason.test(text));
      };
      await eventually(`it reports ${reason}`, isWaiting, PATIENCE_MS);
      expect((await fetch(`${one.url}/healthz`)).status).toBe(200);
      expect(one.lines.some((line) => reason.test(line))).toBe(true);
    }
    const waitsForRedis = async (one: Running) => (await one.readyz()).body.waitingFor?.some((text) => text.startsWith('redis'));
    const hasRedis = (one: Running) => eventually('it has its Redis', async () => (await waitsForRedis(one)) === false, PATIENCE_MS);

    test('A process waits while the password of Redis is wrong, does not log it, and continues after its correction', async () => {
      const one = await crm({ REDIS_URL: redisUrl('another-one') });
      const reason = /refuses the user name or password of its address/;
      await expectWaiting(one, reason);
      // It tries every second. Two parts of a process log the reason once each.
      await new Promise((resolve) => setTimeout(resolve, 4_000));
      expect(one.lines.filter((line) => reason.test(line)).length).toBeLessThanOrEqual(2);
      expect(one.lines.join('\n')).not.toContain('another-one');
      await redis.admin.config('SET', 'requirepass', 'another-one');
      await hasRedis(one);
      await redis.admin.config('SET', 'requirepass', PASSWORD);
    });

    test('A process waits for brokers of an incompatible version, and names the cause', async () => {
      const broker = await incapableBroker();
      redis.atEnd(broker.close);
      const one = await crm({ KAFKA_BROKERS: `127.0.0.1:${broker.port}` });
      await expectWaiting(one, /not support|version/i);
      expect((await one.readyz()).body.waitingFor).toContainEqual(expect.stringMatching(/^kafka: /));
    });
  },
  { requirepass: PASSWORD },
);

/** A broker of the protocol that supports no request. */
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
