import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { copyOfProject } from '../mutants/copy.ts';
import { eventually } from '../support/eventually.ts';
import { changed, guideBlocks } from '../support/guide.ts';
import { type Ended, runIn } from '../support/scratch-project.ts';
import { textOf } from '../support/tracked-files.ts';
import { bare, FREE_PORTS, started } from './started.ts';

/** The parts of the guide continue one another. */
const GUIDES = ['docs/contributing/add-an-application.md'];

/** The tests that compare the catalog with lists, and the tests that the guides write. */
const TESTS = [
  ...['completeness', 'catalog', 'openapi', 'asyncapi', 'generated-clients', 'compose', 'kubernetes', 'import-rule'].map(
    (name) => `tests/unit/${name}.test.ts`,
  ),
  'tests/unit/console/estate-map-layout.test.ts',
  'tests/services/repair-desk.test.ts',
];

/** What the project reports when the application is named, and when its object and its API are declared. The file comes after these steps. */
const REPORTS: Readonly<Record<string, { readonly command: readonly string[]; readonly named: readonly string[] }>> = {
  'shared/catalog/flows.ts': {
    command: ['node', '-e', 'import("./shared/catalog/flows.ts")'],
    named: ['shared/catalog/flows.ts: add a row to calls for repair-desk'],
  },
  'services/repair-desk/repairs.ts': {
    command: ['npx', 'jest', '--verbose', 'tests/unit/completeness', 'tests/unit/previous-state'],
    named: [
      'estate/registry.ts, `registeredApplications`: add repair-desk.',
      'services/<application>/README.md: add repair-desk.',
      'tests/services, calls of APIs: add open-repair-api.',
      'tests/flows/changing-requests.ts, `requests`: add open-repair-api.',
      'tests/flows/life-cycle-walks.ts, `walks`: add repair.',
      '✓ The change previous-state of the repair in ext.repair-changed is offered only if one of its states precedes another',
      'tests/flows/recorded-examples.test.ts, calls in `callApis`, recorded with RECORD_EXAMPLES=true: add open-repair-api.',
    ],
  },
};

function expectPassed(what: string, { code, out, err }: Ended): void {
  if (code !== 0) throw new Error(`${what} ended with ${code}:\n${`${out}\n${err}`.slice(-8_000)}`);
}

test('The guides for contributors add an application whose API answers, whose event arrives, and whose verb is explained', async () => {
  using copy = copyOfProject();
  const { folder } = copy;
  const run = (program: string, ...args: readonly string[]): Promise<Ended> => runIn(folder, program, args);
  // Tests list the files of the project by git.
  expectPassed('git init', await run('git', 'init', '--quiet'));

  const reports = new Map(Object.entries(REPORTS));
  for (const guide of GUIDES) {
    for (const { line, kind, file, text } of guideBlocks(textOf(guide))) {
      if (kind === 'commands') {
        expectPassed(`${guide}:${line}`, await run('bash', '-ec', text));
        continue;
      }
      const { command: [program = '', ...args] = [], named = [] } = reports.get(file) ?? {};
      reports.delete(file);
      if (program !== '') {
        const { out, err } = await run(program, ...args);
        for (const text of named) expect(`${out}\n${err}`).toContain(text);
      }
      const path = join(folder, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, kind === 'file' ? text : changed(readFileSync(path, 'utf8'), text));
    }
  }

  expectPassed(
    'biome check',
    await run('npx', 'biome', 'check', '--error-on-warnings', 'services', 'shared/catalog', 'control', 'tests/flows'),
  );
  expectPassed('tsc', await run('npx', 'tsc', '--noEmit'));
  expectPassed('npm test', await run('npx', 'jest', '--runTestsByPath', ...TESTS));
  const states = ['jest', 'tests/flows/life-cycles', 'tests/control/explanations', '--testNamePattern', 'repair|explained states'];
  expectPassed('npm test, states', await run('npx', ...states));

  await using estate = started(process.execPath, [join(folder, 'estate/main.ts')], { cwd: folder, env: { ...bare(), ...FREE_PORTS } });
  await estate.ready();
  const send = async (token: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const method = body ? 'POST' : 'GET';
    const response = await fetch(`${estate.gateway()}${path}`, { method, headers, body: body && JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as { readonly id: string; readonly items?: readonly object[] } };
  };
  const control = (path: string) => send('demo-control-token', `/_control${path}`);
  const opened = await send('demo-integration-token', '/repairs', { customerId: 'cus_ada', article: 'Desk lamp' });
  expect(opened).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^rpr_/), state: 'open' } });
  const { id } = opened.body;
  const event = await eventually(
    'the event',
    async () => (await control(`/events?type=repair-opened&subject=repair/${id}`)).body.items?.[0],
  );
  expect(event).toMatchObject({ event: { data: { object: { id, state: 'open' } } } });
  const move = { verb: 'complete', by: 'api', call: 'complete-repair-api', possible: true };
  expect((await control(`/explanations/repair/${id}`)).body).toMatchObject({ moves: [move] });
  const completed = await send('demo-integration-token', `/repairs/${id}/complete`, {});
  expect(completed).toMatchObject({ status: 200, body: { id, state: 'completed' } });
}, 900_000);
