import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type RedisServer, startRedis, whyNoRedis } from '../redis/redis-server.ts';
import { clientOf, type Replicas, startReplicas } from '../redis/replicas/running-replicas.ts';
import { skipWithoutRedis } from '../redis/without-redis.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { consoleTab } from './console-tab.ts';

if (whyNoRedis) {
  skipWithoutRedis('the console of several gateways');
} else {
  describeInBrowser('the console of three gateways in a browser', () => {
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

    test('stays live, and misses nothing, when the gateway that it listens to stops, twice', async () => {
      const name = `console-${randomBytes(5).toString('hex')}`;
      await using client = clientOf(estate.gateway, name);
      await client.control('create-rehearsal', { body: { name } });
      await tab.open(`r/${name}/activity`, estate.gateway);
      await tab.isLive();
      await client.call('POST', '/baskets', { channel: 'web', lines: [{ sku: 'mug-blue', qty: 1 }] });
      await tab.row('Create Basket').waitFor();

      const stopped = [await estate.stopGatewayOf('/_sim/stream')];
      await client.call('GET', '/customers/cus_ada');
      await tab.row('Get Customer').waitFor();
      await tab.isLive();

      stopped.push(await estate.stopGatewayOf('/_sim/stream'));
      await client.call('GET', '/products/mug-blue');
      await tab.row('Get Product').waitFor();
      await tab.isLive();

      expect(new Set(stopped).size).toBe(2);
      for (const one of ['Create Basket', 'Get Customer', 'Get Product']) expect(await tab.row(one).count()).toBe(1);
    });
  });
}
