import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { serving } from '../conform/serving.ts';
import { aFolder } from '../support/folder.ts';
import { started } from './started.ts';

/** Seconds; longer than any test. */
const LONG = '3600';

let status = 200;
let requests = 0;
let folder: Awaited<ReturnType<typeof aFolder>>;
let server: Awaited<ReturnType<typeof serving>>;
const checks: ReturnType<typeof started>[] = [];

beforeEach(async () => {
  status = 200;
  requests = 0;
  folder = await aFolder();
  server = await serving((_request, response) => {
    requests += 1;
    response.writeHead(status).end();
  });
});
afterEach(async () => {
  // Ends the script and its pause.
  for (const { child } of checks.splice(0)) if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  await server[Symbol.asyncDispose]();
  await folder.remove();
});

function check(...args: readonly string[]) {
  const env = { PATH: process.env['PATH'], SERVICE: 'oms', PORT: new URL(server.url).port, TMPDIR: folder.path };
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
