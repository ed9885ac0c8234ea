import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { consoleTab } from '../browser/console-tab.ts';
import { expectStreamMoves } from '../browser/moving-stream.ts';
import { expectWalk } from '../browser/walk.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { playJourneys } from '../support/steps/after-order.ts';
import { collectionSteps } from '../support/steps/collection.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { sandboxWithGateways, skipWithoutCluster, whyNoCluster } from './cluster.ts';

const UP_MS = 600_000;

if (whyNoCluster !== undefined) skipWithoutCluster('the sandbox in a cluster');
else
  describe('A cluster with three gateways', () => {
    let sandbox: Awaited<ReturnType<typeof sandboxWithGateways>>;

    beforeAll(async () => {
      sandbox = await sandboxWithGateways(3);
      await sandbox.up(`${UP_MS / 1_000}s`);
    });
    afterAll(() => sandbox?.down());

    test('A real system in another namespace takes the place of the Payment Hub in one rehearsal', async () => {
      const swap = { 'payment-hub': { url: sandbox.adapter } };
      await using rehearsal = await rehearsalAt(await sandbox.gateway(), undefined, undefined, swap);
      await rehearsal.confirmed();
      const { atCounter, handOver } = collectionSteps(rehearsal);
      const { fulfillmentOrderId, code } = await atCounter();
      expect(await handOver(fulfillmentOrderId, { code })).toMatchObject({ status: 200, body: { state: 'delivered' } });
      await rehearsal.settle();
      await rehearsal.verify();
      const { items } = await rehearsal.control('list-swaps');
      expect(items).toMatchObject([{ application: 'payment-hub', from: 'request', failed: 0, violations: [] }]);
      expect(items[0]?.calls).toBeGreaterThan(0);
    });

    test('Orders with given prices are changed and returned, and goods are replaced, across the pods', async () => {
      const byHand = { warehouse: 'manual', carrier: 'manual', returns: 'manual' } as const;
      await using rehearsal = await rehearsalAt(await sandbox.gateway(), byHand);
      await playJourneys(rehearsal);
      await rehearsal.settle();
      await rehearsal.verify();
    });

    describeInBrowser('The console of a cluster with three gateways', () => {
      const tab = consoleTab();

      test.each(['mouse', 'keyboard'] as const)(
        'The way from an order to verified invariants can be walked with the %s alone',
        async (hand) => {
          const gateway = await sandbox.gateway();
          await using rehearsal = await rehearsalAt(gateway);
          await expectWalk({ tab, gateway, rehearsal, hand, width: 1280 });
        },
      );

      test('The console stays live, and misses nothing, when the pod of its stream is deleted twice', async () => {
        let streams = 0;
        tab.page.on('request', (request) => {
          if (request.url().endsWith('/_control/stream')) streams += 1;
        });
        await expectStreamMoves({
          tab,
          gateway: await sandbox.gateway(),
          rehearsal: `console-${randomBytes(5).toString('hex')}`,
          // The pod of the stream is the one whose deletion makes the page open the stream again.
          stopGateway: async () => {
            const before = streams;
            for (const pod of await sandbox.pods('gateway')) {
              if (streams === before) await sandbox.kubectl('delete', pod, '--wait=true');
            }
          },
        });
      });
    });
  });
