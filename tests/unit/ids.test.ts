import { expect, test } from '@jest/globals';
import { randomToken } from '../../shared/domain/ids.ts';

test('A random token has 128 bits, and thousands of tokens are all different', () => {
  const tokens = Array.from({ length: 5_000 }, randomToken);
  expect(tokens.filter((token) => !/^[0-9a-f]{32}$/.test(token))).toEqual([]);
  expect(new Set(tokens).size).toBe(tokens.length);
});
