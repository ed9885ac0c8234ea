import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { type Application, applicationNames } from '../../shared/catalog/applications.ts';
import { consoleTab } from '../browser/console-tab.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { allocated } from '../support/steps/journeys.ts';
import { type ComposeProject, composeProject, docker } from './compose-project.ts';
import { estateImage } from './estate-image.ts';
import { plainClient, skipWithoutDocker, whyNoDocker } from './kafka.ts';
import { buy, rush, stubbornRehearsal } from './stubborn-buyers.ts';

const UP_MS = 600_000;
/** Wall time between killing an application and starting it again. */
const DEAD_MS = 3_000;
/** Wall time for a consumer to join its group and read. */
const KAFKA_MS = 60_000;
const BUYERS = 4;
const ORDERS_EACH = 4;
const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

if (whyNoDocker !== undefined) skipWithoutDocker('the compose file');
else {
  let project: ComposeProject;

  beforeAll(async () => {
    project = await composeProject({ image: await estateImage(), profiles: ['debug'] });
    await project.compose('up', '--wait', '--wait-timeout', String(UP_MS / 1_000));
  });

  afterAll(async () => {
    await project?.down();
  });

  /** Asserts that no order is lost or duplicated while a disturbance runs. */
  async function expectNothingLost(disturb: () => Promise<unknown>): Promise<void> {
    const { known, states, existing, ...rest } = await rush({ gateway: project.gateway, buyers: BUYERS, ordersEach: ORDERS_EACH, disturb });
    expect(rest).toEqual({ settled: true, complaints: [] });
    expect(known.length).toBeGreaterThanOrEqual(BUYERS * ORDERS_EACH);
    expect(existing).toBe(known.length);
    // The order that nobody collected.
    expect(states.filter((state) => state !== 'completed')).toEqual(['cancelled']);
  }

  describe('docker compose up --wait', () => {
    test('The compose file runs no container as root or with a writable disk', async () => {
      for (const service of [...applicationNames, 'gateway', 'touchpoint-mock', 'redis', 'kafka']) {
        for (const id of await project.containers(service)) {
          expect([service, await docker('exec', id, 'id', '-u')]).not.toEqual([service, '0']);
          await expect(docker('exec', id, 'touch', '/a-file')).rejects.toThrow(/Read-only file system/);
        }
      }
    });

    test('The compose file starts an estate whose scenarios all pass', async () => {
      const args = ['command-line/main.ts', 'rehearse', '--all', '--against', project.gateway];
      const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: PROJECT, maxBuffer: 64 * 1_048_576 });
      expect(stdout).toMatch(/(\d+) of \1 passed/);
    });
  });

  describe('Kafka', () => {
    test('The Kafka of the compose file can be read by its own tools, in its container', async () => {
      const command = ['/opt/kafka/bin/kafka-console-consumer.sh', '--bootstrap-server', 'localhost:9094', '--topic', 'uc.order.events'];
      const options = ['--from-beginning', '--max-messages', '1', '--timeout-ms', '60000'];
      const output = await project.compose('exec', '--no-TTY', 'kafka', ...command, ...options);
      expect(JSON.parse(output)).toMatchObject({ specversion: '1.0', type: expect.stringMatching(/^com\.unified-commerce\./) });
    });

    test('A consumer on this machine reads the events from the published port', async () => {
      const consumer = plainClient([`127.0.0.1:${project.ports.kafka}`]).consumer({ groupId: 'a-reader-on-this-machine' });
      await consumer.connect();
      await consumer.subscribe({ topic: 'uc.order.events', fromBeginning: true });
      const read: unknown[] = [];
      await consumer.run({ eachMessage: async ({ message }) => void read.push(JSON.parse(String(message.value))) });
      await eventually('an event is read', async () => read.length > 0, KAFKA_MS);
      await consumer.disconnect();
      expect(read[0]).toMatchObject({ specversion: '1.0', type: expect.stringMatching(/^com\.unified-commerce\./) });
    });

    test('The profile "debug" opens Redis to clients of this machine', async () => {
      const redis = new Redis(project.ports.redis);
      expect(await redis.ping()).toBe('PONG');
      redis.disconnect();
    });
  });

  describeInBrowser('The console of an estate in containers', () => {
    const tab = consoleTab();

    test('The console shows an order, and later calls after a restart of the gateway', async () => {
      await using rehearsal = await stubbornRehearsal(project.gateway);
      const { name } = rehearsal;
      await tab.open(`r/${name}/activity`, project.gateway);
      await tab.signInIfAsked();
      await tab.isLive();
      const order = await buy(rehearsal);
      await tab.row('Confirm Order').waitFor();

      await project.compose('restart', 'gateway');
      await eventually('the gateway is ready', () => isReady(project.gateway), UP_MS);
      await rehearsal.api('get-product-api', { params: { id: 'mug-blue' } });
      await tab.row('Get Product').waitFor();
      await tab.isLive();
      await tab.row('Confirm Order').waitFor();

      await tab.open(`r/${name}/objects/order/${order}`, project.gateway);
      await tab.page.getByRole('heading', { name: 'Life cycle' }).waitFor();
    });
  });

  test.each<Application | 'gateway'>([...applicationNames, 'gateway'])(
    'A kill of %s during orders loses no acknowledged order and repeats no effect',
    (victim) =>
      expectNothingLost(async () => {
        await project.compose('kill', victim);
        await new Promise((resolve) => setTimeout(resolve, DEAD_MS));
        await project.compose('start', victim);
        await eventually('the gateway is ready', () => isReady(project.gateway), UP_MS);
      }),
  );

  test('An order that waits for the FMS is allocated when the FMS is back, though its next attempt is far away on a frozen clock', async () => {
    await using rehearsal = await stubbornRehearsal(project.gateway);
    await rehearsal.control('set-clock', { body: { flowing: false } });
    await project.compose('kill', 'fms');
    const { id } = await rehearsal.confirmed({ qty: 1 });
    await rehearsal.control('advance-clock', { body: { by: 'PT10M', timeoutMs: KAFKA_MS } });
    expect((await rehearsal.order(id)).routingStatus).toBe('retrying');
    await project.compose('start', 'fms');
    await allocated(rehearsal, id, 2 * KAFKA_MS);
  });

  test('Three replicas of the stock path share the work, and keep stock and orders consistent', async () => {
    const three = ['oms=3', 'sim=3', 'inventory-service=3'].flatMap((scale) => ['--scale', scale]);
    await project.compose('up', '--wait', '--no-recreate', ...three);
    const ids = await project.containers('sim');
    expect(ids).toHaveLength(3);
    const before = await Promise.all(ids.map(requestsOf));
    const all = async (): Promise<boolean> => (await Promise.all(ids.map(requestsOf))).every((count, at) => count > (before[at] ?? 0));
    await expectNothingLost(() => eventually('each replica has answered requests', all, UP_MS / 2));
  });
}

/** Docker accepts connections to the port of a container before its process listens. */
const isReady = (gateway: string): Promise<boolean> =>
  fetch(`${gateway}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

async function requestsOf(id: string): Promise<number> {
  const script = "fetch('http://127.0.0.1:8080/metrics').then(async (answer) => console.log(await answer.text()))";
  const metrics = await docker('exec', id, 'node', '-e', script);
  const counts = [...metrics.matchAll(/^http_server_request_duration_seconds_count\{.*\} (\d+)$/gm)].map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}
