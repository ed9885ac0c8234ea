import { expect, test } from '@jest/globals';
import { compareChecks } from '../../rehearsal/harden/check.ts';
import { type BookEntry, effectsOf } from '../../rehearsal/harden/effects.ts';
import { remedyOf } from '../../rehearsal/harden/findings.ts';
import type { Family } from '../../rehearsal/harden/run.ts';
import { type Hop, isCutShort, undeliveredTo } from '../../rehearsal/harden/sites.ts';
import { type Facts, judge, judgeRepetition, type Story } from '../../rehearsal/harden/verdict.ts';

const before: readonly BookEntry[] = [
  { book: 'points', entry: 'loy_ada', value: 500 },
  { book: 'stock', entry: 'mug-blue on hand', value: 10 },
];
const ordered = (orders: number): readonly BookEntry[] => [
  { book: 'objects', entry: 'order confirmed', value: orders },
  { book: 'money', entry: 'captured', value: 1_000 * orders },
  { book: 'points', entry: 'loy_ada', value: 500 + 10 * orders },
  { book: 'stock', entry: 'mug-blue on hand', value: 10 - orders },
];

const remains = (...entries: readonly string[]): readonly BookEntry[] => entries.map((entry) => ({ book: 'objects', entry, value: 1 }));

const story = (after: readonly BookEntry[], more: Partial<Story> = {}): Story => ({
  rehearsal: 'r-1',
  startsAt: '2026-03-02T10:00:00Z',
  exitCode: 0,
  ms: 100,
  check: '{"orders":1}',
  effects: effectsOf(before, after),
  broken: [],
  ...more,
});

const facts = (more: Partial<Facts> = {}): Facts => ({ cell: { family: 'lost-answers', misfortune: 'lost-504' }, hits: 1, ...more });

const baseline = story(ordered(1));

function verdictOf(tried: Story, more: Partial<Facts> = {}): string {
  const judged = judge(baseline, tried, facts(more));
  return 'needsRepetition' in judged ? `${judged.needsRepetition.verdict}?` : judged.verdict;
}

test.each<[verdict: string, what: string, tried: Story, more?: Partial<Facts>]>([
  ['survived', 'an equal story', story(ordered(1))],
  ['survived', 'a cancelled draft beside the order', story([...ordered(1), { book: 'objects', entry: 'order cancelled', value: 1 }])],
  ['twice', 'a second order', story(ordered(2))],
  ['twice', 'a second order of a command that failed', story(ordered(2), { exitCode: 1 })],
  ['silent', 'success without an order', story(before)],
  ['wrong', 'another check', story(ordered(1), { check: '{"orders":2}' })],
  ['wrong', 'a violated invariant', story(ordered(1), { broken: ['Money agrees'] })],
  ['stuck', 'a command that was stopped', story(ordered(1), { exitCode: undefined })],
  ['failed-cleanly', 'a failure that left nothing', story(before, { exitCode: 1 })],
  ['half?', 'a command that failed before it reduced the order', story(ordered(2), { exitCode: 1 }), { isCutShort: true }],
  ['silent', 'success without the reduction of the order', story(ordered(2)), { isCutShort: true }],
  [
    'failed-cleanly',
    'a failure that left a basket of a guest, and stock that is free again',
    story([...before, ...remains('basket abandoned', 'customer anonymous', 'reservation released', 'reservation expired')], {
      exitCode: 1,
    }),
  ],
  ['half?', 'a failure that left reserved stock', story([...before, ...remains('reservation confirmed')], { exitCode: 1 })],
  ['survived', 'a second guest', story([...ordered(1), ...remains('customer anonymous', 'basket open')])],
  ['half?', 'a failure after the order was carried out', story(ordered(1), { exitCode: 1 })],
  ['not-struck', 'a misfortune that did not happen', story(ordered(1)), { hits: 0 }],
  ['silent', 'an accepted forgery', story(ordered(1)), { cell: { family: 'forged', misfortune: 'bad-signature' }, forgedStatus: 204 }],
  ['survived', 'a refused forgery', story(ordered(1)), { cell: { family: 'forged', misfortune: 'bad-signature' }, forgedStatus: 401 }],
  [
    'survived',
    'a refused forgery of a command that ended before the event was sent again',
    story(ordered(1), { check: '{"orders":0}' }),
    { cell: { family: 'forged', misfortune: 'bad-signature' }, forgedStatus: 401, isUndelivered: true },
  ],
  [
    'wrong',
    'a refused forgery of a receiver that got the event later and dropped it',
    story(ordered(1), { check: '{"orders":0}' }),
    { cell: { family: 'forged', misfortune: 'bad-signature' }, forgedStatus: 401 },
  ],
  [
    'not-struck',
    'a late event that came after the command had ended',
    story(ordered(1), { check: '{"orders":0}' }),
    { cell: { family: 'delivery', misfortune: 'late' }, isUndelivered: true },
  ],
  [
    'failed-cleanly',
    'a command that gave up waiting for an event after a refused forgery',
    story(ordered(1), { exitCode: 1 }),
    { cell: { family: 'forged', misfortune: 'bad-signature' }, forgedStatus: 401 },
  ],
  [
    'wrong',
    'a failure under a permitted change',
    story(before, { exitCode: 1 }),
    { cell: { family: 'permitted', misfortune: 'unknown-member' } },
  ],
  [
    'survived',
    'a forbidden answer that makes the command fail',
    story(ordered(1), { exitCode: 1 }),
    { cell: { family: 'forbidden', misfortune: 'html-body' } },
  ],
  [
    'failed-cleanly',
    'a failure while an event was late',
    story(ordered(1), { exitCode: 1 }),
    { cell: { family: 'delivery', misfortune: 'late' } },
  ],
])('The verdict is %s for %s', (verdict, _what, tried, more = {}) => {
  expect(verdictOf(tried, more)).toBe(verdict);
});

test('A second refund counts as twice, although it takes back points', () => {
  const refunded = (amount: number, points: number): Story =>
    story(
      [...ordered(1), { book: 'money', entry: 'refunded', value: amount }].map((one) =>
        one.book === 'points' ? { ...one, value: points } : one,
      ) as BookEntry[],
    );
  const judged = judge(refunded(500, 505), refunded(1_000, 500), facts());
  expect('verdict' in judged && judged.verdict).toBe('twice');
});

const calls = (...calls: readonly [api: string, status: number, more?: Partial<Hop>][]): readonly Hop[] =>
  calls.map(([api, status, more], index) => ({
    requestId: `req-${index}`,
    correlationId: 'c',
    sequence: index + 1,
    application: 'oms',
    api,
    method: 'POST',
    path: '/',
    status,
    startedAt: '2026-03-02T10:00:00.000Z',
    at: '2026-03-02T10:00:00.000Z',
    durationMs: 1,
    calls: [],
    faults: [],
    ...more,
  }));

test('A story is cut short when changes are missing and none was made more often', () => {
  const whole = calls(['create-order-api', 201], ['confirm-order-api', 200], ['change-order-api', 200]);
  const isShort = (tried: readonly Hop[], lost = true) =>
    isCutShort(whole, tried, { struck: new Set(tried.filter(({ status }) => status === 504).map(({ requestId }) => requestId)), lost });
  expect(isShort(calls(['create-order-api', 201], ['confirm-order-api', 504]))).toBe(true);
  expect(isShort(calls(['create-order-api', 201], ['confirm-order-api', 504], ['confirm-order-api', 200, { unchanged: 'Stored.' }]))).toBe(
    true,
  );
  expect(isShort(calls(['create-order-api', 201], ['confirm-order-api', 504], ['confirm-order-api', 200]))).toBe(false);
  expect(isShort(calls(['create-order-api', 201], ['confirm-order-api', 504], ['confirm-order-api', 200]), false)).toBe(true);
  expect(isShort(calls(['create-order-api', 201], ['create-basket-api', 201]))).toBe(false);
  expect(isShort(whole)).toBe(false);
});

test('A client that acts twice after a broken answer is advised to keep its key, and a receiver to remember the event', () => {
  const remedy = (family: Family) =>
    remedyOf({ id: 'C1', site: 'confirm-order-api#1', family, misfortune: '', label: '', verdict: 'twice' });
  expect(remedy('forbidden')).toContain('Idempotency-Key of its first try');
  expect(remedy('delivery')).toContain('Remember each webhook-id');
});

test('An event that a receiver could not get, because it had ended, is undelivered', () => {
  const attempts = (...all: readonly [event: string, status: number][]) =>
    calls(...all.map(([parentId, status]): [string, number, Partial<Hop>] => ['webhook:copy', status, { parentId }]));
  expect(undeliveredTo('copy', attempts(['one', 401], ['two', 204], ['one', 0], ['one', 0]))).toBe(1);
  expect(undeliveredTo('copy', attempts(['one', 401], ['one', 0], ['one', 204]))).toBe(0);
  expect(undeliveredTo('copy', attempts(['one', 401], ['one', 500]))).toBe(0);
  expect(undeliveredTo('other', attempts(['one', 0]))).toBe(0);
});

test('A failure is clean when one repetition completes it', () => {
  const half = { verdict: 'half', reason: 'left', differences: [] } as const;
  expect(judgeRepetition(baseline, story(ordered(1)), half).verdict).toBe('failed-cleanly');
  expect(judgeRepetition(baseline, story(ordered(2)), half).verdict).toBe('half');
  expect(judgeRepetition(baseline, story(ordered(1), { exitCode: 1 }), half).verdict).toBe('half');
});

test('Checks are compared without ids, without the name of the rehearsal, and relative to the start', () => {
  const one = {
    text: '{"order":"ord_01KJPZV2807YR4VBS5BP9HHX6N","in":"r-1","at":"2026-03-02T10:05:00Z","day":"2026-03-02"}',
    rehearsal: 'r-1',
    startsAt: '2026-03-02T10:00:00Z',
  };
  const other = {
    text: '{"order":"ord_01KJPZV280EFRXCF5VMNPP3NTR","in":"r-2","at":"2026-03-08T10:05:00Z","day":"2026-03-08"}',
    rehearsal: 'r-2',
    startsAt: '2026-03-08T10:00:00Z',
  };
  expect(compareChecks(one, other)).toEqual([]);
  expect(compareChecks(one, { ...other, text: other.text.replace('10:05', '10:06') })).toHaveLength(1);
});
