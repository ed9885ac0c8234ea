import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, test } from '@jest/globals';
import { consoleTab } from '../browser/console-tab.ts';
import { expectStreamMoves } from '../browser/moving-stream.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { sandboxWithGateways, skipWithoutCluster, whyNoCluster } from './cluster.ts';

const UP_MS = 600_000;

if (whyNoCluster !== undefined) skipWithoutCluster('the console of a cluster');
else
  describeInBrowser('The console of a cluster with three gateways', () => {
    const tab = consoleTab();
    let sandbox: Awaited<ReturnType<typeof sandboxWithGateways>>;

    beforeAll(async () => {
      sandbox = await sandboxWithGateways(3);
      await sandbox.up(`${UP_MS / 1_000}s`);
    });
    afterAll(() => sandbox?.down());

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
