import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { COMMAND, MAIN, runAtTerminal, runEstate, runProgram } from '../../support/command.ts';
import { estate, newRehearsal } from '../../support/estate.ts';

/** Clears the screen, sets the title of the window, hides what follows, writes over the line, and the one-byte form of CSI. */
const ATTACK = '\u001b[2J\u001b]0;owned\u0007\u001b[8mgone\rover\u009b2Jleft\u202eright';
const CLEAN = /gone ?overleftright/;
/** What a terminal of ours may get: text, and the colours of this command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is about them
const UNSAFE = /\u001b(?!\[\d{1,2}m)|\u001b\[8m|[\u0000-\u0008\u000b-\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f\u202a-\u202e]/;

/** What a command wrote. The progress returns to the beginning of its own line and clears it. */
const written = (out: string): string => out.replaceAll('\r\n', '\n').replaceAll('\u001b[1G\u001b[2K', '');

describe('A terminal gets no escape sequence of data', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'escapes-'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** A server that refuses everything with the attack, or answers what a test gives. */
  async function aLiar(answers: Readonly<Record<string, unknown>> = {}) {
    const server = createServer((request, response) => {
      const path = request.url?.split('?')[0] ?? '';
      const found = answers[path];
      response.writeHead(found === undefined ? 409 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(found ?? { code: 'not_found', detail: ATTACK, status: 409 }));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, [Symbol.asyncDispose]: async () => void server.close() };
  }

  test.each([
    ['of a refusal', 'clock show', {}],
    ['of the readiness', 'rehearse', { '/readyz': { status: 'not ready', waitingFor: [ATTACK] } }],
    [
      'of an invariant',
      'verify',
      {
        '/_control/verify': {
          settled: true,
          holds: false,
          waitingFor: [],
          invariants: [{ id: 'x', title: ATTACK, holds: false, checked: 1, violations: [ATTACK] }],
        },
      },
    ],
  ])('%s', async (_what, command, answers) => {
    await using liar = await aLiar(answers);
    const { out } = await runAtTerminal(`${COMMAND} ${command} --against ${liar.url}`, { FORCE_COLOR: '1' });
    expect(out).toMatch(CLEAN);
    expect(written(out)).not.toMatch(UNSAFE);
  });

  test('of an object, whose value stays in its line', async () => {
    await using rehearsal = await newRehearsal();
    const { id } = await rehearsal.api('create-customer-api', {
      body: { firstName: `Ada${ATTACK}`, lastName: 'Lane\nstate  blocked', email: 'escape@example.com' },
    });
    const shown = await runAtTerminal(`${COMMAND} objects show customer ${id} --rehearsal ${rehearsal.name}`, {
      ESTATE_URL: estate.gateway,
    });
    expect(shown.out).toMatch(CLEAN);
    expect(written(shown.out)).not.toMatch(UNSAFE);
    expect(shown.plain).toMatch(/^.*Lane state {1,2}blocked$/m);
    const json = await runEstate(['objects', 'show', 'customer', String(id), '--json', '--rehearsal', rehearsal.name]);
    expect(json.out).not.toMatch(UNSAFE);
    expect(JSON.stringify(JSON.parse(json.out))).toContain(JSON.stringify(ATTACK).slice(1, -1));
  });

  test('of a scenario, of its name, and of its failure', async () => {
    const file = join(folder, 'attack.js');
    const attack = JSON.stringify(ATTACK);
    await writeFile(
      file,
      `const attack = ${attack};
      export const s = { name: 'attack', title: attack, run: async (stage) => {
        stage.expect('name', attack, attack);
        throw new Error(attack);
      } };`,
    );
    for (const options of ['', '--verbose', '--list']) {
      const { out } = await runAtTerminal(`${COMMAND} rehearse ${file} ${options}`, { FORCE_COLOR: '1', ESTATE_URL: estate.gateway });
      expect(out).toMatch(CLEAN);
      expect(written(out)).not.toMatch(UNSAFE);
    }
  });

  test('of a variable that the start refuses', async () => {
    const { out } = await runAtTerminal(`${process.execPath} ${MAIN} start`, { LOG_LEVEL: ATTACK });
    expect(out).toMatch(CLEAN);
    expect(written(out)).not.toMatch(UNSAFE);
  });
});

describe('A command says in a sentence that', () => {
  test('its standard output is full', async () => {
    const { code, err } = await runProgram('sh', ['-c', `${COMMAND} completion bash > /dev/full`]);
    expect([code, err]).toEqual([1, 'Standard output cannot be written: its disk is full. Free space, and repeat the command.\n']);
  });

  test('a scenario file is a named pipe', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pipe-'));
    try {
      await runProgram('mkfifo', [join(folder, 'pipe.js')]);
      const { code, err } = await runEstate(['rehearse', join(folder, 'pipe.js')]);
      expect([code, err]).toEqual([2, expect.stringContaining('is a named pipe; name a file.')]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
