import { symlink } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { serving } from '../../conform/serving.ts';
import { COMMAND, MAIN, runAtTerminal, runEstate, runProgram } from '../../support/command.ts';
import { estate, newRehearsal } from '../../support/estate.ts';
import { scratchFolder } from './scratch.ts';

/** Escape sequences that clear the screen, set the window title, hide text, overwrite the line, and CSI in its one-byte form. */
const ATTACK = '\u001b[2J\u001b]0;owned\u0007\u001b[8mgone\rover\u009b2Jleft\u202eright';
const CLEAN = /gone ?overleftright/;
/** Everything but text and the colours of the command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is about them
const UNSAFE = /\u001b(?!\[\d{1,2}m)|\u001b\[8m|[\u0000-\u0008\u000b-\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f\u202a-\u202e]/;
const VIOLATED = { id: 'x', title: ATTACK, holds: false, checked: 1, violations: [ATTACK] };

const { at, write } = await scratchFolder();

/** Expects output without foreign escape sequences. The progress line may return to its start and clear itself. */
async function expectClean(command: string, env: Readonly<Record<string, string>> = {}) {
  const shown = await runAtTerminal(command, { FORCE_COLOR: '1', ESTATE_URL: estate.gateway, ...env });
  expect(shown.out).toMatch(CLEAN);
  expect(shown.out.replaceAll('\r\n', '\n').replaceAll('\u001b[1G\u001b[2K', '')).not.toMatch(UNSAFE);
  return shown;
}

/** A server that refuses everything with the attack, except for the given answers. */
const hostileServer = (answers: Readonly<Record<string, unknown>>) =>
  serving((request, response) => {
    const found = answers[request.url?.split('?')[0] ?? ''];
    response.writeHead(found === undefined ? 409 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { code: 'not_found', detail: ATTACK, status: 409 }));
  });

test.each([
  ['a refusal', 'clock show', {}],
  ['the readiness', 'rehearse', { '/readyz': { status: 'not ready', waitingFor: [ATTACK] } }],
  [
    'an invariant',
    'verify',
    { '/_control/verify': { settled: true, holds: false, complete: true, waitingFor: [], invariants: [VIOLATED], forbidden: [] } },
  ],
])('The escape sequences of %s do not reach the terminal', async (_what, command, answers) => {
  await using server = await hostileServer(answers);
  await expectClean(`${COMMAND} ${command} --against ${server.url}`);
});

test('The escape sequences of an object do not reach the terminal, and its value stays in its line', async () => {
  await using rehearsal = await newRehearsal();
  const body = { firstName: `Ada${ATTACK}`, lastName: 'Lane\nstate  blocked', email: 'escape@example.com' };
  const { id } = await rehearsal.api('create-customer-api', { body });
  const { plain } = await expectClean(`${COMMAND} objects show customer ${id} --rehearsal ${rehearsal.name}`, { FORCE_COLOR: '' });
  expect(plain).toMatch(/^.*Lane state {1,2}blocked$/m);
  const json = await runEstate(['objects', 'show', 'customer', String(id), '--json', '--rehearsal', rehearsal.name]);
  expect(json.out).not.toMatch(UNSAFE);
  expect(JSON.stringify(JSON.parse(json.out))).toContain(JSON.stringify(ATTACK).slice(1, -1));
});

test.each(['', '--verbose', '--list'])('The escape sequences of a scenario do not reach the terminal: rehearse %s', async (options) => {
  const run = 'run: async (stage) => { stage.expect("name", attack, attack); throw new Error(attack); }';
  await write('attack.js', `const attack = ${JSON.stringify(ATTACK)}; export const s = { name: 'attack', title: attack, ${run} };`);
  await expectClean(`${COMMAND} rehearse ${at('attack.js')} ${options}`);
});

test('The escape sequences of a refused variable do not reach the terminal', async () => {
  await expectClean(`${process.execPath} ${MAIN} start`, { LOG_LEVEL: ATTACK });
});

test('A command whose standard output is full ends with 1 and one sentence', async () => {
  const { code, err } = await runProgram('sh', ['-c', `${COMMAND} completion bash > /dev/full`]);
  expect([code, err]).toEqual([1, 'Standard output cannot be written: its disk is full. Free space, and repeat the command.\n']);
});

test('The command rehearse refuses a named pipe', async () => {
  await runProgram('mkfifo', [at('pipe.js')]);
  const { code, err } = await runEstate(['rehearse', at('pipe.js')]);
  expect([code, err]).toEqual([2, expect.stringContaining('cannot be loaded: it is a named pipe, and must be a file.')]);
});

test('The command rehearse refuses a device', async () => {
  await symlink('/dev/zero', at('device.js'));
  const { code, err } = await runEstate(['rehearse', at('device.js')]);
  expect([code, err]).toEqual([2, expect.stringContaining('cannot be loaded: it is a device or a socket, and must be a file.')]);
});

test('A command refuses a file with JSON in another encoding than UTF-8', async () => {
  const file = await write('latin-1.json', Buffer.from('{"products":[{"sku":"mug-blue","name":"Café"}]}', 'latin1'));
  const { code, err } = await runEstate(['rehearsals', 'create', 'latin-1', '--data', file, '--against', estate.gateway]);
  expect([code, err]).toEqual([2, expect.stringContaining('latin-1.json cannot be read: it is not UTF-8; save it in this encoding.')]);
});

test('The exported file of a rehearsal keeps every character of its data', async () => {
  await using rehearsal = await newRehearsal();
  const lastName = 'Lane \u2028 \u202e \u0085 ##[group]';
  await rehearsal.api('create-customer-api', { body: { firstName: 'Ada', lastName, email: 'export@example.com' } });
  const { out } = await runEstate(['rehearsals', 'export', rehearsal.name]);
  expect(JSON.stringify(JSON.parse(out))).toContain(lastName);
  expect(out).not.toMatch(/##\[|[\u0085\u2028\u202e]/);
});
