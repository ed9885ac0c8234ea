import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { estate, newRehearsal } from '../support/estate.ts';
import { textOf } from '../support/tracked-files.ts';

/** The shell commands of the README, in their order; those of npm are left to whoever starts the tests. */
function commandsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)]
    .map(([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
    .filter((block) => !/^npm /m.test(block));
}

test('every command of the README works when it is copied, and the order gets confirmed', async () => {
  await using own = await newRehearsal();
  const commands = commandsOf(textOf('README.md'));
  expect(commands.length).toBeGreaterThan(10);
  // The commands as they stand, but for the addresses of this run and a rehearsal of its own; each answer is followed by its status.
  const script = commands
    .join('\n')
    .replaceAll('http://127.0.0.1:8080', estate.gateway)
    .replaceAll('http://127.0.0.1:15115', estate.touchpoint)
    .replaceAll('my-first', `${own.name}-first`)
    .replace("demo-integration-token'", `${own.credentials.bearer}'`)
    .replace("demo-sim-admin'", `demo-sim-admin' -H 'X-Rehearsal: ${own.name}'`)
    .replaceAll("demo-carrier-key'", `${own.credentials.apiKey}'`)
    .replaceAll('rehearsal=default', `rehearsal=${own.name}`)
    .replaceAll(/whsec_[A-Za-z0-9+/=]+/g, own.credentials.webhookSecret)
    .replaceAll('curl -s', "curl -s -w '\\n%{stderr}STATUS %{http_code} %{method} %{url_effective}\\n'");
  const { stdout, stderr } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: await mkdtemp(join(tmpdir(), 'walk-')),
  });

  const statuses = [...stderr.matchAll(/^STATUS (\d{3}) (.*)$/gm)].map(([, status, call]) => ({ status: Number(status), call }));
  expect(statuses.length).toBeGreaterThan(20);
  expect(statuses.filter(({ status }) => status >= 300)).toEqual([{ status: 503, call: `POST ${estate.gateway}/payments/authorizations` }]);
  expect(stdout).toContain('"state":"confirmed"');
  const types = (await own.events()).map((event) => event.type.replace('com.unified-commerce.', ''));
  expect(types).toEqual(
    expect.arrayContaining(['basket-created', 'checkout-started', 'order-created', 'payment-authorized', 'order-confirmed']),
  );
  await own.verify();
});
