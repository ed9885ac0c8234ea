import { expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { eventually } from '../support/eventually.ts';
import { type RedisServer, startRedis } from '../support/redis-server.ts';
import { startWay } from '../support/way.ts';
import { CREDENTIALS, describeWithRedis, EMPTY } from './with-redis.ts';

const writesIn = async (server: Redis): Promise<number> => Number(/master_repl_offset:(\d+)/.exec(await server.info('replication'))?.[1]);

/** A primary and its replica behind one address, which leads to the primary. */
async function aPair(primary: RedisServer) {
  const replica = await startRedis();
  const admin = new Redis({ port: replica.port });
  await admin.replicaof('127.0.0.1', primary.port);
  await eventually('the replica follows', async () => (await admin.info('replication')).includes('master_link_status:up'));
  const way = await startWay([primary.port]);
  return {
    url: `redis://127.0.0.1:${way.port}`,
    /** The address leads to the replica from now on. */
    fail(): void {
      way.lead([replica.port]);
      way.breakOff();
    },
    /** Replication is asynchronous. */
    async caughtUp(primaryAdmin: Redis): Promise<void> {
      const written = await writesIn(primaryAdmin);
      await eventually('the replica has every write', async () => (await writesIn(admin)) >= written);
    },
    promote: () => admin.replicaof('NO', 'ONE'),
    async [Symbol.asyncDispose]() {
      admin.disconnect();
      await way.close();
      await replica.stop();
    },
  };
}

describeWithRedis('A Redis that fails over', (redis) => {
  test('A process that writes nothing is not ready while its address leads to a replica, and ready after the promotion', async () => {
    await using pair = await aPair(redis.server);
    const { adapter, worlds, store } = await redis.opened({ url: pair.url });
    const world = await worlds.open('failing', EMPTY, CREDENTIALS);
    expect(adapter.state()).toEqual({ ready: true });
    await pair.caughtUp(redis.admin);
    pair.fail();
    const readOnly = { ready: false, waitingFor: expect.stringContaining('address of its primary') };
    await eventually('the process is not ready', async () => adapter.state().waitingFor?.includes('address of its primary'));
    // A replica answers reads.
    expect(await worlds.current(world)).toBeDefined();
    const states = [];
    for (let reads = 0; reads < 5; reads++) {
      await store.unsent();
      await worlds.resolve('failing').catch(() => undefined);
      states.push(adapter.state());
    }
    expect(states).toEqual(states.map(() => readOnly));
    await pair.promote();
    await eventually('the process is ready', async () => adapter.state().ready);
    expect(await worlds.replace('failing', EMPTY)).toBeDefined();
  });

  test('A process whose connection returns to a replica is not ready before a write has succeeded', async () => {
    await using pair = await aPair(redis.server);
    const { adapter } = await redis.opened({ url: pair.url });
    let wasReady = false;
    pair.fail();
    await eventually('the connection is lost', async () => !adapter.state().ready);
    await eventually('the replica is found', async () => {
      wasReady ||= adapter.state().ready;
      return adapter.state().waitingFor?.includes('address of its primary');
    });
    expect(wasReady).toBe(false);
  });
});
