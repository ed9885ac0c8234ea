import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Replicas, startReplicas } from '../redis/replicas/running-replicas.ts';
import { skipWithoutRedis } from '../redis/without-redis.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { type RedisServer, startRedis, whyNoRedis } from '../support/redis-server.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
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

    test('The consoles of two gateways follow an order while the third gateway takes its calls', async () => {
      const [first, second, third = ''] = estate.replicas.map(({ door }) => door.url);
      await using rehearsal = await rehearsalAt(third, { warehouse: 'manual' });
      const { id } = await rehearsal.authorised();
      const path = `r/${rehearsal.name}/objects/order/${id}`;
      const other = await tab.page.context().newPage();
      const isShown = (page: Page, state: string) => page.locator('main .title .badge', { hasText: new RegExp(`^${state}$`) }).waitFor();
      const bothShow = (state: string) => Promise.all([isShown(tab.page, state), isShown(other, state)]);
      await tab.open(path, first);
      await isShown(tab.page, 'draft');
      await tab.isLive();
      await other.goto(`${second}/console/${path}`);
      await isShown(other, 'draft');
      await other.getByRole('button', { name: 'Live', exact: true }).waitFor();
      await rehearsal.confirmed(id);
      await bothShow('confirmed');
      await rehearsal.cancel(id);
      await bothShow('cancelled');
      await other.close();
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
