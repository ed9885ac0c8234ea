import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { IN_WORDS, mistakesIn } from '../../shared/contract/issue-words.ts';

const Kinds = z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal('delayed') }), z.strictObject({ kind: z.literal('twice') })]);
const found = (schema: z.ZodType, value: unknown) =>
  [...mistakesIn(schema.safeParse(value, IN_WORDS).error?.issues ?? [])].map(({ path, code, detail }) => [path.join('/'), code, detail]);

test.each<[title: string, schema: z.ZodType, value: unknown, code: string, detail: string]>([
  ['another type', z.string(), 7, 'invalid_type', 'This must be text, not a number.'],
  ['a fraction', z.int(), 1.5, 'invalid_type', 'This must be a whole number, not 1.5.'],
  ['null', z.array(z.string()), null, 'invalid_type', 'This must be a list, not null.'],
  ['nothing', z.boolean(), undefined, 'required', 'This member is required.'],
  ['nothing, where several forms are valid', z.union([z.string(), z.int()]), undefined, 'required', 'This member is required.'],
  ['no word', z.enum(['a', 'b']), undefined, 'invalid_value', 'This member is required: one of a, b.'],
  ['another word', z.enum(['a', 'b']), 'c', 'invalid_value', 'This must be one of a, b.'],
  ['another constant', z.literal('a'), 'c', 'invalid_value', 'This must be a.'],
  ['too little', z.int().min(1), 0, 'too_small', 'This must be at least 1.'],
  ['as much as the limit', z.number().gt(0), 0, 'too_small', 'This must be more than 0.'],
  ['too much', z.int().max(3), 4, 'too_big', 'This must be at most 3.'],
  ['more than whole numbers reach', z.int().max(3), 1e30, 'too_big', 'This must be at most 3.'],
  ['an empty text', z.string().min(1), '', 'too_small', 'This must not be empty.'],
  ['a long text', z.string().max(3), 'four', 'too_big', 'This must have at most 3 characters.'],
  ['a text of another length', z.string().length(3), 'four', 'too_big', 'This must have exactly 3 characters.'],
  ['too few items', z.array(z.int()).min(2), [1], 'too_small', 'This must have at least 2 items.'],
  ['another pattern', z.string().regex(/^[A-Z]+$/), 'a', 'invalid_format', 'This must match ^[A-Z]+$.'],
  ['no instant', z.iso.datetime(), 'today', 'invalid_format', 'This must be an instant in UTC such as 2026-03-01T10:00:00.000Z.'],
  ['another beginning', z.string().startsWith('cus_'), 'ord_1', 'invalid_format', 'This must begin with cus_.'],
  ['no multiple', z.int().multipleOf(5), 3, 'not_multiple_of', 'This must be a multiple of 5.'],
  [
    'none of several forms',
    z.union([z.string(), z.int()]),
    true,
    'invalid_union',
    'This has none of the valid forms: this must be text, not true; or this must be a whole number, not true.',
  ],
  ['a rule of the schema', z.string().refine(() => false, 'This must rhyme.'), 'a', 'does_not_fit', 'This must rhyme.'],
  [
    'a rule of the schema with a code',
    z.string().refine(() => false, { error: 'This must rhyme.', params: { code: 'no_rhyme' } }),
    'a',
    'no_rhyme',
    'This must rhyme.',
  ],
  ['what the schema words itself', z.string().min(1, 'Give it a name.'), '', 'too_small', 'Give it a name.'],
])('A validation error names %s', (_title, schema, value, code, detail) =>
  expect(found(z.object({ it: schema }), { it: value })).toEqual([['it', code, detail]]),
);

test('A validation error names an unknown kind', () =>
  expect(found(Kinds, { kind: 'early' })).toEqual([['kind', 'invalid_union', 'This must be one of delayed, twice.']]));

test('At most 1,000 mistakes of a value are described', () => {
  const names = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`x${n}`, 1]));
  expect(found(z.array(z.strictObject({})), [names, names]).length).toBe(1_000);
  expect(found(z.array(z.int()), Array(1_500).fill('')).length).toBe(1_000);
});

test('A validation error names each unknown member', () => {
  expect(found(z.strictObject({}), { a: 1, b: 2 })).toEqual([
    ['a', 'unknown_member', 'This member is unknown.'],
    ['b', 'unknown_member', 'This member is unknown.'],
  ]);
});
