import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { apis } from '../../shared/catalog/apis.ts';
import type { ControlOperation } from '../../shared/catalog/control/define-operation.ts';
import { controlOperations } from '../../shared/catalog/control/operations.ts';
import type { ApiDefinition } from '../../shared/catalog/define.ts';
import { internalCalls } from '../../shared/catalog/internal-calls.ts';
import { exceededLimit, JSON_KINDS, JSON_LEVELS, JSON_MEMBERS } from '../../shared/domain/json-limits.ts';
import { anyCharacter } from '../support/any-character.ts';

/** The same limits, computed from the value. */
const levelsOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0;
const membersOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Math.max(Object.keys(value).length, ...Object.values(value).map(membersOf)) : 0;

const namedOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Math.max(Array.isArray(value) ? 0 : Object.keys(value).length, ...Object.values(value).map(namedOf))
    : 0;

const valuesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, one) => sum + valuesOf(one), Math.max(1, Object.keys(value).length))
    : 0;

const structural = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ':', 'a', '😀', '\ud800', '\n') });
const json = fc
  .oneof(
    fc.jsonValue({ maxDepth: 6, stringUnit: anyCharacter }),
    fc.array(structural, { maxLength: 8 }),
    fc.dictionary(structural, fc.array(fc.dictionary(structural, structural, { maxKeys: 4 }), { maxLength: 4 }), { maxKeys: 6 }),
  )
  .chain((value) => fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, 2)));

test('The limits of a JSON text apply to its value, regardless of the content of its strings', () => {
  fc.assert(
    fc.property(
      json,
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 12 }),
      (text, levels, members, values) => {
        const value: unknown = JSON.parse(text);
        const [isTooDeep, isTooWide] = [levelsOf(value) > levels, membersOf(value) > members];
        expect(exceededLimit(text, { levels }) !== undefined).toBe(isTooDeep);
        expect(exceededLimit(text, { levels, members }) !== undefined).toBe(isTooDeep || isTooWide);
        expect(exceededLimit(text, { levels: JSON_LEVELS, named: members }) !== undefined).toBe(namedOf(value) > members);
        expect(exceededLimit(text, { levels: JSON_LEVELS, values }) !== undefined).toBe(valuesOf(value) > values);
      },
    ),
    { numRuns: 500 },
  );
});

const object = (names: readonly string[]): string => `{${names.map((name) => `"${name}":1`).join(',')}}`;
const numbered = (count: number, prefix: string): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);
const rotated = (names: readonly string[], by: number): string[] => [...names.slice(by), ...names.slice(0, by)];

test.each([
  ['of the same members', Array(4_000).fill(object(numbered(20, 'm'))), undefined],
  [
    'of three kinds in turn',
    Array(2_000)
      .fill(numbered(3, 'k').map((prefix) => object(numbered(5, prefix))))
      .flat(),
    undefined,
  ],
  ['each with other names', numbered(800, 'n').map((prefix) => object(numbered(100, prefix))), 'kinds'],
  ['each with one other name', numbered(5_001, 'n').map((name) => object([name, 'x'.repeat(10)])), 'kinds'],
  ['with the same names in another order', numbered(100, '').map((by) => object(rotated(numbered(100, 'm'), Number(by)))), 'kinds'],
] as const)('The kinds of objects in a long JSON text are limited: objects %s', (_what, objects, expected) =>
  expect(exceededLimit(`[${objects.join(',')}]`, { levels: JSON_LEVELS, kinds: JSON_KINDS })).toBe(expected),
);

test('The limits of a JSON text are checked in invalid JSON without an endless loop or an exception', () => {
  fc.assert(
    fc.property(structural, (text) => {
      exceededLimit(text, { levels: JSON_LEVELS, members: JSON_MEMBERS, kinds: JSON_KINDS });
    }),
  );
});

const requests = [
  ...(Object.values({ ...apis, ...internalCalls }) as unknown as ApiDefinition[]).map(({ id, request }) => [id, request] as const),
  ...(Object.values(controlOperations) as readonly ControlOperation[]).map(({ id, request }) => [id, request] as const),
];

test.each(requests)('The external request %s bounds its lists within the limit of all bodies', (_id, request) => {
  const schema = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' });
  const lists = listsIn(schema, '');
  expect(lists.filter(({ most }) => most > JSON_MEMBERS)).toEqual([]);
});

function listsIn(schema: unknown, at: string): { at: string; most: number }[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { type, maxItems } = schema as { type?: unknown; maxItems?: unknown };
  const own = type === 'array' ? [{ at, most: typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY }] : [];
  return [...own, ...Object.entries(schema).flatMap(([name, part]) => listsIn(part, `${at}/${name}`))];
}
