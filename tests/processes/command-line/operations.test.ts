import type { RequestListener } from 'node:http';
import { expect, test } from '@jest/globals';
import { examplesOf } from '../../../command-line/help.ts';
import { createProgram, everyCommand } from '../../../command-line/program.ts';
import { faultPresets } from '../../../shared/catalog/control/fault-presets.ts';
import { serving } from '../../conform/serving.ts';
import { COMMAND, runAtTerminal, runEstate, wordsOf } from '../../support/command.ts';
import { estate, newRehearsal } from '../../support/estate.ts';
import { receiveEvents } from '../../support/event-receiver.ts';
import { startPaymentHub } from '../../support/real-payment-hub.ts';
import { scratchFolder } from './scratch.ts';

const { write } = await scratchFolder();

/** Commands with tests in other files. */
const ELSEWHERE = /^(start|rehearse|open|listen|conform|fidelity|mcp|swaps (answers|call|keep|report))\b/;

const placeOf = (example: string): number => (/^(payments action|snapshot save)/.test(example) ? 0 : /^\S+ delete/.test(example) ? 2 : 1);

test('The example in the help of every command works', async () => {
  await using rehearsal = await newRehearsal({ warehouse: 'manual', carrier: 'manual', returns: 'manual' });
  const order = await rehearsal.completed();
  const returned = await rehearsal.announced(order);
  const { shipmentId } = await rehearsal.dispatchedOrder();
  const [event] = await rehearsal.events();
  const [hop] = await rehearsal.journal();
  const { id: run } = await rehearsal.control('start-run', { body: { scenario: 'digital-order' } });
  await using receiver = await receiveEvents();
  await rehearsal.control('put-webhook', { params: { name: 'shop' }, body: { url: receiver.url } });
  const undecided = await rehearsal.authorisation((await rehearsal.draft()).id, undefined, 'tok_3ds');
  await rehearsal.settle();
  const { items } = await rehearsal.control('list-webhook-deliveries', { params: { name: 'shop' } });
  await rehearsal.control('save-snapshot', { params: { name: 'paid' } });
  const file = await write('paid.json', JSON.stringify(await rehearsal.control('read-snapshot', { params: { name: 'paid' } })));
  const continued = ['continued', 'what-if'].map((name) => [name, `${rehearsal.name}-${name}`] as const);
  const more = { pay_01M: order.payments[0].id, pay_01N: undecided.id, 'shop 17': `shop ${items[0]?.id}` };
  const ids = {
    ...more,
    ord_01M: order.id,
    ret_01M: returned.id,
    shp_01M: shipmentId,
    evt_01M: event.id,
    req_01M: hop.requestId,
    run_01M: run,
  };
  const names = [...Object.entries({ 'my-tests': `${rehearsal.name}-own`, 'paid.json': file, ...ids }), ...continued];
  const examples = everyCommand(createProgram())
    .flatMap(examplesOf)
    .filter((example) => !ELSEWHERE.test(example))
    // What is deleted cannot be shown, and an undecided payment fails when the clock advances.
    .toSorted((a, b) => placeOf(a) - placeOf(b));
  const failures: string[] = [];
  for (const example of examples) {
    const line = names.reduce((text, [shown, real]) => text.replace(shown, real), example);
    const { code, out, err } = await runEstate(wordsOf(line), { ESTATE_REHEARSAL: rehearsal.name });
    if (code !== 0 || out === '' || err !== '') failures.push(`${line}: ${code} ${out}${err}`);
  }
  for (const [, name] of continued) await rehearsal.control('delete-rehearsal', { params: { name } });
  expect(failures).toEqual([]);
});

test('The commands of a swap make a call for the real system, report a change of its object, and show its answers', async () => {
  await using hub = await startPaymentHub();
  await using rehearsal = await newRehearsal(undefined, undefined, { 'payment-hub': { url: hub.url, keep: true } });
  const { id, totals } = await rehearsal.draft();
  const payment = await rehearsal.authorisation(id, totals.total.amount);
  const at = ['--json', '--rehearsal', rehearsal.name];
  const named = ['--application', 'payment-hub', '--params', JSON.stringify({ id })];
  const called = await runEstate(['swaps', 'call', 'get-payable', ...named, ...at]);
  expect(JSON.parse(called.out)).toMatchObject({ total: totals.total });
  const { answers } = JSON.parse((await runEstate(['swaps', 'answers', 'payment-hub', ...at])).out);
  expect(answers['authorize-payment-api']).toMatchObject([{ status: 201, request: { body: { orderId: '{id 1}' } } }]);
  const data = JSON.stringify({ ...payment, state: 'voided', version: 8 });
  const reported = await runEstate(['swaps', 'report', 'payment', '--data', data, ...at]);
  expect(JSON.parse(reported.out)).toMatchObject({ changed: true, object: { state: 'voided' } });
});

test('The command call makes a call, checks with --dry-run whether it is possible, and prints the refusal of either', async () => {
  await using rehearsal = await newRehearsal();
  const { id } = await rehearsal.draft();
  const at = ['--rehearsal', rehearsal.name];
  const call = (...words: readonly string[]) => runEstate(['call', ...words, ...at]);
  const nia = ['create-customer-api', '--body', '{"email":"nia@example.test","firstName":"Nia"}'];
  const possible = await call(...nia, '--dry-run');
  expect([possible.code, possible.out]).toEqual([0, expect.stringMatching(/^It is possible\. It would answer 201:\n\nid {2,}cus_/)]);
  const inJson = JSON.parse((await call(...nia, '--dry-run', '--json')).out);
  expect(inJson).toMatchObject({ possible: true, status: 201, answer: { firstName: 'Nia' } });
  expect((await call(...nia)).out).toMatch(/^id {2,}cus_.*\n(?:.*\n)*first name {2,}Nia\n/);
  const refusals: readonly (readonly [readonly string[], number, string])[] = [
    [[...nia, '--dry-run'], 1, 'is already registered with this email'],
    [['confirm-order-api', id, '--dry-run'], 1, 'are neither authorised nor captured'],
    [['confirm-order-api', id], 1, 'are neither authorised nor captured'],
    [['get-order-api', id, '--dry-run'], 2, '--dry-run: Get Order changes nothing, so it has no dry run.'],
    [['get-order-api', id, '--body', '{}'], 2, 'get-order-api reads, so it takes no --body. Give --query.'],
    [['confirm-order-api'], 2, 'confirm-order-api takes one value (id) after its id, not 0: it is POST /orders/{id}/confirm.'],
    [
      ['create-basket-api', '{"channel":"web"}'],
      2,
      'create-basket-api takes nothing after its id, not 1: it is POST /baskets. Give a body as --body.',
    ],
    [['confrm-order-api', id], 2, 'There is no API confrm-order-api; did you mean confirm-order-api?'],
    [['confirm-order-api', '..'], 2, 'id: The path parameter "id" is "..", a step of a path.'],
    [['create-basket-api', '--body', '{"chanel":"web"}'], 2, '/chanel: '],
    [['get-order-api', id, '--bearer', 'wrong'], 2, 'give the right one with --bearer or ESTATE_BEARER_TOKEN.'],
    [['track-shipment-api', 'shp_1', '--api-key', 'wrong'], 2, 'give the right one with --api-key or ESTATE_API_KEY.'],
  ];
  for (const [words, code, sentence] of refusals) {
    expect([words, await call(...words)]).toEqual([words, { code, out: '', err: expect.stringContaining(sentence) }]);
  }
  expect((await rehearsal.object('order', id)).state).toBe('draft');
});

test('A command prints a table, and the answer of the estate with --json', async () => {
  await using rehearsal = await newRehearsal();
  const at = ['--rehearsal', rehearsal.name];
  const set = await runEstate(['fault', 'set', 'slow', '--application', 'oms', '--kind', 'latency', '--ms', '400', ...at]);
  expect(set).toMatchObject({ code: 0, err: '' });
  expect(await rehearsal.faults()).toMatchObject([{ name: 'slow', match: { application: 'oms' }, fault: { kind: 'latency', ms: 400 } }]);
  const shown = await runEstate(['fault', 'list', ...at]);
  expect(shown.out).toBe('name  fault            strikes          struck\nslow  latency, ms 400  application oms       0\n');
  const json = await runEstate(['fault', 'list', '--json', ...at]);
  expect(JSON.parse(json.out)).toMatchObject({ items: [{ name: 'slow', hits: 0 }] });
});

test('A command refuses a step of a path as an id or a name, and names its argument', async () => {
  const { code, out, err } = await runEstate(['objects', 'show', 'order', '..']);
  expect([code, out, err]).toEqual([2, '', expect.stringMatching(/^id: The path parameter "id" is "\.\.", a step of a path\. Give /)]);
});

test('The command rehearsals create takes own data from a file', async () => {
  await using rehearsal = await newRehearsal();
  const name = `${rehearsal.name}-own`;
  const file = await write('data.json', '\ufeff{"vouchers":[{"code":"VIP","$remove":true}]}');
  expect(await runEstate(['rehearsals', 'create', name, '--data', file])).toMatchObject({ code: 0, err: '' });
  expect((await rehearsal.control('read-rehearsal', { params: { name } })).data).toEqual({ vouchers: 1 });
  await rehearsal.control('delete-rehearsal', { params: { name } });
});

test('The commands of snapshots print the objects that differ, and a refused file with its places', async () => {
  await using rehearsal = await newRehearsal();
  const { id } = await rehearsal.draft();
  await rehearsal.settle();
  const name = `${rehearsal.name}-kept`;
  expect(await runEstate(['snapshot', 'save', name, rehearsal.name])).toMatchObject({ code: 0, err: '' });
  await rehearsal.authorisation(id);
  await rehearsal.confirm(id);
  await rehearsal.settle();
  const diff = await runEstate(['snapshot', 'diff', name, rehearsal.name]);
  expect(diff.out).toMatch(new RegExp(`^snapshot:${name} at .*\nrehearsal:${rehearsal.name} at `));
  expect(diff.out).toMatch(new RegExp(`\n~ order ${id} \\(.*\\)\n    state: draft → `));
  expect(diff.out).toMatch(/\n\+ payment pay_\w+.*\n {4}state: /);
  const { out } = await runEstate(['snapshot', 'download', name]);
  const changed = await write('changed.json', out.replace('"state": "draft"', '"state": "shiny"'));
  const { code, err } = await runEstate(['snapshot', 'upload', changed, '--dry-run', '--reseal']);
  expect([code, err]).toEqual([2, expect.stringMatching(/^\/applications\/.*\/object\/state: This must be one of draft, /)]);
  expect((await runEstate(['snapshot', 'upload', await write('kept.json', out), '--dry-run'])).out).toMatch(/\nkept +no\n/);
  await rehearsal.control('delete-snapshot', { params: { name } });
});

test('An option with a list collects its repetitions, and an option with one value refuses them', async () => {
  await using rehearsal = await newRehearsal();
  const at = ['--rehearsal', rehearsal.name];
  const set = ['webhooks', 'set', 'shop', 'http://localhost:3000/events', '--types', 'order-created', '--types', 'order-confirmed, ext.*'];
  expect(await runEstate([...set, ...at])).toMatchObject({ code: 0, err: '' });
  const shown = await rehearsal.control('read-webhook', { params: { name: 'shop' } });
  expect(shown.types).toEqual(['order-created', 'order-confirmed', 'ext.*']);
  expect(await runEstate(['journal', ...at, '--limit', '1', '--limit', '2'])).toEqual({
    code: 2,
    out: '',
    err: '--limit takes one value, and is given twice; remove one of them.\n',
  });
  expect((await runEstate(['webhooks', 'set', '--help'])).out).toMatch(/--types <words> .*separated\s+by\s+commas,\s+or\s+repeated/s);
});

test('The command journal prints bodies with --bodies only', async () => {
  await using rehearsal = await newRehearsal();
  await rehearsal.basket();
  await rehearsal.settle();
  const at = ['--rehearsal', rehearsal.name];
  expect((await runEstate(['journal', ...at])).out).not.toContain('"channel":"web"');
  const { out } = await runEstate(['journal', '--bodies', ...at]);
  expect(out).toMatch(/ {2}create-basket-api .*\n +request +\{.*"channel":"web",.*\n +response +\{.*"state":"open"/);
});

test('The command events wait ends with 1 when no event comes', async () => {
  await using rehearsal = await newRehearsal();
  const waited = await runEstate(['events', 'wait', 'order-confirmed', '--timeout-ms', '0', '--rehearsal', rehearsal.name]);
  expect(waited).toMatchObject({ code: 1, err: '' });
});

test('A command takes the rehearsal from its argument, from --rehearsal, or from ESTATE_REHEARSAL', async () => {
  await using rehearsal = await newRehearsal();
  for (const [args, env] of [
    [['rehearsals', 'reset', rehearsal.name], {}],
    [['rehearsals', 'reset', '--rehearsal', rehearsal.name], {}],
    [['rehearsals', 'reset'], { ESTATE_REHEARSAL: rehearsal.name }],
  ] as const) {
    const { out } = await runEstate([...args, '--json'], env);
    expect(JSON.parse(out)).toMatchObject({ name: rehearsal.name });
  }
});

test('The command fault set takes the name of a preset, and options that the preset leaves open', async () => {
  await using rehearsal = await newRehearsal();
  const at = ['--rehearsal', rehearsal.name];
  for (const args of [['payment-hub-down', '--times', '2'], ['card-payments-slow', '--kind', 'latency'], ['order-events-out-of-order']])
    expect(await runEstate(['fault', 'set', ...args, ...at])).toMatchObject({ code: 0, err: '' });
  expect((await rehearsal.faults()).map(({ hits: _hits, struck: _struck, ...rule }) => rule)).toEqual([
    { name: 'payment-hub-down', match: { application: 'payment-hub' }, fault: { kind: 'outage' }, times: 2 },
    { name: 'card-payments-slow', match: { api: 'authorize-payment-api' }, fault: { kind: 'latency', ms: 3_000 } },
    { name: 'order-events-out-of-order', match: { event: 'order-created' }, fault: { kind: 'reorder', within: 'P1D' } },
  ]);
});

test('The command fault set takes permitted and forbidden changes, and verify ends with 1 and names the forbidden one', async () => {
  await using rehearsal = await newRehearsal();
  const run = (...args: readonly string[]) => runEstate([...args, '--rehearsal', rehearsal.name]);
  const set = (name: string, kind: string, change: string) =>
    run('fault', 'set', name, '--api', 'get-order-api', '--kind', kind, '--change', change);
  expect(await set('tolerant', 'permitted', 'unknown-member')).toMatchObject({ code: 0, err: '' });
  expect(await run('verify')).toMatchObject({ code: 0 });
  expect(await set('total', 'forbidden', 'wrong-total')).toMatchObject({ code: 0, err: '' });
  expect((await rehearsal.faults()).map(({ fault }) => fault)).toEqual([
    { kind: 'permitted', change: 'unknown-member' },
    { kind: 'forbidden', change: 'wrong-total' },
  ]);
  const { code, out } = await run('verify');
  expect([code, out]).toEqual([1, expect.stringMatching(/^The rehearsal is not verified, .* by the fault total \(wrong-total\)\./)]);
  const { err } = await set('total', 'permitted', 'smallest-page');
  expect(err).toMatch(/^--change: The change "smallest-page" does not apply to get-order-api; choose one of unknown-member, /);
});

test('The command fault presets prints whole names on a narrow terminal', async () => {
  const { code, plain } = await runAtTerminal(`${COMMAND} fault presets`, { ESTATE_URL: estate.gateway });
  expect(code).toBe(0);
  for (const { id } of faultPresets) expect(plain).toMatch(new RegExp(`^${id} `, 'm'));
});

test.each([
  ['falt list', /^There is no command falt; did you mean fault\?\n$/],
  ['clock show --rehersal x', /^There is no option --rehersal; did you mean --rehearsal\?\n$/],
  ['dance', /^There is no command dance; estate --help lists them\.\n$/],
  [`clock show ${'x'.repeat(2_000)}`, /^estate clock show takes no argument, not x{200}…\.\n$/],
  ['x'.repeat(2_000), /^There is no command x{200}…; estate --help lists them\.\n$/],
  [`call create-basket-api --body ${'['.repeat(2_000)}`, /^--body \[{200}…: Give JSON, in single quotes\.\n$/],
  [`clock show --rehearsal ${'X'.repeat(2_000)}`, /^.{0,60}X{200}….{0,300}\n$/],
  ['clock show --against', /^--against needs a value: --against <url>\.\n$/],
  ['clock show me', /^estate clock show takes no argument, not me\.\n$/],
  ['stock count mug-blue', /^The argument locationId is missing; estate stock count --help shows an example\.\n$/],
  ['rehearsals create Bad_Name', /^name: This must have lower-case letters, digits and hyphens only, /],
  ['rehearsals create mine --data /dev/zero', /^\/dev\/zero cannot be read: it is a device or a socket, and must be a file\. Give/],
  [
    'rehearsals create mine --data nowhere.json',
    /^nowhere\.json cannot be read: the file does not exist\. Give a file with JSON, or JSON in single quotes\.\n$/,
  ],
  [
    'rehearsals create mine --data null',
    /^--data null: This must be an object, not null\. Give JSON in single quotes, or a file with JSON\.\n$/,
  ],
  ['rehearsals create mine --data 5', /^--data 5: This must be an object, not a number\. Give JSON/],
  [`rehearsals create mine --data ''`, /^--data: This is empty\. Give JSON in single quotes, or a file with JSON\.\n$/],
  ['sequence verify --sequence {}', /^--sequence {}: This must be a list, not an object\. Give JSON/],
  ['call get-order-api ord_1 --query []', /^--query \[\]: This must be an object, not a list\. Give JSON/],
  ['rehearsals create mine --data README.md', /^README\.md is not JSON: correct it, or fetch it again if it was cut off\.\n$/],
  ['fault set slow --application oms --kind outge', /^There is no kind outge; did you mean outage\?\n$/],
  [
    'fault set outge',
    /^There is no preset outge; did you mean --kind outage\? estate fault presets lists them\. A custom fault needs --kind\.\n$/,
  ],
  ['fault set xyz --times 2', /^There is no preset xyz\. estate fault presets lists them\./],
  ['fault set oms-dwn --application oms', /^There is no preset oms-dwn; did you mean oms-down\? estate fault presets/],
  [
    'fault set card-payments-slow --ms 500',
    /^--ms 500 contradicts the preset card-payments-slow, which is --api authorize-payment-api .*; leave --ms out, or give the fault another name\.\n$/,
  ],
  ['stream --topics hops,nope', /^There is no topic "nope"; choose from hops, events, clock, faults, runs, separated by commas\.\n$/],
  ['stream --from nope', /^"nope" is not a cursor\. Send the id of a frame, such as h118\.e42, or nothing to begin now\.\n$/],
  ['rehearse splt-tender', /^There is no scenario splt-tender; did you mean split-tender\?\n$/],
  ['clock show --rehearsal defualt', /^There is no rehearsal defualt; did you mean default\?\n$/],
  ['fault set slow --application oms --kind latency', /^--ms is required\.\n$/],
  ['fault set slow --kind outage', /^\/match: A fault needs a target: name an application, an api, an event or a webhook\.\n$/],
  ['events list --limit many', /^--limit many: Give a whole number from 1 to 1000\.\n$/],
  ['clock advance 15m', /^by: "15m" is not a duration of ISO 8601/],
  ['clock show --against localhost:8080', /^localhost:8080 is not the address of a gateway; did you mean http:\/\/localhost:8080\?\n$/],
  [
    'conform --application payment-hub --url 127.0.0.1:1',
    /^127\.0\.0\.1:1 is not the address of a system; did you mean http:\/\/127\.0\.0\.1:1\?\n$/,
  ],
  ['clock show --against ftp://estate', /^ftp:\/\/estate is not the address of a gateway, like http:\/\/127\.0\.0\.1:8080\.\n$/],
  ['clock show --against=', /^Nothing is not the address of a gateway, like http:\/\/127\.0\.0\.1:8080\.\n$/],
  ['clock show --rehearsal Bad_Name', /^--rehearsal Bad_Name: This must have lower-case letters, .* at most 40 characters\.\n$/],
  ['rehearsals delete Bad_Name', /^Bad_Name is not a valid name of a rehearsal; estate rehearsals list lists the existing ones\.\n$/],
  [
    'clock show --admin tökén',
    /^The credential in --admin or ESTATE_ADMIN_TOKEN cannot be sent: it takes visible ASCII without blanks\.\n$/,
  ],
  ['listen', /^Required option '--forward-to <url>' not specified\.\n$/],
  ['listen --forward-to localhost:3000', /^localhost:3000 is not the address of a receiver, like http:\/\/localhost:3000\/events\.\n$/],
  ['listen --forward-to http://h --types order-confrmed', /^There is no event order-confrmed; did you mean order-confirmed\?\n$/],
  ['listen --forward-to http://h --secret short', /^--secret short: A secret is whsec_ and the base64 text of 24 to 64 bytes\.\n$/],
  ['listen --forward-to http://h --from nope', /^nope is not a position\. Give h0\.e0 for all events, or the position /],
  ['start --port=', /^--port needs a value: --port <number>\.\n$/],
  ['clock show --admin bad', /^The estate refuses this credential for the control plane; .*--admin or ESTATE_ADMIN_TOKEN\.\n$/],
])('The command %s is refused with a remedy', async (line, sentence) => {
  const { code, out, err } = await runEstate(wordsOf(line));
  expect(err).toMatch(sentence);
  expect([code, out]).toEqual([2, '']);
});

/** Commands with a server of the test at their address end with 3 and this sentence. */
async function expectNoEstate(listener: RequestListener, commands: readonly string[], sentence: RegExp) {
  await using server = await serving(listener);
  for (const command of commands) {
    const { code, out, err } = await runEstate([...wordsOf(command), '--against', server.url]);
    expect(err).toMatch(sentence);
    expect([code, out]).toEqual([3, '']);
  }
}

test.each(['clock show', 'rehearse', 'doctor'])('The command %s recognises the touchpoint mock and its portal', async (command) => {
  for (const address of [estate.touchpoint, estate.portal]) {
    const { code, out, err } = await runEstate([...wordsOf(command), '--against', address]);
    expect(`${out}${err}`).toMatch(new RegExp(`${address} is the touchpoint mock or its portal, not the gateway of an estate\\.`));
    expect(code).toBe(command === 'doctor' ? 1 : 3);
  }
});

test.each(['clock show', 'rehearse', 'events tail'])('The command %s ends with 3 when nothing listens at the address', async (command) => {
  const err = 'No estate can be reached at http://127.0.0.1:1: nothing listens there. Check the address in --against or ESTATE_URL.\n';
  expect(await runEstate(wordsOf(command), { ESTATE_URL: 'http://127.0.0.1:1' })).toEqual({ code: 3, out: '', err });
});

test('A command whose connection breaks while it reads ends with 3', async () => {
  await using rehearsal = await newRehearsal();
  const clock = JSON.stringify(await rehearsal.control('read-clock'));
  const breaking: RequestListener = (request, response) => {
    if (request.url === '/_control/clock') response.writeHead(200, { 'content-type': 'application/json' }).end(clock);
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n', () => response.destroy());
  };
  const sentence = /^No answer came from the estate at http:\/\/127\.0\.0\.1:\d+: the connection was closed\.\n$/;
  await expectNoEstate(breaking, ['stream'], sentence);
});

test.each([
  ['a page', 404, 'text/html', '<html>'],
  ['other JSON', 200, 'application/json', '{"hello":"world"}'],
])('A command whose server answers with %s ends with 3', async (_what, status, type, body) => {
  const sentence = /^http:\/\/127\.0\.0\.1:\d+ is not an estate of this version: .*\. Check the address in --against or ESTATE_URL\.\n$/;
  await expectNoEstate(
    (_, response) => response.writeHead(status, { 'content-type': type }).end(body),
    ['clock show', 'rehearse'],
    sentence,
  );
});
