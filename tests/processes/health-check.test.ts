import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

/** Seconds; longer than any test. */
const LONG = '3600';

let status = 200;
let asked = 0;
let folder = '';
const started: ReturnType<typeof spawn>[] = [];
const server = createServer((_request, response) => {
  asked += 1;
  response.writeHead(status).end();
});

beforeEach(async () => {
  status = 200;
  asked = 0;
  folder = await mkdtemp(join(tmpdir(), 'health-check-'));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  // The script and the pause that it waits for.
  for (const { pid, exitCode } of started.splice(0)) if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL');
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

function check(...args: readonly string[]) {
  const { port } = server.address() as AddressInfo;
  const env = { PATH: process.env['PATH'], SERVICE: 'oms', PORT: String(port), TMPDIR: folder };
  const child = spawn('bash', ['image/health-check.sh', ...args], { env, detached: true, stdio: 'ignore' });
  started.push(child);
  return child;
}

const exitCode = async (child: ReturnType<typeof check>): Promise<unknown> => (await once(child, 'exit'))[0];

describe('The health check of a container', () => {
  test('asks at once while the process was not ready yet', async () => {
    status = 503;
    expect(await exitCode(check(LONG))).toBe(1);
    expect(await exitCode(check(LONG))).toBe(1);
    status = 200;
    expect(await exitCode(check(LONG))).toBe(0);
    expect(asked).toBe(3);
  });

  test('waits before it asks a process again that was ready', async () => {
    expect(await exitCode(check(LONG))).toBe(0);
    const waiting = check(LONG);
    expect(await exitCode(check())).toBe(0);
    expect({ asked, exitCode: waiting.exitCode }).toEqual({ asked: 2, exitCode: null });
  });

  test('asks at once again when the process is no longer ready', async () => {
    expect(await exitCode(check('0.1'))).toBe(0);
    status = 503;
    expect(await exitCode(check('0.1'))).toBe(1);
    expect(await exitCode(check(LONG))).toBe(1);
    expect(asked).toBe(3);
  });

  test('asks at once each time without a pause', async () => {
    for (const times of [1, 2, 3]) {
      expect(await exitCode(check())).toBe(0);
      expect(asked).toBe(times);
    }
  });
});
