import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runEstate } from '../../support/command.ts';

const LIMIT_MS = 60_000;

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scenarios-'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
});

afterAll(() => rm(folder, { recursive: true }));

/** Writes a scenario with this body. @returns its file */
async function scenarioFile(name: string, body: string): Promise<string> {
  const file = join(folder, `${name}.js`);
  await writeFile(file, `export const s = { name: '${name}', title: 'A mistake', run: async (stage) => { ${body} } };`);
  return file;
}

/** Runs a scenario with this body, and after it one that passes when nothing is left of the first. */
async function runFollowed(name: string, body: string) {
  const files = [await scenarioFile(name, body), await scenarioFile(`after-${name}`, 'await globalThis.leftBehind; await stage.settle();')];
  const report = join(folder, `report-of-${name}`);
  const { code, err, out } = await runEstate(['rehearse', ...files, '--report', report, '--json']);
  const run = JSON.parse(out) as { readonly scenarios: readonly { readonly name: string; readonly failure?: string }[] };
  const failures = Object.fromEntries(run.scenarios.map((one) => [one.name, one.failure]));
  return { code, err, failures, junit: await readFile(join(report, 'junit.xml'), 'utf8') };
}

const UNTIL_STOPPED = 'for (;;) await stage.settle();';
const UNKNOWN = `{ title: 'Read nobody', call: 'GET /customers/nobody' }`;

describe('A scenario fails, those after it run, and the report is written, when', () => {
  test.each([
    [
      'a step without await fails',
      'no-await',
      `stage.step(${UNKNOWN}); ${UNTIL_STOPPED}`,
      'Nothing awaits a promise that failed: Read nobody: expected 2xx, got 404. There is no customer "nobody". Put await before the call that returns it.',
    ],
    [
      'its last step has no await',
      'no-last-await',
      `stage.step(${UNKNOWN});`,
      'The scenario ended before stage.step(“Read nobody”) did. Put await before that call.',
    ],
    [
      'a promise that nothing awaits fails as it ends',
      'rejection-at-end',
      `Promise.reject(new Error('lost'));`,
      'Nothing awaits a promise that failed: lost. Put await before the call that returns it.',
    ],
    [
      'a timer throws',
      'timer',
      `setTimeout(() => { throw new Error('too slow'); }, 1); ${UNTIL_STOPPED}`,
      'A timer or a listener failed: too slow. Wrap it in a promise, and await that.',
    ],
    [
      'it waits for a promise that nothing can settle',
      'in-vain',
      'await new Promise(() => {});',
      'It waits for something that can no longer happen: no timer, request or other work is left that could settle its promise. Resolve or reject each promise that it awaits.',
    ],
    [
      'it ends the process',
      'exit',
      'process.exit(0);',
      'It called process.exit(0), which would end the whole run. Return from run to pass, throw an Error to fail.',
    ],
    [
      'it ends the process by the imported function, in a timer',
      'imported-exit',
      `const { exit } = await import('node:process'); setTimeout(exit, 1); ${UNTIL_STOPPED}`,
      'It called process.exit(), which would end the whole run. Return from run to pass, throw an Error to fail.',
    ],
    [
      'a timer of it throws during a later scenario',
      'late-timer',
      `globalThis.leftBehind = new Promise((resolve) => setTimeout(() => { resolve(); throw new Error('too slow'); }, 300));`,
      'After its end: A timer or a listener failed: too slow. Wrap it in a promise, and await that.',
    ],
  ])(
    '%s',
    async (_condition, name, body, sentence) => {
      const { code, err, failures, junit } = await runFollowed(name, body);
      expect(failures).toEqual({ [name]: sentence, [`after-${name}`]: undefined });
      expect([code, err]).toEqual([1, '']);
      expect(junit).toMatch(/<testsuites name="[^"]+" tests="2" failures="1"/);
    },
    LIMIT_MS,
  );

  test(
    'it leaves an error after its line was printed, which is then corrected',
    async () => {
      const late = `globalThis.leftBehind = new Promise((resolve) => setTimeout(() => { resolve(); throw new Error('too slow'); }, 300));`;
      const files = [await scenarioFile('late', late), await scenarioFile('after-late', 'await globalThis.leftBehind;')];
      const { code, out } = await runEstate(['rehearse', ...files]);
      expect(out).toMatch(/^passed {2}late .*\nFAILED {2}late .*\n {2}After its end: A timer .*\npassed {2}after-late .*\n\n1 of 2 passed/);
      expect(code).toBe(1);
    },
    LIMIT_MS,
  );

  test(
    'it leaves an error after the run',
    async () => {
      const file = await scenarioFile('last', `setTimeout(() => { throw new Error('too slow'); }, 2_000);`);
      const { code, out } = await runEstate(['rehearse', file]);
      expect(out).toMatch(/1 of 1 passed in .*\nFAILED {2}last .*\n {2}After its end: A timer or a listener failed: too slow\..*\n$/);
      expect(code).toBe(1);
    },
    LIMIT_MS,
  );

  test(
    'it waits forever, even with a separate estate',
    async () => {
      const { code, out, err } = await runEstate(['rehearse', await scenarioFile('own-in-vain', 'await new Promise(() => {});')], {
        ESTATE_URL: '',
      });
      expect(out).toContain('failed It waits for something that can no longer happen: ');
      expect([code, err]).toEqual([1, '']);
    },
    LIMIT_MS,
  );
});

describe('A file of scenarios is refused before anything runs, when', () => {
  test.each([
    [
      'it waits for a promise that nothing can settle',
      'await new Promise(() => {});',
      'It waits for something that can no longer happen: ',
    ],
    ['it ends the process', 'process.exit(0);', 'It called process.exit(0), which would end the whole run.'],
    ['a promise that nothing awaits fails', `Promise.reject(new Error('lost'));`, 'Nothing awaits a promise that failed: lost.'],
  ])('%s', async (_condition, text, sentence) => {
    const file = join(folder, 'loaded.js');
    await writeFile(file, `${text} export const s = { name: 'loaded', title: 'A mistake', run: () => {} };`);
    const { code, out, err } = await runEstate(['rehearse', file]);
    expect(err).toContain(`${file} cannot be loaded: ${sentence}`);
    expect([code, out]).toEqual([2, '']);
  });
});

describe('A scenario in JavaScript that uses the stage wrongly fails with the mistake and the right call:', () => {
  const STEP = 'stage.step({ title, call, body, options, status, events }) was called with a mistake.';
  const mistakes: readonly (readonly [call: string, sentence: string])[] = [
    ['await stage.step();', `${STEP} step: This member is required.`],
    [`await stage.step('GET /customers/cus_ada');`, `${STEP} step: This must be an object, not text.`],
    [
      `await stage.step({ title: 'x', call: 'GET customers/cus_ada' });`,
      `${STEP} step.call: Write a method, one space and a path, such as POST /baskets.`,
    ],
    [`await stage.step({ title: 'x', call: 'GET /customers/cus_ada', expect: 404 });`, `${STEP} step.expect: This member is unknown.`],
    [
      `await stage.step({ title: 'x', call: 'GET /customers/cus_ada', events: 'order-created' });`,
      `${STEP} step.events: This must be a list, not text.`,
    ],
    [
      `await stage.together('x');`,
      'stage.together(title, [{ call, body, options }, …]) was called with a mistake. calls: This member is required.',
    ],
    [`stage.expect('x');`, 'stage.expect(what, actual, expected) was called with a mistake. actual: This argument is required.'],
    [
      'await stage.webhook();',
      'stage.webhook(title, { id, body, status, secret }) was called with a mistake. title: This member is required.',
    ],
    ['await stage.settel();', 'There is no operation of a stage settel; did you mean settle?'],
    ['stage.now().nothing.more;', `Cannot read properties of undefined (reading 'more').`],
  ];

  test(
    'each with its line',
    async () => {
      const scenarios = mistakes.map(
        ([call], place) => `export const s${place} = { name: 'mistake-${place}', title: 't', run: async (stage) => { ${call} } };`,
      );
      await writeFile(join(folder, 'mistakes.js'), scenarios.join('\n'));
      const { code, out } = await runEstate(['rehearse', join(folder, 'mistakes.js'), '--json']);
      const run = JSON.parse(out) as { readonly scenarios: readonly { readonly name: string; readonly failure?: string }[] };
      const said = Object.fromEntries(run.scenarios.map(({ name, failure }) => [name, failure]));
      const due = mistakes.map(([, sentence], place) => [`mistake-${place}`, `In line ${place + 1} of mistakes.js: ${sentence}`]);
      expect(said).toEqual(Object.fromEntries(due));
      expect(code).toBe(1);
    },
    LIMIT_MS,
  );

  test(
    'values without JSON are compared in words of their own, and what is no error is named',
    async () => {
      const bodies = [
        `stage.expect('big', 1n, 2n);`,
        `stage.expect('a set', new Map(), new Set());`,
        'throw undefined;',
        `throw new Error('');`,
      ];
      const scenarios = bodies.map(
        (body, place) => `export const s${place} = { name: 's${place}', title: 't', run: async (stage) => { ${body} } };`,
      );
      await writeFile(join(folder, 'values.js'), scenarios.join('\n'));
      const { out } = await runEstate(['rehearse', join(folder, 'values.js'), '--json']);
      const run = JSON.parse(out) as { readonly scenarios: readonly { readonly failure?: string }[] };
      expect(run.scenarios.map(({ failure }) => failure)).toEqual([
        'big: expected 2n, got 1n.',
        'a set: expected Set(0) {}, got Map(0) {}.',
        'It threw undefined, which is not an Error. Throw an Error that explains the failure.',
        'In line 4 of values.js: Error.',
      ]);
    },
    LIMIT_MS,
  );
});

describe('A file that exports something else than scenarios', () => {
  test.each([
    ['a-function.mjs', 'export default async function run() {}', 'exports a function as default, but no scenario; export an object with'],
    ['a-promise.mjs', 'export const s = Promise.resolve({});', 'exports a promise as s, but no scenario; export an object with'],
    [
      'no-run.mjs',
      `export const s = { name: 'a', title: 't', Run() {} };`,
      ': run of a scenario cannot be used: Give it a function that takes a',
    ],
    ['throws.mjs', 'throw undefined;', 'cannot be loaded: it throws undefined.'],
    ['esm.cjs', 'export const s = {};', 'cannot be loaded: it is an ES module with an extension of CommonJS; name it .mts or .mjs.'],
  ])('is refused with what it does: %s', async (name, text, sentence) => {
    await writeFile(join(folder, name), text);
    const { code, out, err } = await runEstate(['rehearse', join(folder, name)]);
    expect(err).toContain(`${name}${sentence.startsWith(':') ? '' : ' '}${sentence}`);
    expect([code, out]).toEqual([2, '']);
  });

  test('may put its scenarios into one object, as CommonJS does', async () => {
    const text = `module.exports = Object.fromEntries([['any', { name: 'in-cjs', title: 'CommonJS', run: (stage) => stage.settle() }]]);`;
    await writeFile(join(folder, 'one.cjs'), text);
    const { code, out, err } = await runEstate(['rehearse', join(folder, 'one.cjs')]);
    expect(out).toContain('1 of 1 passed');
    expect([code, err]).toEqual([0, '']);
  });
});
