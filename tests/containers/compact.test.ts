import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ComposeProject, composeProject, docker } from './compose-project.ts';
import { estateImage } from './estate-image.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';
import { rush } from './stubborn-buyers.ts';

const UP_SECONDS = 600;
const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const SERVICES = ['gateway', 'kafka', 'redis'];
/** The guide states this figure. Without other work on the machine, 500 MiB are used after 500 orders. */
const MOST_MEBIBYTES = 700;

if (whyNoDocker !== undefined) skipWithoutDocker('the compact compose file');
else {
  let project: ComposeProject;

  beforeAll(async () => {
    project = await composeProject({ image: await estateImage(), files: ['compose.compact.yml'] });
    await project.compose('up', '--wait', '--wait-timeout', String(UP_SECONDS));
  });

  afterAll(async () => {
    await project?.down();
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
