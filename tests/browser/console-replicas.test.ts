import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Replicas, startReplicas } from '../redis/replicas/running-replicas.ts';
import { skipWithoutRedis } from '../redis/without-redis.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { type RedisServer, startRedis, whyNoRedis } from '../support/redis-server.ts';
import { consoleTab } from './console-tab.ts';
import { expectStreamMoves } from './moving-stream.ts';

if (whyNoRedis) {
  skipWithoutRedis('The console of several gateways');
} else {
  describeInBrowser('The console of three gateways', () => {
    const tab = consoleTab();
    let server: RedisServer;
    let estate: Replicas;

    beforeAll(async () => {
      server = await startRedis();
      estate = await startReplicas({ redis: server.url, processes: 3 });
    });
    afterAll(async () => {
      await estate.close();
      await server.stop();
    });

    test('The console stays live and misses nothing when the gateway of its stream stops, twice', async () => {
      const stopped = new Set<string>();
      await expectStreamMoves({
        tab,
        gateway: estate.gateway,
        rehearsal: `console-${randomBytes(5).toString('hex')}`,
        stopGateway: async () => stopped.add(await estate.stopGatewayOf('/_control/stream')),
      });
      expect(stopped.size).toBe(2);
    });
  });
}
