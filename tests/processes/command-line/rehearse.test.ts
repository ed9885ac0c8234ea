import { expect, test } from '@jest/globals';
import { scenarios } from '../../../rehearsal/scenarios.ts';
import { COMMAND, runAtTerminal, runEstate } from '../../support/command.ts';
import { failuresIn, scenariosOf, scratchFolder } from './scratch.ts';

const { write } = await scratchFolder();

test('A run of one scenario prints every step, and the summary', async () => {
  const { code, out, err } = await runEstate(['rehearse', 'digital-order']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/201 Create the order .*oms, create-order-api/);
  expect(out).toMatch(/→ order-created\n/);
  expect(out).toMatch(/\n1 of 1 passed in \d+\.\d s\n$/);
});

test('A piped run of several scenarios prints one line for each, with its time and without control characters', async () => {
  const { code, out, err } = await runEstate(['rehearse', 'digital-order', 'declined-then-paid']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(
    /^passed {2}digital-order +\d+\.\d s {2}\S.*\npassed {2}declined-then-paid +\d+\.\d s {2}\S.*\n\n2 of 2 passed in \d+\.\d s\n$/,
  );
});

test('A run at a terminal shows the current step, in lines that fit, and colours the outcome', async () => {
  const { code, out, plain } = await runAtTerminal(`${COMMAND} rehearse digital-order hold-lost`);
  expect(code).toBe(0);
  expect(plain).toMatch(/1 of 2 {2}digital-order: Open a basket for Ada/);
  expect(out).toContain('\u001b[32mpassed\u001b[39m');
  for (const line of plain.split('\n').filter((text) => text.startsWith('passed'))) expect(line.length).toBeLessThanOrEqual(80);
});

test('A run begins scenarios of the estate side by side, and prints them in their order', async () => {
  const { code, plain } = await runAtTerminal(`${COMMAND} rehearse digital-order hold-lost`);
  expect(code).toBe(0);
  const [second, first] = [plain.indexOf('2 of 2  hold-lost'), plain.indexOf('passed  digital-order')];
  expect([second >= 0, second < first, first < plain.indexOf('passed  hold-lost')]).toEqual([true, true, true]);
});

test('A run begins a scenario of a file after every other one has ended', async () => {
  const alone = `if (globalThis.busy) throw new Error('Another scenario runs.');
    globalThis.busy = true; await stage.settle(); await stage.settle(); globalThis.busy = false;`;
  const { code, out } = await runEstate(['rehearse', await write('alone.js', scenariosOf({ one: alone, two: alone })), '--json']);
  expect([code, failuresIn(out)]).toEqual([0, { one: undefined, two: undefined }]);
});

test('A run with --json prints its scenarios, steps and invariants', async () => {
  const { code, out } = await runEstate(['rehearse', 'digital-order', '--json']);
  expect([code, JSON.parse(out)]).toMatchObject([0, { passed: 1, failed: 0, scenarios: [{ name: 'digital-order', passed: true }] }]);
  const [{ steps, invariants }] = JSON.parse(out).scenarios;
  expect([steps.length > 5, invariants.length > 5]).toEqual([true, true]);
});

test('A run with a seed and a start gives its scenarios the same ids each time', async () => {
  const step = `{ title: 'Basket', call: 'POST /baskets', body: { channel: 'web', lines: [] } }`;
  const file = await write('ids.js', scenariosOf({ ids: `throw new Error((await stage.step(${step})).body.id);` }));
  const run = async (seed: string) =>
    failuresIn((await runEstate(['rehearse', file, '--json', '--seed', seed, '--starts-at', '2026-01-05T09:00:00Z'])).out)['ids'];
  const first = await run('7');
  expect(first).toMatch(/^bsk_01KE6P4YM0/);
  expect([await run('7'), (await run('8')) === first]).toEqual([first, false]);
});

test('A run gives the rehearsal of a file its own data', async () => {
  const own = `export const own = { name: 'own', title: 't', data: { retailer: { cashRounding: 5 } }, run: async (stage) => {
    const sale = await stage.step({ title: 'Sale', call: 'POST /transactions', body: { storeId: 'store-01', laneId: 'lane-1', lines: [{ sku: 'mug-blue', qty: 1 }] } });
    const paid = await stage.step({ title: 'Cash', call: 'POST /transactions/' + sale.body.id + '/payment', body: { tender: { type: 'cash' }, amount: { amount: 2_000, currency: 'EUR' } } });
    stage.expect('change', paid.body.change?.amount, 700);
  } };`;
  const { out } = await runEstate(['rehearse', await write('own-data.js', own), '--json']);
  expect(failuresIn(out)).toEqual({ own: undefined });
});

test('The option --list lists all scenarios, as a table and as JSON', async () => {
  const table = await runEstate(['rehearse', '--list']);
  for (const { name, title } of scenarios) expect(table.out).toMatch(new RegExp(`^${name} .*${title.slice(0, 20)}`, 'm'));
  const json = await runEstate(['rehearse', '--list', '--json']);
  expect((JSON.parse(json.out) as unknown[]).length).toBe(scenarios.length);
});

test.each([
  [['--bearer', 'bad'], /^The estate refuses this credential for the APIs; .*--bearer or ESTATE_BEARER_TOKEN\.\n$/],
  [['--api-key', 'bad'], /^The estate refuses this key for the carrier’s APIs; .*--api-key or ESTATE_API_KEY\.\n$/],
])('A run with a wrong credential is refused in one sentence: %j', async (args, sentence) => {
  const { code, out, err } = await runEstate(['rehearse', ...args]);
  expect(err).toMatch(sentence);
  expect([code, out]).toEqual([2, '']);
});

test('A run prints the titles and notes of a scenario on one line each, and indents the lines of its failure', async () => {
  const forged = 'a\r\n\npassed  everything';
  const step = `{ title: ${JSON.stringify(forged)}, call: 'GET /products/mug-blue' }`;
  const run = `await stage.step(${step}); await stage.together(${JSON.stringify(forged)}, []); throw new Error(${JSON.stringify(forged)});`;
  const { code, out } = await runEstate(['rehearse', await write('forged.js', scenariosOf({ forged: run }))]);
  expect(code).toBe(1);
  expect(out).toMatch(/^ {2}200 a passed everything /m);
  expect(out).toMatch(/^ {6}· a passed everything:/m);
  expect(out).not.toMatch(/^passed/m);
});

test('A run shortens long values in the failure of an expectation', async () => {
  const run = `stage.expect('list', Array(100_000).fill('x'), Array(100_000).fill('y'));`;
  const { out } = await runEstate(['rehearse', await write('long.js', scenariosOf({ long: run })), '--json']);
  expect(failuresIn(out)['long']).toMatch(/^list: expected \["y".{1990,2000}…, got \["x".{1990,2000}…\.$/);
});

test('A run refuses a file whose exports throw when they are read', async () => {
  const file = await write(
    'getter.js',
    `export const a = { get name() { throw new Error('No name'); }, title: 't', run: async () => {} };`,
  );
  const { code, err } = await runEstate(['rehearse', file]);
  expect([code, err]).toEqual([2, `${file} cannot be loaded: No name, in line 1.\n`]);
});
