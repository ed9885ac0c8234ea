import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { started } from './started.ts';

/** Seconds; longer than any test. */
const LONG = '3600';

let status = 200;
let requests = 0;
let folder = '';
const checks: ReturnType<typeof started>[] = [];
const server = createServer((_request, response) => {
  requests += 1;
  response.writeHead(status).end();
});

beforeEach(async () => {
  status = 200;
  requests = 0;
  folder = await mkdtemp(join(tmpdir(), 'health-check-'));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  // Ends the script and its pause.
  for (const { child } of checks.splice(0)) if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

function check(...args: readonly string[]) {
  const { port } = server.address() as AddressInfo;
  const env = { PATH: process.env['PATH'], SERVICE: 'oms', PORT: String(port), TMPDIR: folder };
  const one = started('bash', ['image/health-check.sh', ...args], { env, detached: true, stdio: 'ignore' });
  checks.push(one);
  return one;
}

test('A health check waits for its pause only after a process was ready', async () => {
  status = 503;
  expect(await check(LONG).ended).toBe(1);
  expect(await check(LONG).ended).toBe(1);
  status = 200;
  expect(await check(LONG).ended).toBe(0);
  const waiting = check(LONG);
  expect(await check().ended).toBe(0);
  expect({ requests, exitCode: waiting.child.exitCode }).toEqual({ requests: 4, exitCode: null });
});

test('A health check does not wait once the process is no longer ready', async () => {
  expect(await check('0.1').ended).toBe(0);
  status = 503;
  expect(await check('0.1').ended).toBe(1);
  expect(await check(LONG).ended).toBe(1);
  expect(requests).toBe(3);
});
