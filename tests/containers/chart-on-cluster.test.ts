import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { skipWithoutCluster, strictRelease, whyNoCluster } from './cluster.ts';
import { chart, whyNoHelm } from './helm.ts';
import { rush } from './stubborn-buyers.ts';

const UP = '10m';
const BUYERS = 4;
const ORDERS_EACH = 4;

if (whyNoCluster !== undefined) skipWithoutCluster('the chart on a cluster');
else if (whyNoHelm !== undefined) skipWithoutCluster(`the chart on a cluster (${whyNoHelm})`);
else
  describe('The chart on a cluster with policies, quotas and limits', () => {
    let release: Awaited<ReturnType<typeof strictRelease>>;

    beforeAll(async () => {
      release = await strictRelease(chart);
    });
    afterAll(() => release?.down());

    test('A policy of the cluster refuses the chart without labels and digests, by its own message', async () => {
      const { image: _image, labels: _labels, ...plain } = release.values;
      const { code, err } = await release.helm('install', [], plain);
      expect([code, err]).toEqual([1, expect.stringContaining('the label team is missing')]);
      expect(await release.helm('uninstall')).toMatchObject({ code: 0 });
    });

    test('The chart with labels and digests starts in a restricted namespace, and its test waits for it and passes', async () => {
      expect(await release.helm('install', [], release.values)).toMatchObject({ code: 0, err: '' });
      const tested = await release.helm('test', ['--logs', '--timeout', UP]);
      expect(tested).toMatchObject({ code: 0, out: expect.stringContaining('1 of 1 passed') });
    });

    test.each<[string, () => Promise<unknown>]>([
      [
        'A rolling restart of all deployments',
        async () => {
          await release.kubectl('rollout', 'restart', 'deployment');
          await release.kubectl('rollout', 'status', 'deployment', `--timeout=${UP}`);
        },
      ],
      [
        'An upgrade of the release with another setting, and with StatefulSets of an earlier chart,',
        async () => {
          await release.governAsBefore();
          const values = { ...release.values, settings: { LOG_LEVEL: 'warn' } };
          expect(await release.helm('upgrade', ['--wait', '--timeout', UP], values)).toMatchObject({ code: 0 });
        },
      ],
    ])('%s under orders loses no acknowledged order and repeats no effect', async (_what, disturb) => {
      const { known, existing, states, ...rest } = await rush({
        gateway: await release.gateway(),
        buyers: BUYERS,
        ordersEach: ORDERS_EACH,
        disturb,
      });
      expect(rest).toEqual({ settled: true, complaints: [] });
      expect(existing).toBe(known.length);
      // The order that nobody collected.
      expect(states.filter((state) => state !== 'completed')).toEqual(['cancelled']);
    });
  });
