import { expect, test } from '@jest/globals';
import { headersOfProblem } from '../../gateway/problems.ts';
import { Problem, type ProblemCode, problems, retryableAtTimes } from '../../shared/catalog/problems.ts';
import { answerProblem } from '../../shared/transport/answer.ts';
import { textOf, trackedFiles } from '../support/tracked-files.ts';

const codes = Object.keys(problems).toSorted();
const production = trackedFiles.filter((file) => /^(services|control|estate|gateway|shared)\/.*\.ts$/.test(file));
/** It has codes of RFC 6749. */
const OAUTH = 'docs/reference/credentials.md';
const prose = trackedFiles.filter((file) => file.endsWith('.md') && file !== OAUTH);

/** Helpers in the file of the table that create refusals. */
const HELPERS: Readonly<Record<string, RegExp>> = {
  not_found: /\bnotFound\(/,
  validation_failed: /\binvalid\(/,
  invalid_state_transition: /\b(?:refusal|refuseTransition)\(/,
  conflicting_repeat: /\bconflictingRepeat\(/,
};

const texts = production.filter((file) => file !== 'shared/catalog/problems.ts').map(textOf);
const thrown = new Set(texts.flatMap((text) => [...text.matchAll(/new (?:Edge)?Problem\(\s*'([a-z_]+)'/g)].map(([, code = '']) => code)));

const all = codes.map((code) => new Problem(code as ProblemCode, 'no'));
const ids = { requestId: 'r', correlationId: 'c' } as Parameters<typeof headersOfProblem>[1];

test('A retryable problem has a Retry-After of one second by default, from an application and from the gateway', () => {
  for (const problem of [...all, new Problem('invalid_state_transition', 'busy', { retryable: true })]) {
    const seconds = problem.retryable ? 1 : undefined;
    expect([problem.code, answerProblem(problem, '/').retryAfter]).toEqual([problem.code, seconds]);
    expect(headersOfProblem(problem, ids)['Retry-After']).toBe(seconds === undefined ? undefined : '1');
  }
});

test('A retryable problem keeps a Retry-After that the code sets', () =>
  expect(new Problem('store_full', 'full', { retryAfter: 30 }).retryAfter).toBe(30));

test('The table of problem codes contains every code of a refusal', () => {
  expect(thrown.size).toBeGreaterThan(20);
  expect([...thrown].filter((code) => !codes.includes(code))).toEqual([]);
});

test.each(codes)('The table of problem codes has only codes that a refusal uses: %s', (code) => {
  const helper = HELPERS[code];
  const used =
    texts.some((text) => text.includes(`'${code}'`) && refuses(text, code)) || (helper && texts.some((text) => helper.test(text)));
  expect(used ? code : `nothing refuses with ${code}: take it out of the table`).toBe(code);
});

test.each(codes)('The table of problem codes has a section for %s in the reference, with the code as its anchor', (code) =>
  expect(textOf('docs/reference/problems.md')).toContain(`\n### ${code}\n`),
);

test('The table of problem codes has every code that the documentation names after a status, with that status', () => {
  const named = prose.flatMap((file) =>
    [...textOf(file).matchAll(/\b([45]\d\d) `([a-z_]+)`/g)].map(([, status, code = '']) => ({ file, status: Number(status), code })),
  );
  const statusOf = (code: string): number | undefined => (problems as Readonly<Record<string, { status: number }>>)[code]?.status;
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ status, code }) => statusOf(code) !== status)).toEqual([]);
});

test('The table of problem codes marks every code that is retryable in a single refusal', () => {
  const refusals = texts.flatMap((text) => [...text.matchAll(/new Problem\(\s*'([a-z_]+)'(?:(?!new Problem\()[\s\S])*?\);\n/g)]);
  const retried = refusals.filter(([refusal]) => refusal.includes('retryable: true')).map(([, code = '']) => code as ProblemCode);
  expect(new Set(retried)).toContain('reservation_expired');
  expect(retried.filter((code) => !problems[code].retryable && !retryableAtTimes.has(code))).toEqual([]);
});

test('The table of problem codes makes server errors retryable, except internal errors and a full rehearsal', () => {
  const serverSide = Object.entries(problems).filter(([, { status }]) => status >= 500);
  expect(serverSide.filter(([, { retryable }]) => !retryable).map(([code]) => code)).toEqual(['internal_error', 'rehearsal_full']);
});

/** Whether a file does more than mention a code: it makes a problem of it. */
function refuses(text: string, code: string): boolean {
  return new RegExp(`Problem\\([^)]*'${code}'|return '${code}'|\\? '${code}'|: '${code}'|code: '${code}'|=> '${code}'`, 's').test(text);
}
