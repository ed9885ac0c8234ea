import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { runEstate } from '../../support/command.ts';
import { failuresIn, scenariosOf, scratchFolder } from './scratch.ts';

const { at, write } = await scratchFolder();

const UNTIL_STOPPED = 'for (;;) await stage.settle();';
const UNKNOWN = `{ title: 'Read nobody', call: 'GET /customers/nobody' }`;
const UNAWAITED = 'Nothing awaits a promise that failed';
const IN_VAIN = 'It waits for something that can no longer happen: ';
const SLOW = 'A timer or a listener failed: too slow. Wrap it in a promise, and await that.';
const LATE = `globalThis.leftBehind = new Promise((resolve) => setTimeout(() => { resolve(); throw new Error('too slow'); }, 2_000));`;

/** Writes a scenario, and a second one that passes if the first leaves nothing behind. */
const followed = async (body: string) => [
  await write('first.js', scenariosOf({ mistaken: body })),
  await write('second.js', scenariosOf({ after: 'await globalThis.leftBehind; await stage.settle();' })),
];

test.each([
  [
    'with a failing step without await',
    `stage.step(${UNKNOWN}); ${UNTIL_STOPPED}`,
    `${UNAWAITED}: Read nobody: expected 2xx, got 404. The customer`,
  ],
  [
    'whose last step has no await',
    `stage.step(${UNKNOWN});`,
    'The scenario ended before stage.step(“Read nobody”) did. Put await before that call.',
  ],
  [
    'with an unawaited promise that fails at its end',
    `Promise.reject(new Error('lost'));`,
    `${UNAWAITED}: lost. Put await before the call that returns it.`,
  ],
  ['whose timer throws', `setTimeout(() => { throw new Error('too slow'); }, 1); ${UNTIL_STOPPED}`, SLOW],
  ['whose timer throws during a later scenario', LATE, `After its end: ${SLOW}`],
  ['that waits for a promise that nothing can settle', 'await new Promise(() => {});', `${IN_VAIN}no timer, request or other work is left`],
  [
    'that ends the process',
    'process.exit(0);',
    'It called process.exit(0), which would end the whole run. Return from run to pass, throw an Error to fail.',
  ],
  [
    'that ends the process by the imported function, in a timer',
    `const { exit } = await import('node:process'); setTimeout(exit, 1); ${UNTIL_STOPPED}`,
    'It called process.exit(), which would end the whole run. ',
  ],
])('A scenario %s fails, the next one runs, and the report is written', async (_condition, body, sentence) => {
  const { code, err, out } = await runEstate(['rehearse', ...(await followed(body)), '--report', at('report'), '--json']);
  expect(failuresIn(out)).toEqual({ mistaken: expect.stringContaining(sentence), after: undefined });
  expect([code, err]).toEqual([1, '']);
  expect(await readFile(at('report', 'junit.xml'), 'utf8')).toMatch(/<testsuites name="[^"]+" tests="2" failures="1"/);
});

test('The printed line of a scenario is corrected when an error comes later, during the run and after it', async () => {
  const during = await runEstate(['rehearse', ...(await followed(LATE))]);
  expect(during.out).toMatch(
    /^passed {2}mistaken .*\nFAILED {2}mistaken .*\n {2}After its end: A timer .*\npassed {2}after .*\n\n1 of 2 passed/,
  );
  const last = await write('last.js', scenariosOf({ last: `setTimeout(() => { throw new Error('too slow'); }, 2_000);` }));
  const after = await runEstate(['rehearse', last]);
  expect(after.out).toMatch(/1 of 1 passed in .*\nFAILED {2}last .*\n {2}After its end: A timer or a listener failed: too slow\..*\n$/);
  expect([during.code, after.code]).toEqual([1, 1]);
});

test('A scenario that waits forever fails on a separate estate', async () => {
  const file = await write('own.js', scenariosOf({ own: 'await new Promise(() => {});' }));
  const { code, out, err } = await runEstate(['rehearse', file], { ESTATE_URL: '' });
  expect(out).toContain(`failed ${IN_VAIN}`);
  expect([code, err]).toEqual([1, '']);
});

const STEP = 'stage.step({ title, call, body, options, status, events }) was called with a mistake.';
const mistakes: readonly (readonly [call: string, sentence: string])[] = [
  ['await stage.step();', `${STEP} step: This member is required.`],
  [`await stage.step('GET /customers/cus_ada');`, `${STEP} step: This must be an object, not text.`],
  [
    `await stage.step({ title: 'x', call: 'GET customers' });`,
    `${STEP} step.call: Write a method, one space and a path, such as POST /baskets.`,
  ],
  [`await stage.step({ title: 'x', call: 'GET /customers/cus_ada', expect: 404 });`, `${STEP} step.expect: This member is unknown.`],
  [`await stage.step({ title: 'x', call: 'GET /customers/cus_ada', events: 'x' });`, `${STEP} step.events: This must be a list, not text.`],
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
  [`throw new Error('');`, 'Error.'],
];
const unplaced: readonly (readonly [call: string, sentence: string])[] = [
  [`stage.expect('big', 1n, 2n);`, 'big: expected 2n, got 1n.'],
  [`stage.expect('a set', new Map(), new Set());`, 'a set: expected Set(0) {}, got Map(0) {}.'],
  ['throw undefined;', 'It threw undefined, which is not an Error. Throw an Error that explains the failure.'],
];

test('A wrong use of the stage is named with its line and the right call', async () => {
  const all = [...mistakes.map(([call, sentence], n) => [call, `In line ${n + 1} of mistakes.js: ${sentence}`] as const), ...unplaced];
  const file = await write('mistakes.js', scenariosOf(Object.fromEntries(all.map(([call], n) => [`mistake-${n}`, call]))));
  const { code, out } = await runEstate(['rehearse', file, '--json']);
  expect(failuresIn(out)).toEqual(Object.fromEntries(all.map(([, sentence], n) => [`mistake-${n}`, sentence])));
  expect(code).toBe(1);
});

const S = scenariosOf({ loaded: '' });
test.each([
  ['waits.js', `await new Promise(() => {}); ${S}`, `cannot be loaded: ${IN_VAIN}`],
  ['exits.js', `process.exit(0); ${S}`, 'cannot be loaded: It called process.exit(0), which would end the whole run.'],
  ['rejects.js', `Promise.reject(new Error('lost')); ${S}`, `cannot be loaded: ${UNAWAITED}: lost.`],
  ['a-function.mjs', 'export default async function run() {}', 'exports a function as default, but no scenario; export an object with'],
  ['a-promise.mjs', 'export const s = Promise.resolve({});', 'exports a promise as s, but no scenario; export an object with'],
  [
    'no-run.mjs',
    `export const s = { name: 'a', title: 't', Run() {} };`,
    ': run of a scenario cannot be used: Give it a function that takes a',
  ],
  ['throws.mjs', 'throw undefined;', 'cannot be loaded: it throws undefined.'],
  ['esm.cjs', 'export const s = {};', 'cannot be loaded: it is an ES module with an extension of CommonJS; name it .mts or .mjs.'],
])('The file %s is refused before anything runs', async (name, text, sentence) => {
  const { code, out, err } = await runEstate(['rehearse', await write(name, text)]);
  expect(err).toContain(`${name}${sentence.startsWith(':') ? '' : ' '}${sentence}`);
  expect([code, out]).toEqual([2, '']);
});

test('A CommonJS file may export its scenarios in one object', async () => {
  const text = `module.exports = Object.fromEntries([['any', { name: 'in-cjs', title: 'CommonJS', run: (stage) => stage.settle() }]]);`;
  const { code, out, err } = await runEstate(['rehearse', await write('one.cjs', text)]);
  expect([code, err, out]).toEqual([0, '', expect.stringContaining('1 of 1 passed')]);
});
