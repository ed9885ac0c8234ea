import { expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { canonicalJson } from '../../shared/domain/canonical-json.ts';
import { anyCharacter } from '../support/any-character.ts';

test('Canonical JSON follows RFC 8785 for any JSON value', () => {
  const odd = [
    { 10: 1, 9: 2, b: undefined, a: [undefined, null] },
    { '\u20ac': 1, '\r': 2, '\ud83d\ude00': 3, 1: 4 },
    -0,
    1e21,
    1e-7,
    '\u007f\u2028',
    'a"\\',
  ];
  for (const value of odd) expect(canonicalJson(value)).toBe(canonicalize(value));
  const anyValue = fc.jsonValue({ stringUnit: anyCharacter });
  fc.assert(fc.property(anyValue, (value) => canonicalJson(value) === canonicalize(value)));
});
