import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FORMATS } from '../../shared/store/ports/world-formats.ts';
import { eventually } from '../support/eventually.ts';
import { aFolder } from '../support/folder.ts';
import type { Insisting } from '../support/steps/insisting.ts';
import { type ComposeProject, composeProject, docker } from './compose-project.ts';
import { builtImage, estateImage } from './estate-image.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';
import { rush, stubbornRehearsal } from './stubborn-buyers.ts';

const UP_SECONDS = 600;
const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const SERVICES = ['gateway', 'kafka', 'redis'];
/** The guide states this figure. Without other work on the machine, 500 MiB are used after 500 orders. */
const MOST_MEBIBYTES = 700;
const NEWER = 'estate-test:newer-formats';
/** In the image. */
const SCRIPTS = '/app/shared/store/redis/scripts.ts';
const KEPT_WORLDS = 3;
const CONTROL = { authorization: 'Bearer demo-control-token' };

if (whyNoDocker !== undefined) skipWithoutDocker('the compact compose file');
else {
  let project: ComposeProject;

  beforeAll(async () => {
    project = await composeProject({ image: await estateImage(), files: ['compose.compact.yml'] });
    await project.compose('up', '--wait', '--wait-timeout', String(UP_SECONDS));
  });

  afterAll(async () => {
    await project?.down();
    await docker('rmi', '--force', NEWER);
  });

  test('The compact compose file starts three containers, passes all scenarios and stays within the stated memory', async () => {
    const args = ['command-line/main.ts', 'rehearse', '--all', '--against', project.gateway];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: PROJECT, maxBuffer: 64 * 1_048_576 });
    expect(stdout).toMatch(/(\d+) of \1 passed/);
    expect((await project.compose('ps', '--services')).split('\n').filter(Boolean).toSorted()).toEqual(SERVICES);
    expect(await mebibytes(project)).toBeLessThan(MOST_MEBIBYTES);
  });

  test('A kill of the one process of the compact compose file during orders loses nothing', async () => {
    const disturb = async () => {
      await project.compose('kill', 'gateway');
      await project.compose('up', '--wait', '--wait-timeout', String(UP_SECONDS), 'gateway');
    };
    const { known, existing, states: _, ...rest } = await rush({ gateway: project.gateway, buyers: 4, ordersEach: 4, disturb });
    expect(rest).toEqual({ settled: true, complaints: [] });
    expect(existing).toBe(known.length);
  });

  test('The touchpoint mock and its portal answer at the ports of the compact compose file', async () => {
    for (const port of [project.ports.touchpoint, project.ports.portal]) {
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBeLessThan(500);
    }
  });

  test('An upgrade that is killed before each second conversion, a downgrade and an upgrade lose no world and no order', async () => {
    const { gateway, composeWith } = project;
    const newer = await newerImage(project.image);
    const up = (image: string) => composeWith(image, 'up', '--detach', 'gateway');
    const troubles = async (): Promise<readonly unknown[]> => {
      const response = await fetch(`${gateway}/_control/rehearsals`, { headers: CONTROL });
      const { items = [] } = (await response.json()) as { items?: readonly { name: string; trouble?: string }[] };
      return items.flatMap(({ name, trouble }) => (trouble === undefined ? [] : [[name, trouble]]));
    };
    const isUp = (): Promise<boolean> =>
      fetch(`${gateway}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    const isUpgraded = async () => (await isUp()) && (await troubles()).length === 0;

    await using stack = new AsyncDisposableStack();
    const worlds: { readonly rehearsal: Insisting; readonly order: string }[] = [];
    for (let count = 0; count < KEPT_WORLDS; count++) {
      const rehearsal = stack.use(await stubbornRehearsal(gateway));
      worlds.push({ rehearsal, order: (await rehearsal.confirmed({ qty: 1 })).id });
    }
    const expectKept = async () => {
      for (const { rehearsal, order } of worlds) {
        expect((await rehearsal.order(order)).id).toBe(order);
        await rehearsal.settle();
        await rehearsal.verify();
      }
    };

    const {
      known,
      existing,
      states: _,
      ...rest
    } = await rush({
      gateway,
      buyers: 2,
      ordersEach: 4,
      disturb: async () => {
        await up(newer);
        await eventually('all worlds are converted', () => isUpgraded().catch(() => false), UP_SECONDS * 1_000);
      },
    });
    expect(rest).toEqual({ settled: true, complaints: [] });
    expect(existing).toBe(known.length);
    const [container = ''] = await project.containers('gateway');
    expect(Number(await docker('inspect', '--format', '{{.RestartCount}}', container))).toBeGreaterThanOrEqual(KEPT_WORLDS);
    await expectKept();

    await up(project.image);
    await eventually('the present image is ready', isUp, UP_SECONDS * 1_000);
    for (const { rehearsal } of worlds) {
      const refused = await fetch(`${gateway}/_control/verify`, { headers: { ...CONTROL, 'x-rehearsal': rehearsal.name } });
      expect([refused.status, await refused.json()]).toEqual([
        409,
        expect.objectContaining({
          code: 'incompatible_world',
          formats: FORMATS + 1,
          detail: expect.stringContaining('A newer release wrote it.'),
        }),
      ]);
      expect(await troubles()).toContainEqual([rehearsal.name, expect.stringContaining(`"${rehearsal.name}"`)]);
    }

    await up(newer);
    await eventually('the newer image is ready', isUpgraded, UP_SECONDS * 1_000);
    await expectKept();
  });
}

/** An image of the next version of the formats, whose process kills itself before its second conversion. */
async function newerImage(image: string): Promise<string> {
  await using folder = await aFolder();
  await folder.write(
    'dying.mjs',
    `import { Redis } from 'ioredis';
    import { scripts } from ${JSON.stringify(SCRIPTS)};
    const send = Redis.prototype.sendCommand;
    let conversions = 0;
    Redis.prototype.sendCommand = function (command, ...rest) {
      if (command.args[0] === scripts.adopt.sha && ++conversions === 2) process.kill(process.pid, 'SIGKILL');
      return send.call(this, command, ...rest);
    };`,
  );
  await folder.write(
    'Dockerfile',
    `FROM ${image}
    USER root
    COPY dying.mjs .
    RUN sed -i 's/FORMATS = ${FORMATS};/FORMATS = ${FORMATS + 1};/' shared/store/ports/world-formats.ts
    USER 1000:1000
    CMD ["node", "--import", "/app/dying.mjs", "estate/main.ts"]`,
  );
  return await builtImage(folder.path, NEWER);
}

const BYTES_OF = new Map([
  ['B', 1],
  ['KiB', 1_024],
  ['MiB', 1_048_576],
  ['GiB', 1_073_741_824],
]);

/** Memory of all containers, without the cache of files. */
async function mebibytes({ containers }: ComposeProject): Promise<number> {
  const ids = (await Promise.all(SERVICES.map(containers))).flat();
  const lines = (await docker('stats', '--no-stream', '--format', '{{.MemUsage}}', ...ids)).split('\n');
  expect(lines).toHaveLength(SERVICES.length);
  const bytes = lines.map((line) => {
    const [, amount, unit = ''] = /^([\d.]+)([KMG]?i?B) /.exec(line) ?? [];
    return Number(amount) * (BYTES_OF.get(unit) ?? Number.NaN);
  });
  return bytes.reduce((sum, one) => sum + one, 0) / 1_048_576;
}
