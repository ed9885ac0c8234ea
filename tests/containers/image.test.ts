import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { textOf } from '../support/tracked-files.ts';
import { docker } from './compose-project.ts';
import { estateImage } from './estate-image.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';

const START_MS = 90_000;
const MEGABYTE = 1_000_000;
/** Maximum size added to the base image. */
const OWN_WEIGHT_MB = 60;

/** Options for `docker run`, as in the compose file and the Kubernetes files. */
const HARDENED = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'] as const;
const DEMO = ['--env', 'ALLOW_DEMO_CREDENTIALS=true'] as const;
/** Unreachable infrastructure, which the application must report. */
const NOWHERE = [
  ...['--env', 'REDIS_URL=redis://127.0.0.1:1', '--env', 'KAFKA_BROKERS=127.0.0.1:1'],
  ...['--env', `ESTATE_TOKEN=${'t'.repeat(32)}`, '--env', `CREDENTIAL_PEPPER=${'p'.repeat(32)}`],
] as const;

if (whyNoDocker !== undefined) skipWithoutDocker('the image');
else {
  let image = '';
  beforeAll(async () => {
    image = await estateImage();
  });

  const started = new Set<string>();
  const removeAll = async (): Promise<void> => {
    for (const id of started) await docker('rm', '--force', '--volumes', id);
    started.clear();
  };
  afterEach(removeAll);
  afterAll(removeAll);

  async function start(...options: readonly string[]): Promise<string> {
    const id = await docker('run', '--detach', ...HARDENED, ...options, image);
    started.add(id);
    return id;
  }
  const logOf = (id: string): Promise<string> => docker('logs', id);
  /** Sends a request from inside the container, like the health check. */
  const asked = async (id: string, port: number, path: string): Promise<{ status: number; body: string }> => {
    const script = `fetch('http://127.0.0.1:${port}${path}').then(async (answer) => console.log(JSON.stringify({ status: answer.status, body: await answer.text() })), () => console.log('{"status":0,"body":""}'))`;
    return JSON.parse(await docker('exec', id, 'node', '-e', script)) as { status: number; body: string };
  };
  const ended = async (id: string): Promise<number> => Number(await docker('wait', id));

  describe('The image', () => {
    test(`The image weighs at most ${OWN_WEIGHT_MB} MB more than its base image`, async () => {
      const base = /^ARG NODE_IMAGE=(.+)$/m.exec(textOf('Dockerfile'))?.[1] ?? '';
      const size = async (name: string): Promise<number> =>
        Number(await docker('image', 'inspect', '--format', '{{.Size}}', name)) / MEGABYTE;
      expect((await size(image)) - (await size(base))).toBeLessThan(OWN_WEIGHT_MB);
    });

    test('The image contains no file that its user can change', async () => {
      const find = 'find /app -writable -not -path /app/.compiled* -not -type l'.split(' ');
      expect(await docker('run', '--rm', image, ...find)).toBe('');
    });

    test('A container without SERVICE runs the whole estate, becomes healthy, and exits with 0 on SIGTERM', async () => {
      const id = await start(...DEMO, '--health-interval', '2s');
      await eventually('the estate is ready', async () => (await logOf(id)).includes('"msg":"ready"'), START_MS);
      const readyInMs = /"readyInMs":(\d+)/.exec(await logOf(id))?.[1];
      // biome-ignore lint/suspicious/noConsole: the time is printed and not asserted, because the machine may be busy
      console.info(`The whole estate was ready in ${readyInMs} ms.`);
      expect((await asked(id, 8080, '/products/mug-blue')).status).toBe(200);
      await eventually(
        'the container is healthy',
        async () => (await docker('inspect', '--format', '{{.State.Health.Status}}', id)) === 'healthy',
        START_MS,
      );
      await docker('stop', '--time', '20', id);
      expect(await ended(id)).toBe(0);
    });

    test('The image prints labels and passes flows 2 and 6, so no required file was stripped', async () => {
      const command = 'node command-line/main.ts rehearse flow-2 flow-6'.split(' ');
      const output = await docker('run', '--rm', ...HARDENED, ...DEMO, image, ...command);
      expect(output).toMatch(/(\d+) of \1 passed/);
    });

    test('The image loads the modules that only some configurations need: Kafka, Redis, traces', async () => {
      const names = ['events/kafka/bus', 'store/redis/store', 'observability/tracing', 'observability/observability'];
      const modules = JSON.stringify(names.map((name) => `/app/shared/${name}.ts`));
      const script = `await Promise.all(${modules}.map((module) => import(module))); console.log('loaded')`;
      expect(await docker('run', '--rm', ...HARDENED, image, 'node', '--input-type=module', '-e', script)).toBe('loaded');
    });

    test('An application without its dependencies is alive, not ready, and names them', async () => {
      const id = await start(...NOWHERE, '--env', 'SERVICE=oms', '--health-interval', '1h');
      await eventually('it answers', async () => (await asked(id, 8080, '/healthz')).status === 200, START_MS);
      const { status, body } = await asked(id, 8080, '/readyz');
      const waitingFor = expect.arrayContaining([expect.stringMatching(/^redis: /)]);
      expect([status, JSON.parse(body)]).toMatchObject([503, { status: 'not ready', waitingFor }]);
      const unhealthy = { code: 1, stdout: expect.stringContaining('redis: ') };
      await expect(docker('exec', id, 'bash', 'image/health-check.sh')).rejects.toMatchObject(unhealthy);
      await docker('stop', '--time', '20', id);
      expect(await ended(id)).toBe(0);
    });

    test('The touchpoint mock runs without dependencies', async () => {
      const id = await start('--env', 'SERVICE=touchpoint-mock');
      await eventually('it is ready', async () => (await asked(id, 15_115, '/readyz')).status === 200, START_MS);
      expect(await docker('exec', id, 'bash', 'image/health-check.sh')).toBe('');
      await docker('stop', '--time', '20', id);
      expect(await ended(id)).toBe(0);
    });
  });
}
