import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { scenarios } from '../../../rehearsal/scenarios.ts';
import { startDefectiveHub } from '../../conform/defects.ts';
import { startAdapter } from '../../conform/example-adapter.ts';
import { serving } from '../../conform/serving.ts';
import { runEstate } from '../../support/command.ts';
import { freePort } from '../../support/free-port.ts';
import { startPaymentHub } from '../../support/real-payment-hub.ts';
import { scratchFolder } from './scratch.ts';

const { at, write } = await scratchFolder();
const headers = await write('headers.txt', 'Authorization: Bearer secret\n');
const mapping = await write('map.yaml', 'ids:\n  declined-card: null\nnotOffered: [void-payment-api]\n');

const conform = (url: string, ...more: readonly string[]) => runEstate(['conform', '--application', 'payment-hub', '--url', url, ...more]);
const checks = (url: string, ...more: readonly string[]) => conform(url, '--no-scenarios', ...more);

interface Passed {
  readonly status: number;
  readonly text: string;
}

/** A system that forwards each request, and changes its answers in scenarios. */
const inFrontOf = (url: string, change: (request: IncomingMessage, answer: Passed) => Passed) =>
  serving(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => /^(x-|idempotency-key|content-type)/.test(name)));
    const init = { method: String(request.method), headers: headers as Record<string, string>, ...(body !== '' && { body }) };
    const answer = await fetch(`${url}${request.url}`, init);
    const passed = { status: answer.status, text: await answer.text() };
    const isScenario = !String(request.headers['x-rehearsal']).startsWith('conform-');
    const { status, text } = isScenario ? change(request, passed) : passed;
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });

test('The command conform reports a system that fits, in the terminal, as JUnit and as a page', async () => {
  await using hub = await startPaymentHub();
  const [junit, html] = [at('out', 'junit.xml'), at('out', 'report.html')];
  const { code, out, err } = await checks(hub.url, '--mapping', mapping, '--headers-file', headers, '--junit', junit, '--html', html);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/must +Authorize Payment +\d+ passed; not offered: declined, gift-card\n/);
  expect(out).toMatch(/not offered +Void Payment\n/);
  expect(out).toMatch(/\nmay +Change Payment Token +UNCHECKED: .+\n/);
  expect(out).toMatch(/\nIt fits\. Not checked: .*Change Payment Token.*\.\n$/);
  const xml = await readFile(junit, 'utf8');
  expect(xml).toContain('<testsuite name="estate conform"');
  expect(xml).toContain('name="capture-payment-api: capture-limit"');
  expect(xml).toMatch(/name="authorize-payment-api: declined"[^>]*>\s*<skipped message="The mapping has no id for declined-card\."\/>/);
  expect(await readFile(html, 'utf8')).toContain('Conformance report');
});

test('The command conform ends with 1 for a system that breaks a rule or lacks a required call, and names both', async () => {
  await using hub = await startDefectiveHub('captures-above-the-authorised');
  const lacking = await write('lacking.yaml', 'notOffered: [reverse-payment]\n');
  const { code, out } = await checks(hub.url, '--json', '--mapping', lacking);
  const { conforms, calls } = JSON.parse(out) as { conforms: boolean; calls: { id: string; verdict: string }[] };
  expect([code, conforms]).toEqual([1, false]);
  const verdicts = Object.fromEntries(calls.map(({ id, verdict }) => [id, verdict]));
  expect(verdicts).toMatchObject({ 'capture-payment-api': 'deviates', 'reverse-payment': 'missing', 'refund-payment-api': 'conforms' });
});

test('The command conform refuses a wrong mapping and wrong headers with all mistakes, and an address where nothing listens', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const wrong = await write('wrong.yaml', 'ids:\n  crd: x\nstates:\n  payment: [paid]\n');
  const translating = await write('translating.yaml', 'states:\n  payment: { AUTHED: authorised }\n');
  const mapped = await conform(url, '--mapping', wrong);
  expect(mapped).toMatchObject({ code: 2, err: expect.stringContaining(`${wrong}: ids.crd: This member is unknown.\n`) });
  expect(mapped.err).toContain(`${wrong}: states.payment.0: This must be one of pending,`);
  expect((await conform(url, '--mapping', translating)).err).toContain(
    `${translating}: states.payment: List the states that your system has,`,
  );
  const lines = await write('wrong.txt', 'Authorization: Bearer secret\nno header\n');
  const { code, err } = await conform(url, '--headers-file', lines);
  expect([code, err]).toEqual([2, `${lines}: line 2 is not a header, like Authorization: Bearer …\n`]);
  expect(await conform(url)).toMatchObject({
    code: 3,
    err: `No system answers at ${url}: nothing listens there. Start it, or correct --url.\n`,
  });
});

test('The command conform runs the scenarios with the example adapter in place of the Payment Hub, except those that need what it lacks', async () => {
  const port = String(await freePort());
  await using adapter = await startAdapter(`http://127.0.0.1:${port}`);
  const file = at('scenarios.xml');
  const { code, out, err } = await conform(
    adapter.url,
    '--port',
    port,
    '--mapping',
    'examples/payment-hub-adapter/map.yaml',
    '--junit',
    file,
  );
  expect([code, err]).toEqual([0, '']);
  const lacking = [
    'partial-approval',
    '3-d-secure',
    'void-transaction',
    'exchange-with-surplus',
    'refund-pending',
    'refund-fails',
    'dispute-won',
    'dispute-lost',
    'marketplace-order',
    'changed-order',
    'tax-and-coins',
  ];
  for (const name of lacking) expect(out).toContain(`not offered: ${name}. It needs `);
  const ran = scenarios.length - lacking.length;
  expect(out).toContain(`\n${ran} of ${ran} scenarios passed\n`);
  const xml = await readFile(file, 'utf8');
  expect(xml).toMatch(/name="delivered-order" time="[\d.]+">\n\s*<system-out>/);
  expect(xml).toMatch(/name="dispute-won" time="[\d.]+">\n\s*<skipped message="It needs dispute,/);
});

test('The command conform fails a scenario when the system broke the contract during it, although a retry hid that', async () => {
  const port = String(await freePort());
  await using adapter = await startAdapter(`http://127.0.0.1:${port}`);
  const failed = new Set<string>();
  // The first answer to each capture of a scenario becomes 500.
  await using flaky = await inFrontOf(adapter.url, (request, answer) => {
    const key = String(request.headers['idempotency-key']);
    const isFirst = request.url?.endsWith('/capture') && !failed.has(key);
    failed.add(key);
    return isFirst ? { ...answer, status: 500 } : answer;
  });
  const { code, out } = await conform(flaky.url, '--port', port, '--mapping', 'examples/payment-hub-adapter/map.yaml', '--json');
  const { scenarios: ran } = JSON.parse(out) as { scenarios: { name: string; outcome: string; detail?: string }[] };
  expect([code, ran.find(({ name }) => name === 'capture-retried')]).toMatchObject([1, { outcome: 'failed' }]);
  expect(ran.map(({ detail }) => detail)).toContainEqual(
    expect.stringMatching(/^The system broke the contract\. server_error at capture-payment-api: The real payment-hub answered 500/),
  );
});

test('The command conform reports what the answers of a system lacked when a scenario fails', async () => {
  const port = String(await freePort());
  await using adapter = await startAdapter(`http://127.0.0.1:${port}`);
  await using forgetful = await inFrontOf(adapter.url, (_request, { status, text }) => ({
    status,
    text: text.replaceAll(/"(?:tendered|change|refundableAmount)":\{[^}]*\},?/g, '').replaceAll(',}', '}'),
  }));
  const { code, out } = await conform(forgetful.url, '--port', port, '--mapping', 'examples/payment-hub-adapter/map.yaml', '--json');
  const { scenarios: ran } = JSON.parse(out) as { scenarios: { name: string; detail?: string }[] };
  const detailOf = (name: string) => ran.find((one) => one.name === name)?.detail;
  expect(code).toBe(1);
  expect(detailOf('split-tender')).toContain('The answer of the system to Authorize Payment (201) lacked tendered, change.');
  expect(detailOf('over-refund')).toContain('The answer of the system to Refund Payment (409) lacked refundableAmount.');
});
