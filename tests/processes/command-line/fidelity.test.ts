import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { runEstate } from '../../support/command.ts';
import { newRehearsal } from '../../support/estate.ts';
import { startLoyaltyCopy } from '../../support/loyalty-copy.ts';
import { startPaymentHub } from '../../support/real-payment-hub.ts';
import { scratchFolder } from './scratch.ts';

const { at } = await scratchFolder();

test('The command fidelity adds up rehearsals, ends with 1 above the allowed differences, and writes JUnit and a page', async () => {
  await using copy = await startLoyaltyCopy(({ path }, answered) =>
    path.includes('/balance') ? { ...answered, body: { ...answered.body, nextTierThreshold: 800 } } : answered,
  );
  const shadowed = () => newRehearsal(undefined, undefined, { 'loyalty-platform': { url: copy.url, mode: 'shadow' } });
  await using one = await shadowed();
  await using other = await shadowed();
  for (const rehearsal of [one, other, other]) await rehearsal.api('get-member-balance-api', { params: { id: 'loy_ada' } });
  await one.call('redeem-points-api', { params: { id: 'loy_nobody' }, body: { orderId: 'ord_1', points: 5 } });
  const both = ['--rehearsal', one.name, '--rehearsal', other.name];
  const [junit, html] = [at('out', 'fidelity.xml'), at('out', 'fidelity.html')];
  const failed = await runEstate(['fidelity', ...both, '--junit', junit, '--html', html]);
  expect(failed).toMatchObject({ code: 1, err: '' });
  expect(failed.out).toMatch(/4 calls compared, 1 equal\n/);
  expect(failed.out).toMatch(/get-member-balance-api +\/nextTierThreshold +3 +1000 +800\n/);
  expect(failed.out).toMatch(/\n1 difference in 2 rehearsals, 0 allowed\.\n$/);
  const xml = await readFile(junit, 'utf8');
  expect(xml).toContain('<testsuite name="estate fidelity" tests="2" failures="1" errors="0" skipped="0"');
  expect(xml).toContain('message="/nextTierThreshold: ours 1000, theirs 800 (3)"');
  expect(xml).toMatch(/name="loyalty-platform: redeem-points-api" time="0.000">\s*<system-out>/);
  const page = await readFile(html, 'utf8');
  for (const shown of ['Fidelity report', '3 calls compared, 0 equal', '<code>/nextTierThreshold</code>', one.name])
    expect(page).toContain(shown);
  const allowed = await runEstate(['fidelity', '--all', '--allow', '1', '--json']);
  expect([allowed.code, JSON.parse(allowed.out)]).toMatchObject([0, { passes: true, differences: 1, allowed: 1 }]);
  expect(JSON.parse(allowed.out).rehearsals.toSorted()).toEqual([one.name, other.name].toSorted());
});

test('The command fidelity fails without a real system in the shadow, and names calls that it has not compared in time', async () => {
  await using plain = await newRehearsal();
  const named = await runEstate(['fidelity', '--rehearsal', plain.name]);
  expect(named).toMatchObject({ code: 1, err: expect.stringContaining(`${plain.name} has no real system in the shadow. Create one with`) });
  await using hub = await startPaymentHub(() => 'handled');
  await using stalled = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, mode: 'shadow', timeoutMs: 10_000 } });
  await stalled.call('void-payment-api', { params: { id: 'pay_1' } });
  const junit = at('waiting.xml');
  const { out } = await runEstate(['fidelity', '--rehearsal', stalled.name, '--timeout-ms', '0', '--junit', junit]);
  expect(out).toContain('0 calls compared, 0 equal, 1 waiting');
  expect(await readFile(junit, 'utf8')).toContain(
    '<skipped message="1 call of Payment Hub had not been compared in time: raise --timeout-ms."/>',
  );
});
