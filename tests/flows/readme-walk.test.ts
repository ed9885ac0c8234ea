import { execFile } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { signWebhook } from '../../shared/simulation/webhook-signature.ts';
import { readLabel } from '../services/label-reading.ts';
import { estate, newRehearsal } from '../support/estate.ts';
import { textOf } from '../support/tracked-files.ts';

const run = promisify(execFile);

/** The shell commands of the README in order, without those of npm. */
function commandsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)]
    .map(([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
    .filter((block) => !/^npm /m.test(block));
}

test('The commands of the README work when they are copied, and the order is confirmed', async () => {
  await using own = await newRehearsal();
  const commands = commandsOf(textOf('README.md'));
  expect(commands.length).toBeGreaterThan(10);
  // The addresses and the rehearsal of this run replace those of the README; the status follows each answer.
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
  const folder = await mkdtemp(join(tmpdir(), 'walk-'));
  const { stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder });

  const statuses = [...stderr.matchAll(/^STATUS (\d{3}) (.*)$/gm)].map(([, status, call]) => ({ status: Number(status), call }));
  expect(statuses.length).toBeGreaterThan(20);
  // Refusals that the README announces: the second tender of the sale, and a call of an application that is down.
  expect(statuses.filter(({ status }) => status >= 300)).toEqual([
    { status: 402, call: expect.stringMatching(/^POST .*\/transactions\/ord_\w+\/payment$/) },
    { status: 503, call: `POST ${estate.gateway}/payments/authorizations` },
  ]);
  expect(stdout).toContain('"state":"confirmed"');
  const types = (await own.events()).map((event) => event.type.replace('com.unified-commerce.', ''));
  expect(new Set(types)).toEqual(
    new Set([
      ...['basket-created', 'checkout-started', 'inventory-reserved', 'reservation-created', 'order-created', 'payment-authorized'],
      ...['order-confirmed', 'fulfillment-order-created', 'payment-captured', 'shipment-label-generated'],
      ...['return-requested', 'return-created', 'customer-interaction-logged'],
    ]),
  );
  // The parcel: a readable label, two days of transport, and an accepted signature of a custom carrier.
  expect(await readLabel(await readFile(join(folder, 'label.pdf')))).toMatchObject({ pages: 1, format: 'CODE_128' });
  expect(statuses).toContainEqual({ status: 204, call: expect.stringMatching(/^POST .*\/webhooks\/carrier\?rehearsal=/) });
  expect(stdout).toMatch(/"state":"completed".*"paymentStatus":"paid"|"paymentStatus":"paid".*"state":"completed"/);
  expect((await own.ok('GET', '/members/loy_ada/balance')).pointsBalance).toBe(525 + 25 - 13);
  await own.verify();
});

test('The README code that signs a webhook gives the signature of the estate', async () => {
  const [, code = ''] = /```js\n([\s\S]*?)^```$/m.exec(textOf('README.md')) ?? [];
  const [secret = ''] = /whsec_[A-Za-z0-9+/=]+/.exec(textOf('README.md')) ?? [];
  const at = Date.UTC(2026, 2, 1, 10);
  const body = JSON.stringify({ type: 'shipment.tracking.updated', data: { message: 'Grüße vom Depot' } });
  const call = `sign(${[secret, 'my-scan-2', String(at / 1_000), body].map((text) => JSON.stringify(text)).join(', ')})`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', `${code}\nconsole.log(${call});`]);
  expect(stdout.trim()).toBe(signWebhook(secret, { id: 'my-scan-2', at, body })['webhook-signature']);
});
