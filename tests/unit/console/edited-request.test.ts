import { expect, test } from '@jest/globals';
import { differences, membersWith, parsed, replaced } from '../../../ui/activity/edited-request.ts';

test('The members with a redacted value are found, and take other values', () => {
  const body = { a: ['[redacted]', 1], b: { c: 'x [redacted]' }, d: null };
  expect(membersWith(body, '[redacted]')).toEqual(['/a/0', '/b/c']);
  expect(replaced(body, { '/a/0': 'y', '/b/c': 'z' })).toEqual({ a: ['y', 1], b: { c: 'z' }, d: null });
});

test('A text that is not JSON has an error in words, and an empty text has no value', () => {
  expect(parsed('{"a": }').error).toMatch(/^The body is not JSON: /);
  expect(parsed(' ')).toEqual({});
  expect(parsed('{"a": 1}')).toEqual({ value: { a: 1 } });
});

test('Two answers differ in members that are changed, added or absent', () => {
  expect(differences({ a: 1, b: [1, 2], c: {} }, { a: 2, b: [1], c: {}, d: 'x' })).toEqual([
    { pointer: '/a', was: '1', is: '2' },
    { pointer: '/b/1', was: '2', is: 'absent' },
    { pointer: '/d', was: 'absent', is: '"x"' },
  ]);
  expect(differences({ a: 1 }, { a: 1 })).toEqual([]);
  expect(differences(null, 'text')).toEqual([{ pointer: '', was: 'null', is: '"text"' }]);
});
