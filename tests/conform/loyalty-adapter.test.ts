import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { loyaltyPlatformSuite } from '../../shared/contract/suites/loyalty-platform.ts';
import { estate, newRehearsal } from '../support/estate.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { skipTests } from '../support/skipped.ts';
import { checked } from './checked.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/loyalty-adapter/', import.meta.url));

/** @returns why the adapter cannot run here, or undefined */
function obstacle(): string | undefined {
  try {
    execFileSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'python3 is missing or older than 3.11';
  }
}

async function started(file: string, settings: Record<string, string>): Promise<ChildProcess> {
  const program = spawn('python3', [file], { cwd: EXAMPLE, env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'inherit'] });
  await Promise.race([once(program.stdout, 'data'), once(program, 'exit').then(() => Promise.reject(new Error(`${file} has ended.`)))]);
  return program;
}

/** The adapter and its provider, each a process. @param estateUrl the gateway that the adapter calls back */
async function startAdapter(estateUrl: string) {
  const [port, providerPort] = [await freePort(), await freePort()];
  const [url, providerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${providerPort}`];
  const common = { WEBHOOK_SECRET: 'secret of the webhooks' };
  const provider = await started('provider.py', { ...common, PORT: String(providerPort), WEBHOOK_URL: `${url}/webhook` });
  const adapter = await started('adapter.py', { ...common, PORT: String(port), PROVIDER_URL: providerUrl, ESTATE_URL: estateUrl });
  return {
    url,
    /** The service desk of the provider changes the points of a member. */
    correct: (rehearsal: string, member: string, points: number) =>
      fetch(`${providerUrl}/desk/${encodeURIComponent(`${rehearsal}/${member}`)}/corrections`, {
        method: 'POST',
        body: JSON.stringify({ points, note: 'Sorry' }),
      }),
    async [Symbol.asyncDispose](): Promise<void> {
      for (const program of [adapter, provider]) {
        program.kill();
        await once(program, 'exit');
      }
    },
  };
}

const why = obstacle();
if (why !== undefined) {
  skipTests('The loyalty adapter', why, 'python3 3.11 or later');
} else {
  test('The loyalty adapter in Python passes every check', async () => {
    await using adapter = await startAdapter('http://127.0.0.1:1');
    const { lines, missing } = await checked(loyaltyPlatformSuite, adapter.url);
    expect(lines('failed', 'not checked')).toEqual([]);
    expect(lines('passed').length).toBeGreaterThan(25);
    expect(missing).toEqual([]);
  });

  test('The loyalty adapter earns once, takes back what a refund returns, and reports what its provider changes without a call', async () => {
    await using adapter = await startAdapter(estate.gateway);
    await using rehearsal = await newRehearsal(undefined, undefined, { 'loyalty-platform': { url: adapter.url } });
    const balance = async () => (await rehearsal.call('get-member-balance-api', { params: { id: 'loy_ada' } })).body.pointsBalance;
    const { body: sale } = await rehearsal.call('create-transaction-api', {
      body: { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 2 }], loyaltyId: 'loy_ada' },
    });
    const tender = { tender: { type: 'card', token: 'tok_visa' }, amount: sale.totals.total };
    const { body: payment } = await rehearsal.call('add-payment-api', { params: { id: sale.id }, body: tender });
    await rehearsal.control('settle');
    expect(await balance()).toBe(525);

    const claim = { params: { id: 'loy_ada' }, body: { orderId: sale.id, amount: sale.totals.total } };
    expect((await rehearsal.call('earn-points-api', claim)).status).toBe(200);
    const refund = { amount: { amount: 150, currency: 'EUR' }, reason: 'goodwill' };
    for (const expected of [524, 522]) {
      await rehearsal.call('refund-payment-api', { params: { id: payment.id }, body: refund });
      await rehearsal.control('settle');
      expect(await balance()).toBe(expected);
    }

    await adapter.correct(rehearsal.name, 'loy_ada', 78);
    const reported = async () => (await rehearsal.object('loyalty-account', 'loy_ada')).pointsBalance === 600;
    await eventually('the estate has the correction', reported);
    const { items } = await rehearsal.control('list-swaps');
    expect(items).toMatchObject([{ application: 'loyalty-platform', failed: 0, violations: [] }]);
  });
}
