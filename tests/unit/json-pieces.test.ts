import { expect, test } from '@jest/globals';
import { assert, jsonValue, property } from 'fast-check';
import { inOneSlice } from '../../shared/domain/breathe.ts';
import { canonicalJson } from '../../shared/domain/canonical-json.ts';
import { canonicalPieces, jsonPieces, parsedInPieces } from '../../shared/domain/json-pieces.ts';

/** A value as long as the file of a snapshot, with `inner` in its rows. */
const long = (inner: unknown) => ({
  applications: {
    oms: { objects: { orders: Array.from({ length: 60 }, (_, n) => ({ n, text: `"\\\u{1f600}${'x'.repeat(600)}`, inner })) } },
  },
  none: {},
  events: [],
  single: [{ text: 'y'.repeat(20_000) }],
  ['"\\']: 'z'.repeat(40_000),
  last: [inner],
});

test('JSON in pieces is the same text as JSON in one piece', () => {
  assert(
    property(jsonValue(), (inner) => {
      expect([...jsonPieces(long(inner))].join('')).toBe(JSON.stringify(long(inner)));
      expect([...canonicalPieces(long(inner))].join('')).toBe(canonicalJson(long(inner)));
    }),
    { numRuns: 20 },
  );
  expect([...jsonPieces({ a: undefined, b: { c: undefined }, d: [undefined] })].join('')).toBe('{"b":{},"d":[null]}');
});

test('JSON that is parsed in pieces is the same value', async () => {
  for (const inner of [null, 1.5e-7, '}],"', { '[': ']', a: [[], {}, true] }, Array.from({ length: 9_000 }, (_, n) => n)]) {
    const text = JSON.stringify(long(inner));
    expect(JSON.stringify(await parsedInPieces(Buffer.from(text), inOneSlice))).toBe(text);
  }
  const own = (await parsedInPieces(Buffer.from(`{"__proto__":"${'x'.repeat(20_000)}"}`), inOneSlice)) as object;
  expect(Object.keys(own)).toEqual(['__proto__']);
});
