import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { aFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { runIn } from '../support/scratch-project.ts';
import { rehearsalAt } from '../support/steps/rehearsal-at.ts';
import { textOf } from '../support/tracked-files.ts';
import { estateImage } from './estate-image.ts';
import { skipWithoutDocker, whyNoDocker } from './kafka.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>;
  readonly runs: {
    readonly steps: readonly { readonly if?: string; readonly run?: string; readonly env?: Readonly<Record<string, string>> }[];
  };
}
const action = parse(textOf('action.yml')) as Action;

test('The action passes every input to a step under its name in upper case', () => {
  const given = Object.assign({}, ...action.runs.steps.map(({ env = {} }) => env)) as Record<string, string>;
  const expected = Object.keys(action.inputs).map((name) => [name.toUpperCase().replaceAll('-', '_'), `\${{ inputs.${name} }}`]);
  expect(given).toEqual(Object.fromEntries(expected));
});

test('The action has the inputs that the documentation uses, and only its image is required', () => {
  const [, yaml = ''] = /```yaml action\n([\s\S]*?)```/.exec(textOf('docs/how-to/ci.md')) ?? [];
  const { steps } = parse(yaml) as { readonly steps: readonly { readonly with?: Readonly<Record<string, string>> }[] };
  const used = steps.flatMap(({ with: given = {} }) => Object.keys(given));
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter((name) => action.inputs[name] === undefined)).toEqual([]);
  expect(Object.entries(action.inputs).flatMap(([name, { required }]) => (required ? [name] : []))).toEqual(['image']);
});

if (whyNoDocker !== undefined) skipWithoutDocker('the action');
else {
  let folder: Awaited<ReturnType<typeof aFolder>>;
  let port: number;
  let set: Record<string, string>;
  beforeEach(async () => {
    [folder, port] = await Promise.all([aFolder(), freePort()]);
    set = {};
  });
  afterEach(async () => {
    if (set['ESTATE_CONTAINER'] !== undefined) await runIn(folder.path, 'docker', ['rm', '--force', '--volumes', set['ESTATE_CONTAINER']]);
    await folder.remove();
  });

  /** Runs the steps of the action as a runner does: in order, and after a failure only those with always(). @returns codes, output and summary */
  async function job(inputs: Readonly<Record<string, string>>) {
    const values: Readonly<Record<string, string>> = {
      ...Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default ?? ''])),
      ...inputs,
    };
    const filled = (text: string) => text.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, name: string) => values[name] ?? '');
    const isDue = (condition = '') =>
      condition.split(' && ').every((part) => {
        if (part === 'always()') return true;
        if (part.startsWith('env.')) return set['ESTATE_CONTAINER'] !== undefined;
        return part === '' || [...part.matchAll(/inputs\.(\w+) != ''/g)].some(([, name = '']) => values[name] !== '');
      });
    const results: { readonly code: number; readonly text: string }[] = [];
    for (const { if: condition = '', run, env = {} } of action.runs.steps) {
      const hasFailed = results.some(({ code }) => code !== 0);
      if (run === undefined || !isDue(condition) || (hasFailed && !condition.includes('always()'))) continue;
      const own = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filled(text)]));
      const files = { GITHUB_ENV: folder.at('env'), GITHUB_STEP_SUMMARY: folder.at('summary'), GITHUB_ACTION_PATH: PROJECT };
      const { code, out, err } = await runIn(folder.path, 'bash', ['-eo', 'pipefail', '-c', run], { ...set, ...own, ...files });
      results.push({ code, text: out + err });
      const lines = (await readFile(files.GITHUB_ENV, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
      set = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
    }
    return { results, summary: await readFile(folder.at('summary'), 'utf8').catch(() => '') };
  }
  const codes = ({ results }: Awaited<ReturnType<typeof job>>) => results.map(({ code }) => code);
  const textsOf = ({ results }: Awaited<ReturnType<typeof job>>) => results.map(({ text }) => text).join('\n');

  const FAIL = `curl -s -X PUT "$ESTATE_URL/_control/faults/broken" -H "Authorization: Bearer $ESTATE_ADMIN_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"match":{"application":"crm"},"fault":{"kind":"status","status":503}}' >/dev/null
curl -s "$ESTATE_URL/customers/cus_ada" -H "Authorization: Bearer $ESTATE_BEARER_TOKEN" -H 'X-Correlation-Id: the-failed-one'
`;

  test('The action runs a scenario and the tests of a project, and reports invariants and failed traces', async () => {
    const done = await job({ image: await estateImage(), port: String(port), scenarios: 'digital-order', run: FAIL });
    expect([codes(done), textsOf(done)]).toEqual([[0, 0, 0, 0, 0], expect.stringContaining('1 of 1 passed')]);
    expect(done.summary).toContain('## ✅ 1 of 1 scenarios passed');
    expect(done.summary).toContain('## ✅ All invariants hold');
    expect(done.summary).toMatch(/\| ✅ \| `default` \| (\d+) of \1 \| 1 \|/);
    expect(done.summary).toMatch(/GET \/customers\/cus\\_ada: 503<\/summary>[\s\S]*`the-failed-one`[\s\S]*```mermaid\nsequenceDiagram/);
    const report = (name: string) => readFile(folder.at('estate-report', name), 'utf8');
    expect(await report('junit.xml')).toContain('<testcase');
    expect(await report('journal.json')).toContain('the-failed-one');
    expect(await report('estate.log')).not.toBe('');
    expect(await runIn(folder.path, 'docker', ['inspect', set['ESTATE_CONTAINER'] ?? ''])).toMatchObject({ code: 1 });
  });

  test('The action fails with the tests of a project, after its report', async () => {
    const done = await job({ image: await estateImage(), port: String(port), run: 'exit 3' });
    expect([codes(done), textsOf(done)]).toEqual([[0, 3, 0, 0], expect.any(String)]);
    expect(done.summary).toContain('## ✅ All invariants hold');
  });

  test('The action without scenarios and tests leaves the estate to later steps, with its variables', async () => {
    const done = await job({ image: await estateImage(), port: String(port), variables: 'MAX_REHEARSALS=1\nLOG_LEVEL=debug' });
    expect([codes(done), textsOf(done)]).toEqual([[0], '']);
    const asked = await fetch(`${set['ESTATE_URL']}/_control/rehearsals`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${set['ESTATE_ADMIN_TOKEN']}`, 'Content-Type': 'application/json' },
      body: '{"name":"one-too-many"}',
    });
    expect([set['ESTATE_URL'], asked.status]).toEqual([`http://127.0.0.1:${port}`, 429]);
  });

  test('The report of the action fails for a rehearsal with parked work, and names it', async () => {
    await job({ image: await estateImage(), port: String(port) });
    const rehearsal = await rehearsalAt(set['ESTATE_URL'] ?? '', { warehouse: 'immediate' });
    await rehearsal.confirmed();
    await rehearsal.down('fms');
    await rehearsal.advance('P8D');
    const { code, out, err } = await runIn(folder.path, 'bash', [join(PROJECT, 'action/estate.sh'), 'report'], set);
    expect([code, err]).toEqual([1, `Invariants do not hold in ${rehearsal.name}.\n`]);
    expect(out).toContain('## ❌ Invariants do not hold in 1 of 2 rehearsals');
    expect(out).toMatch(new RegExp(`### ❌ ${rehearsal.name}\n\n- `));
  });

  test('The action names every wrong input together, and prints the log of an estate that does not start', async () => {
    const image = await estateImage();
    const wrong = await job({ image, port: 'web', fixtures: 'nowhere', variables: 'LOG_LEVEL: debug', run: 'true' });
    expect([codes(wrong), textsOf(wrong).split('\n')]).toEqual([
      [1],
      [
        'variables has the line "LOG_LEVEL: debug": write NAME=value, one variable a line.',
        'fixtures names nowhere, which is not a folder: check out the repository before this action.',
        'port is web: it takes a number.',
        '',
      ],
    ]);
    const broken = await job({ image, port: String(port), variables: 'LOG_LEVEL=loud', run: 'true' });
    expect([codes(broken), textsOf(broken)]).toEqual([[1], expect.stringMatching(/LOG_LEVEL=loud[\s\S]*is not ready. Its log is above/)]);
  });
}
