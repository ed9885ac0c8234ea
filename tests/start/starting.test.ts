import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { applicationNames } from '../../shared/catalog/applications.ts';
import { eventually } from '../support/eventually.ts';

const MAIN = fileURLToPath(new URL('../../services/main.ts', import.meta.url));
const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const FREE_PORTS = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0' };

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts the estate as a person would, on ports of its own, and collects what it says. */
function start(environment: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'], ...FREE_PORTS, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk.toString();
  });
  const ended = once(child, 'exit').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const ready = () => eventually('the banner', async () => said.out.includes('Stop with Ctrl-C'), 20_000);
  const gateway = (): string => /gateway\s+(\S+)/.exec(said.out)?.[1] ?? '';
  return { child, said, ended, ready, gateway };
}

describe('A start that cannot go on', () => {
  test.each([
    ['an unknown SERVICE', { SERVICE: 'tills' }, 64, /SERVICE=tills .*oms, .*touchpoint-mock/],
    ['one application alone', { SERVICE: 'oms' }, 78, /SERVICE=oms .*memory/],
    ['a bad variable', { GATEWAY_PORT: 'http' }, 78, /GATEWAY_PORT=http/],
    ['infrastructure that this version does not use', { REDIS_URL: 'redis://localhost' }, 78, /REDIS_URL/],
    ['demo credentials in production', { NODE_ENV: 'production' }, 78, /ALLOW_DEMO_CREDENTIALS=true/],
    ['fixtures that are not there', { FIXTURES_DIR: '/nowhere' }, 78, /nowhere/],
  ])('stops for %s with one sentence that names it', async (_what, environment, exitCode, sentence) => {
    const { ended, said } = start(environment);
    expect(await ended).toBe(exitCode);
    expect(said.err).toMatch(sentence);
    expect(said.err.trim().split('\n')).toHaveLength(1);
    expect(said.out).toBe('');
  });

  test.each(['GATEWAY_PORT', 'TOUCHPOINT_PORT', 'PORTAL_PORT'])('stops for a taken %s, naming port and variable', async (variable) => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const { ended, said } = start({ [variable]: String(port) });
    expect(await ended).toBe(1);
    expect(said.err).toContain(`Port ${port} is taken`);
    expect(said.err).toContain(variable);
    taken.close();
  });

  test('stops for a broken fixture, naming file and pointer', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'fixtures-'));
    await cp(FIXTURES, directory, { recursive: true });
    await writeFile(join(directory, 'locations.json'), JSON.stringify([{ id: 'dc-01' }]));
    const { ended, said } = start({ FIXTURES_DIR: directory });
    expect(await ended).toBe(78);
    expect(said.err).toMatch(/locations\.json.*\/0\//);
    expect(said.err.trim().split('\n')).toHaveLength(1);
    await rm(directory, { recursive: true });
  });
});

describe('A start', () => {
  test('prints a banner with addresses, credentials and lines to copy that work; Ctrl-C ends it with exit code 0', async () => {
    const estate = start({});
    await estate.ready();
    expect(estate.said.out).toContain('demo-integration-token');
    expect(estate.said.out.match(/^ {4}curl /gm)).toHaveLength(3);
    expect((await fetch(`${estate.gateway()}/products/mug-blue`)).status).toBe(200);
    expect((await fetch(`${estate.gateway()}/readyz`)).status).toBe(200);
    estate.child.kill('SIGINT');
    expect(await estate.ended).toBe(0);
    expect(estate.said.err).toBe('');
  });

  test('again on the same ports is as clean as the first', async () => {
    const first = start({});
    await first.ready();
    const { port } = new URL(first.gateway());
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    const second = start({ GATEWAY_PORT: port });
    await second.ready();
    expect((await fetch(`${second.gateway()}/readyz`)).status).toBe(200);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect(second.said.err).toBe('');
  });

  test('of the touchpoint mock alone needs nothing else', async () => {
    const alone = start({ SERVICE: 'touchpoint-mock' });
    await alone.ready();
    const mock = /Touchpoint mock: (\S+)/.exec(alone.said.out)?.[1] ?? '';
    const answer = await fetch(`${mock}/caso02`, {
      method: 'POST',
      headers: { authorization: 'Bearer demo-store-key' },
      body: '{"touchpointId":"SCO-01"}',
    });
    expect(answer.status).toBe(200);
    alone.child.kill('SIGTERM');
    expect(await alone.ended).toBe(0);
  });

  test('of the estate names every application', async () => {
    const estate = start({});
    await estate.ready();
    for (const application of applicationNames) expect(estate.said.out.toLowerCase()).toContain(application.split('-')[0]);
    estate.child.kill('SIGTERM');
    await estate.ended;
  });
});
