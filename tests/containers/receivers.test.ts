import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readConfiguration } from '../../estate/configuration.ts';
import { type RunningEstate, startEstate } from '../../estate/estate.ts';
import { createLogger } from '../../shared/process/logger.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { runIn } from '../support/scratch-project.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples/', import.meta.url));

/** Installs the library of the language, which needs its registry, and then starts the receiver. */
const languages = [
  {
    name: 'Python',
    folder: 'receiver',
    prepare: 'python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt',
    run: ['.venv/bin/python', 'receiver.py'],
  },
  { name: 'Go', folder: 'receiver-go', prepare: 'go build -o receiver .', run: ['./receiver'] },
] as const;

describe.each(languages)('The receiver in $name', ({ folder, prepare, run: [program, ...args] }) => {
  let estate: RunningEstate;
  let project: string;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    const ports = { GATEWAY_PORT: '0', TOUCHPOINT_PORT: '0', PORTAL_PORT: '0', CONSOLE: 'off' };
    estate = await startEstate(readConfiguration({ NODE_ENV: 'test', ...ports }), createLogger('silent'));
    await estate.ready;
    project = await mkdtemp(join(tmpdir(), 'receiver-'));
    await cp(join(EXAMPLES, folder), project, { recursive: true });
    const { code, out, err } = await runIn(project, 'bash', ['-c', prepare]);
    if (code !== 0) throw new Error(`${prepare} failed: ${out}${err}`);
  });
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await rm(project, { recursive: true, force: true });
    await estate.close();
  });

  /** Runs the receiver with this secret. */
  async function receiving(secret: string, port: number) {
    const child = spawn(join(project, program), [...args, String(port)], {
      cwd: project,
      env: { ...process.env, ESTATE_WEBHOOK_SECRET: secret },
    });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually('the start of the receiver', async () => output.includes('listening'));
    return {
      output: (): string => output,
      [Symbol.asyncDispose]: async () => {
        const ended = new Promise((resolve) => child.once('exit', resolve));
        child.kill();
        await ended;
      },
    };
  }

  test('It accepts each delivery with the library of its language, during a rotation too, and refuses another secret', async () => {
    await using rehearsal = await rehearsalAt(estate.gateway);
    const port = await freePort();
    const name = { params: { name: 'shop' } };
    const body = { url: `http://127.0.0.1:${port}/events`, types: ['order-created'] };
    const { secret = '' } = await rehearsal.control('put-webhook', { ...name, body });
    const states = async () =>
      (await rehearsal.control('list-webhook-deliveries', { ...name })).items.map(({ state, attempts }) => [state, attempts[0]?.status]);
    {
      await using receiver = await receiving(secret, port);
      const order = await rehearsal.draft();
      await rehearsal.settle();
      await rehearsal.control('rotate-webhook-secret', { ...name, body: {} });
      await rehearsal.draft();
      await rehearsal.settle();
      expect(receiver.output()).toContain(`received com.unified-commerce.order-created order/${order.id}`);
    }
    expect(await states()).toEqual([
      ['delivered', 204],
      ['delivered', 204],
    ]);
    await using _stranger = await receiving(`whsec_${Buffer.alloc(24, 'x').toString('base64')}`, port);
    await rehearsal.draft();
    await rehearsal.settle();
    expect((await states())[0]).toEqual(['waiting', 401]);
  });
});
