import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Application, applicationNames } from '../../shared/catalog/applications.ts';
import { consoleTab } from '../browser/console-tab.ts';
import { describeInBrowser } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { type ComposeProject, composeProject, docker } from './compose-project.ts';
import { estateImage } from './estate-image.ts';
import { plainClient, skipWithoutDocker, whyNoDocker } from './kafka.ts';
import { type Aftermath, buy, rehearsalOn, rush } from './stubborn-buyers.ts';

const UP_MS = 600_000;
const RUN_MS = 600_000;
/** How long an application stays dead. */
const DEAD_MS = 3_000;
const BUYERS = 4;
const ORDERS_EACH = 4;
const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

if (whyNoDocker !== undefined) skipWithoutDocker('the compose file');
else {
  let project: ComposeProject;

  beforeAll(async () => {
    project = await composeProject({ image: await estateImage(), profiles: ['debug'] });
    await project.compose('up', '--wait', '--wait-timeout', String(UP_MS / 1_000));
  }, UP_MS + 300_000);

  afterAll(async () => {
    await project?.down();
  }, UP_MS);

  function expectNothingLost({ known, states, existing, ...rest }: Aftermath): void {
    expect(rest).toEqual({ settled: true, complaints: [] });
    expect(known.length).toBeGreaterThanOrEqual(BUYERS * ORDERS_EACH);
    expect(existing).toBe(known.length);
    expect([...new Set(states)]).toEqual(['completed']);
  }

  describe('docker compose up --wait', () => {
    test('starts an estate that is ready, and a touchpoint mock with its portal', async () => {
      const ready = async (port: number): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}/readyz`)).json();
      for (const port of [project.ports.gateway, project.ports.touchpoint, project.ports.portal]) {
        expect(await ready(port)).toMatchObject({ status: 'ready' });
      }
    });

    test('runs no container as root or with a writable disk', async () => {
      for (const service of [...applicationNames, 'gateway', 'touchpoint-mock', 'redis', 'kafka']) {
        for (const id of await project.containers(service)) {
          expect([service, await docker('exec', id, 'id', '-u')]).not.toEqual([service, '0']);
          await expect(docker('exec', id, 'touch', '/a-file')).rejects.toThrow(/Read-only file system/);
        }
      }
    });

    test(
      'starts an estate on which every rehearsal passes',
      async () => {
        const args = ['command-line/main.ts', 'rehearse', '--all', '--against', project.gateway];
        const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: PROJECT, maxBuffer: 64 * 1_048_576 });
        expect(stdout).toMatch(/(\d+) of \1 passed/);
      },
      RUN_MS,
    );
  });

  describe('Kafka', () => {
    test('can be read by its own tools, in its container', async () => {
      const command = ['/opt/kafka/bin/kafka-console-consumer.sh', '--bootstrap-server', 'localhost:9094', '--topic', 'uc.order.events'];
      const said = await project.compose(
        'exec',
        '--no-TTY',
        'kafka',
        ...command,
        '--from-beginning',
        '--max-messages',
        '1',
        '--timeout-ms',
        '60000',
      );
      expect(JSON.parse(said)).toMatchObject({ specversion: '1.0', type: expect.stringMatching(/^com\.unified-commerce\./) });
    }, 120_000);

    test('can be read by any client of this machine, and Redis asked, through the profile "debug"', async () => {
      const admin = plainClient([`localhost:${project.ports.kafka}`]).admin();
      await admin.connect();
      expect(await admin.listTopics()).toEqual(expect.arrayContaining(['uc.order.events', 'uc.payment.events']));
      await admin.disconnect();
      expect(await redisSays(project.ports.redis, 'PING')).toBe('+PONG');
    });
  });

  describeInBrowser('The console of an estate in containers', () => {
    const tab = consoleTab();

    test(
      'shows an order, and after a restart of the gateway also what came since',
      async () => {
        await using rehearsal = await rehearsalOn(project.gateway);
        const { name, client } = rehearsal;
        await tab.open(`r/${name}/activity`, project.gateway);
        await tab.signInIfAsked();
        await tab.isLive();
        const order = await buy(client);
        await tab.row('Confirm Order').waitFor();

        await project.compose('restart', 'gateway');
        await eventually('the gateway is ready', () => isReady(project.gateway), UP_MS);
        await client.call('GET', '/products/mug-blue');
        await tab.row('Get Product').waitFor();
        await tab.isLive();
        await tab.row('Confirm Order').waitFor();

        await tab.open(`r/${name}/objects/order/${order}`, project.gateway);
        await tab.page.getByRole('heading', { name: 'Life cycle' }).waitFor();
      },
      RUN_MS,
    );
  });

  describe('docker compose kill during orders', () => {
    test.each<Application | 'gateway'>([...applicationNames, 'gateway'])(
      'of %s loses no acknowledged order and repeats no effect',
      async (victim) => {
        const aftermath = await rush({
          gateway: project.gateway,
          buyers: BUYERS,
          ordersEach: ORDERS_EACH,
          disturb: async () => {
            await project.compose('kill', victim);
            await new Promise((resolve) => setTimeout(resolve, DEAD_MS));
            await project.compose('start', victim);
            await eventually('the gateway is ready', () => isReady(project.gateway), UP_MS);
          },
        });
        expectNothingLost(aftermath);
      },
      RUN_MS,
    );
  });

  describe('Replicas', () => {
    test(
      'of the stock path share the work and keep stock and orders consistent',
      async () => {
        const three = ['oms=3', 'sim=3', 'inventory-service=3'].flatMap((scale) => ['--scale', scale]);
        await project.compose('up', '--wait', '--no-recreate', ...three);
        const ids = await project.containers('sim');
        expect(ids).toHaveLength(3);
        const before = await Promise.all(ids.map(requestsOf));
        const all = async (): Promise<boolean> => (await Promise.all(ids.map(requestsOf))).every((count, at) => count > (before[at] ?? 0));
        const aftermath = await rush({
          ...{ gateway: project.gateway, buyers: BUYERS, ordersEach: ORDERS_EACH },
          disturb: async () => void (await eventually('each replica had something to do', all, RUN_MS / 2)),
        });
        expectNothingLost(aftermath);
      },
      UP_MS + RUN_MS,
    );
  });
}

/** While a container starts, Docker already accepts connections to its port. */
const isReady = (gateway: string): Promise<boolean> =>
  fetch(`${gateway}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** How many requests a container has answered, health checks aside. */
async function requestsOf(id: string): Promise<number> {
  const metrics = await docker(
    'exec',
    id,
    'node',
    '-e',
    "fetch('http://127.0.0.1:8080/metrics').then(async (answer) => console.log(await answer.text()))",
  );
  const counts = [...metrics.matchAll(/^http_server_requests_seconds_count\{.*\} (\d+)$/gm)].map(([, count]) => Number(count));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The first line of Redis's answer. */
function redisSays(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.setEncoding('utf8').once('data', (answer) => {
      socket.destroy();
      resolve(String(answer).trim());
    });
    socket.once('error', reject);
  });
}
